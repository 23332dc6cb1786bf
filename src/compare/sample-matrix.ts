import { bySampleOrder, type SampleId } from '../base/index.ts';
import { plainId } from './align.ts';
import { flipRate, type OutcomeInRun } from './flip-rate.ts';
import type { RunTable } from './run-table.ts';
import { foldOutcomes, numberAt, outcomeAt, type ToldFigure } from './sample-cells.ts';

/** A sample in all runs of a matrix. */
export interface MatrixRow {
  readonly id: SampleId;
  /** In the order of the runs. */
  readonly outcomes: readonly OutcomeInRun[];
  /** NaN where there is none. */
  readonly numbers: readonly number[];
}

/**
 * Samples × runs: those whose outcome changes most often come first, between equals the harder ones, between equals by id. Undefined
 * stands for a run that cannot be read.
 */
export function sampleMatrix(
  tables: readonly (RunTable | undefined)[],
  told: ToldFigure,
): readonly MatrixRow[] {
  const rows = new Map<string, OpenRow>();
  for (const [run, table] of tables.entries())
    if (table) addRun(rows, table, { told, run, runs: tables.length });
  return inOrder([...rows.values()]);
}

interface OpenRow {
  readonly id: SampleId;
  readonly outcomes: OutcomeInRun[];
  readonly numbers: number[];
  /** How many epochs of the run at hand have a number. */
  scored: number;
}

interface ColumnGiven {
  readonly told: ToldFigure;
  readonly run: number;
  readonly runs: number;
}

/** Cell by cell, without making anything of it that is not kept: there may be a hundred thousand. */
function addRun(rows: Map<string, OpenRow>, table: RunTable, { told, run, runs }: ColumnGiven): void {
  const values = told.figure === undefined ? undefined : table.figures.get(told.figure);
  for (const [place, id] of table.ids.entries()) {
    const key = String(id);
    let row = rows.get(key);
    if (!row) {
      row = emptyRow(id, runs);
      rows.set(key, row);
    }
    const before = row.outcomes[run];
    if (before === 'missing') row.scored = 0;
    const number = numberAt(table, values, place);
    const outcome = outcomeAt(table, place, { number, isGrade: told.isGrade });
    row.outcomes[run] = foldOutcomes(before === 'missing' ? undefined : before, outcome);
    if (number === undefined) continue;
    row.scored++;
    const mean = row.scored === 1 ? 0 : (row.numbers[run] ?? 0);
    row.numbers[run] = mean + (number - mean) / row.scored;
  }
}

function emptyRow(id: SampleId, runs: number): OpenRow {
  return {
    id: plainId(id),
    outcomes: new Array<OutcomeInRun>(runs).fill('missing'),
    numbers: new Array<number>(runs).fill(Number.NaN),
    scored: 0,
  };
}

function inOrder(rows: readonly OpenRow[]): readonly MatrixRow[] {
  const range = rangeOf(rows);
  const keyed = rows.map((row) => ({ row, rate: rateOf(row, range), mean: meanOf(row.numbers) }));
  keyed.sort(
    (a, b) =>
      b.rate - a.rate ||
      a.mean - b.mean ||
      bySampleOrder({ id: a.row.id, epoch: 1 }, { id: b.row.id, epoch: 1 }),
  );
  return keyed.map(({ row }) => row);
}

export interface NumberRange {
  readonly least: number;
  readonly greatest: number;
}

/** Of all numbers that are no pass or fail; undefined when there is none. */
export function rangeOf(rows: readonly MatrixRow[]): NumberRange | undefined {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { outcomes, numbers } of rows)
    for (const [run, outcome] of outcomes.entries()) {
      if (outcome !== 'number') continue;
      least = Math.min(least, numbers[run] ?? least);
      greatest = Math.max(greatest, numbers[run] ?? greatest);
    }
  return least <= greatest ? { least, greatest } : undefined;
}

/** Numbers move in every run: how far, as a share of how far they could, takes the place of how often. */
function rateOf({ outcomes, numbers }: OpenRow, range: NumberRange | undefined): number {
  const { rate } = flipRate(outcomes);
  const width = range ? range.greatest - range.least : 0;
  if (width === 0) return rate;
  let [moved, steps] = [0, 0];
  let before: number | undefined;
  for (const [run, outcome] of outcomes.entries()) {
    if (outcome !== 'number') continue;
    const number = numbers[run] ?? 0;
    if (before !== undefined) {
      moved += Math.abs(number - before);
      steps++;
    }
    before = number;
  }
  return steps === 0 ? rate : moved / steps / width;
}

/** What nobody scored comes last. */
function meanOf(numbers: readonly number[]): number {
  const known = numbers.filter((number) => !Number.isNaN(number));
  return known.length === 0
    ? Number.MAX_VALUE
    : known.reduce((sum, number) => sum + number, 0) / known.length;
}
