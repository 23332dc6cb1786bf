import { ActionableError, DamageError, NotKeptError } from '../base/index.ts';
import type { EvalSampleSummary, RepairedLog } from '../log/index.ts';
import type { ExportedRun } from './exported-run.ts';
import { OwnColumns } from './own-columns.ts';
import { metricsOf, RUN_COLUMNS } from './run-table.ts';
import { SAMPLE_COLUMNS } from './sample-table.ts';
import { scoreCells } from './score-table.ts';

/** What cannot be read of a run, or of one sample of it. Everything else is exported. */
export interface ExportProblem {
  readonly run: string;
  readonly id?: string;
  readonly epoch?: number;
  /** How many samples it is about, when not about one of them or about the whole run. */
  readonly samples?: number;
  readonly message: string;
}

/** The columns that depend on what the runs hold. */
export interface TablePlan {
  readonly metrics: OwnColumns;
  readonly scores: OwnColumns;
}

/**
 * Looks at the headers and the lists of samples of all runs: a table has the same columns from its first row to its last, so all of
 * them are known before anything is written.
 */
export async function planTables(
  runs: readonly ExportedRun[],
  { withSamples }: { readonly withSamples: boolean },
): Promise<TablePlan> {
  const metrics = new OwnColumns(namesOf(RUN_COLUMNS));
  const scores = new OwnColumns(namesOf(SAMPLE_COLUMNS));
  for (const run of runs)
    await readRun(run, {
      onProblem: () => undefined, // It is told when the rows are written.
      work: async (log) => {
        const header = await log.header();
        for (const [path, value] of metricsOf({ row: run.row, header })) metrics.see(path, value);
        if (!withSamples) return;
        for await (const summary of samplesOf(run, log))
          for (const [path, value] of scoreCells({ row: run.row, summary, fields: undefined }))
            scores.see(path, value);
      },
    });
  return { metrics, scores };
}

export function samplesOf(run: ExportedRun, log: RepairedLog): AsyncIterable<EvalSampleSummary> {
  return run.samples?.(log) ?? log.summaries();
}

/** Reads the log of a run. What cannot be read is told, and the other runs go on. */
export async function readRun(
  run: ExportedRun,
  how: {
    readonly work: (log: RepairedLog) => Promise<void>;
    readonly onProblem: (problem: ExportProblem) => void;
  },
): Promise<void> {
  try {
    await run.read(async (log) => {
      await how.work(log);
      for (const { message } of log.damage) how.onProblem({ run: run.row.run, message });
    });
  } catch (error) {
    // A full disk is no damage of a log: it is told as what it is.
    if (!(error instanceof ActionableError) || !isOfLog(error)) throw error;
    how.onProblem({ run: run.row.run, message: error.message });
  }
}

export function isOfLog(error: ActionableError): boolean {
  if (error instanceof NotKeptError) return true;
  return error instanceof DamageError || error.code === 'E_LOG_TOO_LARGE' || error.code === 'E_LOG_NEWER';
}

function namesOf(columns: readonly { readonly name: string }[]): readonly string[] {
  return columns.map(({ name }) => name);
}
