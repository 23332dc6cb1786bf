import { ActionableError } from '../base/index.ts';
import { logErrors } from './log-errors.ts';
import type { LogReader } from './log-reader.ts';
import type { ReadableLogs } from './log-store.ts';
import type { VerifyReport } from './verify-log.ts';

/** Opens a log that was named: one that is not there is an error, unlike in `LogStore.open`. */
export async function openFrom(logs: ReadableLogs, name: string): Promise<LogReader> {
  const log = await logs.open(name);
  if (!log) throw logErrors.notFound(logs.placeOf(name));
  return log;
}

/** A log, or what is left of it. */
export interface OpenedAsFarAsWhole {
  readonly log: LogReader;
  /** Says that its end is missing: whatever is given of it is whole, but it is no finished log any more. */
  readonly torn?: ActionableError;
}

/** Opens a log that may lend something, also when its end is missing. Undefined when there is no such log. */
export async function openAsFarAsWhole(
  logs: ReadableLogs,
  name: string,
): Promise<OpenedAsFarAsWhole | undefined> {
  try {
    const log = await logs.open(name);
    return log && { log };
  } catch (error) {
    if (!(error instanceof ActionableError) || error.code !== 'E_LOG_TORN') throw error;
    const log = await logs.openTorn(name);
    if (!log) throw error;
    return { log, torn: error };
  }
}

/** Verifies a log that was named. */
export async function verifyIn(logs: ReadableLogs, name: string): Promise<VerifyReport> {
  const report = await logs.verify(name);
  if (!report) throw logErrors.notFound(logs.placeOf(name));
  return report;
}
