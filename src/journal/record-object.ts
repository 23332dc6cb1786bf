import type { Bucket } from '../bucket/index.ts';
import { createFile, type Disk } from '../disk/index.ts';
import { besideJournal } from './layout.ts';
import { decodeRecords, encodeRecords, type Records } from './record-file.ts';

export interface RecordPlace {
  readonly bucket: Bucket;
  /** Where in the bucket runs live; ends with `/` unless empty. */
  readonly prefix: string;
}

/** Where the records of a run's writers are in a bucket, each under the writer's name. */
export function recordPrefix(prefix: string, run: string): string {
  return `${prefix}${run}/records/`;
}

/**
 * Puts a second copy of the run record and the writer record into the bucket [SEG-11]: without them nothing that the other
 * segments of a chain hold could be told apart. One that is there already is left.
 */
export async function shipRecord({ bucket, prefix }: RecordPlace, records: Records): Promise<void> {
  const key = `${recordPrefix(prefix, records.run.runId)}${records.writer.writer}`;
  await bucket.create(key, encodeRecords(records));
}

/** The records of a writer, as the bucket has them; undefined when there are none, or they are damaged or of another writer. */
export async function readRecordObject(
  { bucket, prefix }: RecordPlace,
  { run, writer }: { readonly run: string; readonly writer: string },
): Promise<Records | undefined> {
  const bytes = await bucket.read(`${recordPrefix(prefix, run)}${writer}`);
  const records = bytes && decodeRecords(bytes);
  return records?.run.runId === run && records.writer.writer === writer ? records : undefined;
}

/** Puts it beside a journal that is made from segments. Gives a sentence when it cannot be used, which alone loses nothing. */
export async function importRecord(
  { disk, bucket, prefix, run, writer }: RecordPlace & { disk: Disk; run: string; writer: string },
  journal: string,
): Promise<string | undefined> {
  const key = `${recordPrefix(prefix, run)}${writer}`;
  const bytes = await bucket.read(key);
  if (!bytes) return undefined;
  const records = decodeRecords(bytes);
  if (records?.run.runId !== run || records.writer.writer !== writer)
    return `Record ${key} is damaged, or of another writer: it was left out.`;
  await createFile(disk, besideJournal(journal).record, bytes);
  return undefined;
}
