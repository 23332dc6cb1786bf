import { createHash } from 'node:crypto';
import { ActionableError, type Digest } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import type { Disk } from '../disk/index.ts';

const CHUNK_BYTES = 1024 * 1024;

export interface ShipLogOptions {
  readonly disk: Disk;
  /** Where the log is on this machine. */
  readonly path: string;
  readonly bucket: Bucket;
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Puts a finished log into the bucket, and reads it back from there: only then may the segments go [SEG-9]. A machine that
 * is lost right after a run then loses nothing.
 */
export async function shipLog({ disk, path, bucket, key, signal }: ShipLogOptions): Promise<void> {
  // What is there already is never written again, and a log directory may be the bucket itself.
  if (!(await bucket.stat(key, signal))) await bucket.createFromFile(key, path, signal);
  const [here, there] = [await digestOfFile(disk, path), await digestOfObject(bucket, key)];
  if (here !== there) throw different(`${bucket.url}/${key}`, path);
}

async function digestOfFile(disk: Disk, path: string): Promise<Digest> {
  await using file = await disk.open(path, 'read');
  const chunk = new Uint8Array(CHUNK_BYTES);
  return await digestOfChunks(async (position) => chunk.subarray(0, await file.read(chunk, position)));
}

function digestOfObject(bucket: Bucket, key: string): Promise<Digest> {
  return digestOfChunks(
    async (start) => (await bucket.readRange(key, { start, length: CHUNK_BYTES })) ?? new Uint8Array(),
  );
}

async function digestOfChunks(read: (position: number) => Promise<Uint8Array>): Promise<Digest> {
  const hash = createHash('sha256');
  for (let position = 0; ; ) {
    const chunk = await read(position);
    if (chunk.length === 0) return hash.digest('hex') as Digest;
    hash.update(chunk);
    position += chunk.length;
  }
}

function different(place: string, path: string): ActionableError {
  return new ActionableError({
    code: 'E_LOG_NOT_SHIPPED',
    message: `${place} is not the log that ${path} is.`,
    hint: 'The log is whole here, and its journal and its segments stay. Move the other object away and run the same command again: it is then shipped.',
  });
}
