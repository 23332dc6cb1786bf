import type { Bucket } from '../bucket/index.ts';
import { createFile, type Disk, identityOfFile } from '../disk/index.ts';
import { besideJournal, journalPath, writerDir } from './layout.ts';

/**
 * Declares a writer dead for good [JRN-13]: if it wakes up again it acknowledges, ships, seals and removes nothing. Durable
 * on return; fencing twice is fine. What was acknowledged before is in its journal, and is read after this.
 */
export async function fenceWriter(disk: Disk, runDir: string, writer: string): Promise<void> {
  await createFile(disk, fencePath(runDir, writer), new Uint8Array(0));
}

/** The same for those who see only the bucket [SEG-10]. */
export async function fenceWriterInBucket(bucket: Bucket, where: FencePlace): Promise<void> {
  await bucket.create(fenceKey(where), new Uint8Array(0));
}

export function isFenced(journal: string): boolean {
  return identityOfFile(besideJournal(journal).fenced) !== undefined;
}

export interface FencePlace {
  readonly prefix: string;
  readonly run: string;
  readonly writer: string;
}

export function fenceKey({ prefix, run, writer }: FencePlace): string {
  return `${prefix}${run}/fenced/${writer}`;
}

/** The one writer of version 1 has no folder of its own. */
function fencePath(runDir: string, writer: string): string {
  const hasOwn = identityOfFile(writerDir(runDir, writer)) !== undefined;
  const isOld = !hasOwn && identityOfFile(journalPath(runDir, '')) !== undefined;
  return besideJournal(journalPath(runDir, isOld ? '' : writer)).fenced;
}
