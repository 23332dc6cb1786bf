import type { Bucket } from '../bucket/index.ts';
import type { Disk } from '../disk/index.ts';
import { importWriter } from './import-writer.ts';
import type { JournalReader } from './journal-reader.ts';
import { journalPath } from './layout.ts';
import { listSegments } from './list-segments.ts';
import type { RunJournals } from './run-journals.ts';

export interface AddSegmentsOptions {
  readonly disk: Disk;
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly run: string;
  /** A directory of the caller's own, in which journals are made of the segments. It stays as long as they are read. */
  readonly scratch: string;
}

export interface WithSegments {
  /** With those that were made of segments; closing them closes all. */
  readonly journals: RunJournals;
  /** The writers that were read from the bucket. */
  readonly writers: readonly string[];
  /** The segments that were read and used. */
  readonly keys: readonly string[];
  readonly problems: readonly string[];
}

/**
 * Completes the journals of a run from the bucket: whatever a damaged journal lacks may be in the segments of its writer.
 * These repeat the journal, so they are only read where it is missing or damaged.
 */
export async function addSegments(here: RunJournals, options: AddSegmentsOptions): Promise<WithSegments> {
  const { disk, bucket, prefix, run, scratch } = options;
  const sound = new Set(
    here.readers
      .filter((reader) => reader.damage().sentences.length === 0)
      .map((reader) => reader.writer().writer),
  );
  const writers: string[] = [];
  const keys: string[] = [];
  const problems: string[] = [];
  const readers: JournalReader[] = [];
  for (const [writer, chains] of await listSegments({ bucket, prefix, run })) {
    if (sound.has(writer)) continue;
    const report = await importWriter({ disk, bucket, prefix, run, writer, chains, runDir: scratch });
    problems.push(...report.problems);
    keys.push(...report.keys);
    writers.push(writer);
    readers.push(here.read(journalPath(scratch, writer)));
  }
  return { journals: here.with(...readers), writers, keys, problems };
}
