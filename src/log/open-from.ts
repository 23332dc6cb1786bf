import { logErrors } from './log-errors.ts';
import type { LogReader } from './log-reader.ts';
import type { LogStore } from './log-store.ts';
import type { VerifyReport } from './verify-log.ts';

/** Opens a log that was named: one that is not there is an error, unlike in `LogStore.open`. */
export async function openFrom(logs: LogStore, name: string): Promise<LogReader> {
  const log = await logs.open(name);
  if (!log) throw logErrors.notFound(logs.placeOf(name));
  return log;
}

/** Verifies a log that was named. */
export async function verifyIn(logs: LogStore, name: string): Promise<VerifyReport> {
  const report = await logs.verify(name);
  if (!report) throw logErrors.notFound(logs.placeOf(name));
  return report;
}
