import { bySampleOrder, type SampleId } from '../base/index.ts';
import { plainId } from './align.ts';
import type { RunTable } from './run-table.ts';
import { type SampleCell, sampleCells, type ToldFigure } from './sample-cells.ts';

/** A run of a comparison by sample; undefined when it cannot be read. */
export type CellsOfRun = ReadonlyMap<string, SampleCell> | undefined;

export type SampleIs = 'regressed' | 'improved' | 'same' | 'only in some';

/** A sample in every run of a comparison. */
export interface SampleInRuns {
  readonly id: SampleId;
  readonly input: string;
  /** In the order of the runs; undefined where a run has not got it, or cannot be read. */
  readonly cells: readonly (SampleCell | undefined)[];
  readonly is: SampleIs;
  /** Of the run that decided what it is, against the first; undefined where one of the two has no number. */
  readonly difference: number | undefined;
}

/**
 * All samples that any of the runs has, in their order: none is dropped because another run has not got it. `undefined` stands for a run that
 * cannot be read: it says nothing of any sample.
 */
export function samplesInRuns(
  tables: readonly (RunTable | undefined)[],
  told: ToldFigure,
): readonly SampleInRuns[] {
  const runs = tables.map((table) => table && sampleCells(table, told));
  const keys = new Set(runs.flatMap((cells) => [...(cells?.keys() ?? [])]));
  return [...keys].map((key) => sampleInRuns(key, runs, tables)).sort(byId);
}

/** Samples of different types of id have one order: that of the table of a run. */
function byId(a: SampleInRuns, b: SampleInRuns): number {
  return bySampleOrder({ id: a.id, epoch: 1 }, { id: b.id, epoch: 1 });
}

function sampleInRuns(
  key: string,
  runs: readonly CellsOfRun[],
  tables: readonly (RunTable | undefined)[],
): SampleInRuns {
  const cells = runs.map((run) => run?.get(key));
  const first = cells.findIndex((cell) => cell !== undefined);
  const place = cells[first]?.places[0] ?? 0;
  const [base, ...others] = runs.flatMap((run, index) => (run ? [cells[index]] : []));
  return {
    id: plainId(cells[first]?.id ?? key),
    input: tables[first]?.inputs[place] ?? '',
    cells,
    ...standing(base, others),
  };
}

type Standing = Pick<SampleInRuns, 'is' | 'difference'>;

/** One run that is worse makes it regressed, whatever is better elsewhere; what only some runs have comes before what improved. */
function standing(base: SampleCell | undefined, others: readonly (SampleCell | undefined)[]): Standing {
  if (!base) return { is: 'only in some', difference: undefined };
  const moves = others.map((cell) => cell && moveBetween(base, cell));
  const known = moves.filter((move) => move !== undefined);
  const worst = known.filter(({ direction }) => direction < 0).sort(byDifference)[0];
  if (worst) return { is: 'regressed', difference: worst.difference };
  if (known.length < others.length) return { is: 'only in some', difference: undefined };
  const best = known
    .filter(({ direction }) => direction > 0)
    .sort(byDifference)
    .at(-1);
  if (best) return { is: 'improved', difference: best.difference };
  return { is: 'same', difference: known.find(({ difference }) => difference !== undefined)?.difference };
}

interface Move {
  readonly direction: number;
  readonly difference: number | undefined;
}

function byDifference(a: Move, b: Move): number {
  return (a.difference ?? 0) - (b.difference ?? 0);
}

/** A sample that failed to complete where the other did is worse, although it has no score to compare. */
function moveBetween(before: SampleCell, after: SampleCell): Move {
  const difference = after.number - before.number;
  if (!Number.isNaN(difference)) return { direction: Math.sign(difference), difference };
  const direction = Number(before.outcome === 'error') - Number(after.outcome === 'error');
  return { direction, difference: undefined };
}

/** Samples by what became of them in two runs. All of them together are the samples that either has. */
export interface FlipCounts {
  readonly bothPass: number;
  readonly onlyBefore: number;
  readonly onlyAfter: number;
  readonly bothFail: number;
  /** In both, and on one side neither passed nor failed. */
  readonly other: number;
  readonly notInBefore: number;
  readonly notInAfter: number;
}

export function countFlips(
  before: ReadonlyMap<string, SampleCell>,
  after: ReadonlyMap<string, SampleCell>,
): FlipCounts {
  const counts = {
    bothPass: 0,
    onlyBefore: 0,
    onlyAfter: 0,
    bothFail: 0,
    other: 0,
    notInBefore: 0,
    notInAfter: 0,
  };
  for (const [key, cell] of before) counts[flipOf(cell, after.get(key))]++;
  for (const key of after.keys()) if (!before.has(key)) counts.notInBefore++;
  return counts;
}

function flipOf({ outcome: before }: SampleCell, other: SampleCell | undefined): keyof FlipCounts {
  if (!other) return 'notInAfter';
  const after = other.outcome;
  if (before === 'pass') return after === 'pass' ? 'bothPass' : after === 'fail' ? 'onlyBefore' : 'other';
  if (before === 'fail') return after === 'pass' ? 'onlyAfter' : after === 'fail' ? 'bothFail' : 'other';
  return 'other';
}
