import type { LogReader } from '../log/index.ts';
import { digestDocuments } from './documents.ts';
import { makeRow } from './make-row.ts';
import type { RunRow } from './run-row.ts';

/** The row that a log would have if it were published. Who published it, and where, nobody can say. */
export async function rowOfLog(log: LogReader, name: string): Promise<RunRow> {
  const { names, digest, sizeBytes } = await digestDocuments(log);
  const facts = { name, digest, sizeBytes, documents: names.length, isFanned: false };
  return makeRow(log, { ...facts, by: { user: '', host: '' } });
}
