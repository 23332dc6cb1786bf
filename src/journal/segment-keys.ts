import { isJsonArray } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { createFile, type Disk } from '../disk/index.ts';
import type { JournalReader } from './journal-reader.ts';
import { besideJournal } from './layout.ts';
import { recordPrefix } from './record-object.ts';
import type { RunJournals } from './run-journals.ts';
import { parseChainName, segmentPrefix } from './segment.ts';
import { tryParse } from './stored-documents.ts';

/** Remembers which segments a journal was made from: whoever seals the run, in whatever session, removes these alone [SEG-9]. */
export async function keepSegmentKeys(disk: Disk, journal: string, keys: readonly string[]): Promise<void> {
  await createFile(disk, besideJournal(journal).segments, Buffer.from(JSON.stringify(keys)));
}

/**
 * The keys of all segments whose rows the journals of a run hold: what a journal was made from; and for one that was
 * written on this machine, all that its writer ever shipped, since a row is committed before it is shipped. The records of
 * a writer go with the last of its segments: as long as one stays, it may need them [SEG-11].
 */
export async function segmentKeysOf(journals: RunJournals, from: KeysFrom): Promise<readonly string[]> {
  const keys = new Set<string>();
  const shipped = new Set<string>();
  const writers = new Set(journals.writers().map(({ writer }) => writer));
  for (const reader of journals.readers) {
    const made = await madeFrom(from.disk, reader);
    if (made) for (const key of made) keys.add(key);
    else shipped.add(reader.writer().writer);
  }
  const { runId } = journals.run();
  const root = segmentPrefix(from.prefix, runId);
  for await (const { key } of from.bucket.list(root)) {
    const { writer } = parseChainName(key.slice(root.length).split('/')[0] ?? '');
    if (shipped.has(writer)) keys.add(key);
    else if (!keys.has(key)) writers.delete(writer);
  }
  const records = recordPrefix(from.prefix, runId);
  for await (const { key } of from.bucket.list(records))
    if (writers.has(key.slice(records.length))) keys.add(key);
  return [...keys];
}

interface KeysFrom {
  readonly disk: Disk;
  readonly bucket: Bucket;
  readonly prefix: string;
}

async function madeFrom(disk: Disk, reader: JournalReader): Promise<readonly string[] | undefined> {
  const bytes = await disk.read(besideJournal(reader.path).segments);
  if (!bytes) return undefined;
  // What cannot be read names nothing: then no segment is removed, which loses nothing.
  const keys = tryParse(Buffer.from(bytes).toString('utf8'));
  return isJsonArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
}
