import { basename } from 'node:path';
import { type Digest, UsageError } from '../../base/index.ts';
import { type LogReader, type LogStore, repairedLog } from '../../log/index.ts';
import { type RunRow, rebuildLog, rowOfLog, runRow } from '../../results/index.ts';
import type { SourceRun } from '../../sources/index.ts';
import type { ExportableRun } from './export-command.ts';
import { logOf } from './source-runs.ts';

/** The row of a log that is not published. A run of a source is known by the id that it has there. */
export async function rowOfForeign(log: LogReader, run?: string): Promise<RunRow> {
  const name = basename(log.path);
  const row = await rowOfLog(log, run === undefined || name.endsWith('.eval') ? name : `${run}.eval`);
  return run === undefined ? row : { ...row, run };
}

/** Makes a log file of its documents. */
export async function rebuildForeign(
  log: LogReader,
  into: LogStore,
  { row, name, replace }: { readonly row: RunRow; readonly name: string; readonly replace: boolean },
): Promise<{ readonly place: string; readonly sizeBytes: number }> {
  if (log.members().length === 0) throw noDocuments(log.path);
  return await rebuildLog(log, into, { name, digest: row.log.digest as Digest, replace });
}

/** A run of a source that can be exported. Its log is opened each time that it is read, and not held. */
export async function exportableFrom(run: SourceRun): Promise<ExportableRun> {
  // Of one that is published elsewhere all is known already.
  const known = runRow.safeParse(run.row);
  const row = known.success ? known.data : await withLog(run, (log) => rowOfForeign(log, run.run));
  return {
    row,
    read: (work) => withLog(run, (log) => work(repairedLog(log))),
    rebuild: (into, { name = row.log.name, replace }) =>
      withLog(run, (log) => rebuildForeign(log, into, { row, name, replace })),
  };
}

async function withLog<T>(run: SourceRun, work: (log: LogReader) => Promise<T>): Promise<T> {
  const log = await logOf(run);
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

function noDocuments(path: string): UsageError {
  return new UsageError({
    code: 'E_LOG_FORM',
    message: `${path} is one JSON document, not a .eval.`,
    hint: `Convert it: holdfast log convert ${path} <name>.eval`,
  });
}
