import { exactJson, isJsonObject, textSum, toJson } from '../base/index.ts';
import { createFile, type Disk, openSyncFile } from '../disk/index.ts';
import { besideJournal } from './layout.ts';
import type { RunRecord, WriterRecord } from './records.ts';
import { JOURNAL_VERSION } from './schema.ts';
import { parseRunRecord, parseWriterRecord, tryParse } from './stored-documents.ts';

export interface Records {
  readonly run: RunRecord;
  readonly writer: WriterRecord;
}

/**
 * A second copy of the run record and the writer record, beside the journal: without them nothing that a damaged database
 * still holds could be told apart. A line of JSON and a line with its CRC-32.
 */
export async function writeRecordFile(disk: Disk, journal: string, records: Records): Promise<void> {
  await createFile(disk, besideJournal(journal).record, encodeRecords(records));
}

/** Undefined when there is none, or it is not whole. */
export function readRecordFile(journal: string): Records | undefined {
  using file = openSyncFile(besideJournal(journal).record, 'read');
  if (!file) return undefined;
  const bytes = new Uint8Array(file.sizeBytes());
  file.read(bytes, 0);
  return decodeRecords(bytes);
}

export function encodeRecords(records: Records): Uint8Array {
  const json = exactJson(toJson({ version: JOURNAL_VERSION, ...records }));
  return Buffer.from(`${json}\n${textSum(json)}\n`, 'utf8');
}

/** Undefined when they are not whole. */
export function decodeRecords(bytes: Uint8Array): Records | undefined {
  const [json = '', sum] = Buffer.from(bytes).toString('utf8').split('\n');
  const value = sum === textSum(json) ? tryParse(json) : undefined;
  if (!isJsonObject(value) || value.version !== JOURNAL_VERSION) return undefined;
  const run = parseRunRecord(exactJson(value.run ?? null));
  const writer = parseWriterRecord(exactJson(value.writer ?? null));
  return run && writer ? { run, writer } : undefined;
}
