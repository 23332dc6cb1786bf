import { dirname } from 'node:path';
import { ActionableError, counted, NotKeptError, UsageError } from '../base/index.ts';
import { type Disk, sweepTemps } from '../disk/index.ts';
import type { EvalSampleSummary, LogReader, SampleFields } from '../log/index.ts';
import type { Column, Raw } from './column.ts';
import type { CsvOptions } from './csv.ts';
import type { ExportedRun, RunItem, SampleItem } from './exported-run.ts';
import type { FixedColumn } from './own-columns.ts';
import {
  type ExportProblem,
  isOfLog,
  planTables,
  readRun,
  samplesOf,
  type TablePlan,
} from './plan-tables.ts';
import { metricsOf, RUN_COLUMNS } from './run-table.ts';
import { SAMPLE_COLUMNS } from './sample-table.ts';
import { SCORE_COLUMNS, scoreCells, scoresOf } from './score-table.ts';
import { type TableFormat, type TableName, TableWriter, type WrittenTable } from './table-writer.ts';

export interface ExportTablesOptions extends CsvOptions {
  readonly runs: readonly ExportedRun[];
  readonly format: TableFormat;
  /** Where each table goes; those without a place are not made. */
  readonly files: Readonly<Partial<Record<TableName, string>>>;
  /** True puts them in the place of files that are there; else those are refused (E_FILE_EXISTS). */
  readonly replace: boolean;
}

export interface ExportReport {
  readonly tables: readonly WrittenTable[];
  readonly problems: readonly ExportProblem[];
  /** How many texts of CSV files a spreadsheet would take for formulas. */
  readonly formulas: number;
}

/** `runs` comes last: when it is there, the others are. */
const ORDER: readonly TableName[] = ['scores', 'samples', 'runs'];

/**
 * Writes runs as tables. Only a row group is held in memory, however many samples there are.
 *
 * ### Ordering
 * All tables are written under temporary names and synced; then they get their names, `runs` last. A failure before leaves nothing; a
 * crash between two names leaves whole tables, and no `runs`.
 */
export async function exportTables(disk: Disk, options: ExportTablesOptions): Promise<ExportReport> {
  for (const path of Object.values(options.files)) {
    await disk.makeDir(dirname(path));
    await sweepTemps(disk, dirname(path));
    if (!options.replace && (await disk.stat(path))) throw exists(path);
  }
  const withSamples = options.files.samples !== undefined;
  const plan = await planTables(options.runs, { withSamples });
  const writers = new Map<TableName, TableWriter>();
  try {
    for (const table of ORDER) {
      const path = options.files[table];
      if (path === undefined) continue;
      const columns = columnsOf(table, plan);
      writers.set(table, await TableWriter.begin(disk, { ...options, table, path, columns }));
    }
    const problems = await writeRows(options.runs, plan, writers);
    for (const writer of writers.values()) await writer.finish();
    const formulas = [...writers.values()].reduce((sum, writer) => sum + writer.formulas, 0);
    return { tables: await nameAll(writers, options), problems, formulas };
  } catch (error) {
    for (const writer of writers.values()) await tryAbandon(writer);
    throw error;
  }
}

async function nameAll(
  writers: Map<TableName, TableWriter>,
  { files, replace }: ExportTablesOptions,
): Promise<readonly WrittenTable[]> {
  const written: WrittenTable[] = [];
  for (const [table, writer] of writers) {
    const made = await writer.commit({ replace });
    writers.delete(table);
    if (!made) throw exists(files[table] ?? table);
    written.unshift(made);
  }
  return written;
}

/** The first failure is the one to tell; what is left is swept by the next export. */
async function tryAbandon(writer: TableWriter): Promise<void> {
  try {
    await writer.abandon();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

function columnsOf(table: TableName, { metrics, scores }: TablePlan): readonly Column[] {
  if (table === 'scores') return SCORE_COLUMNS;
  return table === 'runs' ? [...RUN_COLUMNS, ...metrics.columns()] : [...SAMPLE_COLUMNS, ...scores.columns()];
}

async function writeRows(
  runs: readonly ExportedRun[],
  plan: TablePlan,
  writers: ReadonlyMap<TableName, TableWriter>,
): Promise<readonly ExportProblem[]> {
  const problems: ExportProblem[] = [];
  const onProblem = (problem: ExportProblem) => void problems.push(problem);
  const wantsSamples = writers.has('samples') || writers.has('scores');
  for (const run of runs)
    await readRun(run, {
      onProblem,
      work: async (log) => {
        const item: RunItem = { row: run.row, header: await log.header() };
        await writers
          .get('runs')
          ?.add([...valuesOf(RUN_COLUMNS, item), ...plan.metrics.cells(metricsOf(item))]);
        if (!wantsSamples) return;
        const notKept: NotKeptError[] = [];
        for await (const summary of samplesOf(run, log)) {
          const fields = await fieldsOf(log, { run, summary, onProblem, notKept });
          await writeSample({ row: run.row, summary, fields }, plan, writers);
        }
        sayNotKept(run, notKept, onProblem);
      },
    });
  return problems;
}

async function writeSample(
  item: SampleItem,
  plan: TablePlan,
  writers: ReadonlyMap<TableName, TableWriter>,
): Promise<void> {
  const samples = writers.get('samples');
  await samples?.add([...valuesOf(SAMPLE_COLUMNS, item), ...plan.scores.cells(scoreCells(item))]);
  const scores = writers.get('scores');
  if (scores) for (const score of scoresOf(item)) await scores.add(valuesOf(SCORE_COLUMNS, score));
}

/** What is not kept is mostly not kept of all samples of a run: that is said once. */
function sayNotKept(
  { row }: ExportedRun,
  notKept: readonly NotKeptError[],
  onProblem: (problem: ExportProblem) => void,
): void {
  const [first] = notKept;
  if (!first) return;
  const samples = notKept.length;
  const message = `Of ${counted(samples, 'sample')} only what the list of samples says is written: ${first.message}`;
  onProblem({ run: row.run, samples, message });
}

/** A sample that is damaged is a row of what the list of samples says of it. */
async function fieldsOf(
  log: LogReader,
  about: {
    readonly run: ExportedRun;
    readonly summary: EvalSampleSummary;
    readonly onProblem: (problem: ExportProblem) => void;
    readonly notKept: NotKeptError[];
  },
): Promise<SampleFields | undefined> {
  const { id, epoch } = about.summary;
  try {
    return await log.sampleFields(id, epoch);
  } catch (error) {
    if (!(error instanceof ActionableError) || !isOfLog(error)) throw error;
    if (error instanceof NotKeptError) about.notKept.push(error);
    else about.onProblem({ run: about.run.row.run, id: String(id), epoch, message: error.message });
    return undefined;
  }
}

function valuesOf<T>(columns: readonly FixedColumn<T>[], item: T): Raw[] {
  return columns.map(({ of }) => of(item));
}

function exists(path: string): UsageError {
  return new UsageError({
    code: 'E_FILE_EXISTS',
    message: `${path} exists already.`,
    hint: 'Name another place with --out, or replace it with --force.',
  });
}
