import { type StoredLogReader, type VerifyReport, verifyStoredLog } from '../log/index.ts';
import { digestDocuments } from './documents.ts';
import type { RunRow } from './run-row.ts';

/** All that is wrong with a published log: what is wrong with any log, and a digest that is not that of its row [RES-7]. */
export async function checkPublished(log: StoredLogReader, row: Pick<RunRow, 'log'>): Promise<VerifyReport> {
  const report = await verifyStoredLog(log);
  // What cannot be read is told already.
  if (report.problems.some(({ code }) => code.startsWith('E_'))) return report;
  const { digest } = await digestDocuments(log);
  if (digest === row.log.digest) return report;
  const message = `Its documents come to ${digest}, and its row says ${row.log.digest}.`;
  const problem = { member: 'run.json', code: 'digest', message };
  return { ...report, isWhole: false, problems: [...report.problems, problem] };
}
