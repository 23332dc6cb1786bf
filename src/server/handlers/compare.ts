import { definedOf } from '../../base/index.ts';
import {
  type ComparedRun as ComparedSides,
  compareSides,
  countFlips,
  type FigureComparison,
  figureNames,
  letterOf,
  RUNS_MAX,
  RUNS_MIN,
  type RunTable,
  type SampleCell,
  type SampleInRuns,
  sampleCells,
  samplesInRuns,
  sideOfTable,
  type ToldFigure,
  toDecideWords,
  toldFigure,
  verdictSaid,
  wrongCount,
} from '../../compare/index.ts';
import { chooseCompared } from '../../views/index.ts';
import type {
  ComparedCell,
  ComparedRun,
  ComparedSample,
  ComparedSamples,
  CompareView,
  FigureCompared,
} from '../api.ts';
import type { Call } from '../call.ts';
import { compareCommand } from '../commands.ts';
import { type BrokenRun, type ReadRun, tablesOf, type WholeRun } from '../run-tables.ts';

/** Two to six runs: the first, and each of the others beside it. */
export async function compare(call: Call<'compare'>): Promise<CompareView> {
  const { base, others, told } = await readRuns(call);
  const cells = sampleCells(base.table, told);
  const whole = [base, ...others].flatMap(({ table }) => table ?? []);
  return {
    base: base.item,
    others: others.map((other, index) => {
      const letter = letterOf(index + 1);
      if (!other.table) return unreadable(other, letter);
      const compared = comparedTables(base.table, other.table);
      const flips = countFlips(cells, sampleCells(other.table, told));
      return { item: other.item, ...comparedView(compared, letter), flips };
    }),
    scores: [...figureNames(whole)],
    ...definedOf({ score: told.figure }),
    command: compareCommand(
      call.studio,
      [base, ...others].map(({ item }) => item),
    ),
  };
}

/** What was compared stays compared as long as both are kept: whoever looks at another score asks again. */
const known = new WeakMap<RunTable, WeakMap<RunTable, ComparedSides>>();

function comparedTables(before: RunTable, after: RunTable): ComparedSides {
  const withOthers = known.get(before) ?? new WeakMap<RunTable, ComparedSides>();
  known.set(before, withOthers);
  const compared =
    withOthers.get(after) ?? compareSides({ before: sideOfTable(before), after: sideOfTable(after) });
  withOthers.set(after, compared);
  return compared;
}

/** The samples of a comparison, one row a sample, filtered and sorted. */
export async function comparedSamples(call: Call<'comparedSamples'>): Promise<ComparedSamples> {
  const { base, others, told } = await readRuns(call);
  const tables = [base, ...others].map(({ table }) => table);
  const all = samplesInRuns(tables, told).map((sample) => sampleView(sample, tables));
  const { chosen, wrong } = chooseCompared(all, call.query);
  const { offset, limit } = call.query;
  return {
    samples: chosen.slice(offset, offset + limit),
    offset,
    total: chosen.length,
    all: all.length,
    ...definedOf({ wrong }),
  };
}

interface RunsRead {
  readonly base: WholeRun;
  readonly others: readonly ReadRun[];
  readonly told: ToldFigure;
}

/** Without a base that can be read there is nothing to compare with; a run beside it that cannot, or that is not there, is told as such, and the others are compared. */
async function readRuns({
  studio,
  query,
  signal,
  sameAs,
}: Call<'compare'> | Call<'comparedSamples'>): Promise<RunsRead> {
  const { runs, score } = query;
  if (runs.length < RUNS_MIN || runs.length > RUNS_MAX) throw wrongCount(runs.length);
  const [base, ...others] = await tablesOf(studio).read(runs, signal);
  if (!base?.table) throw base?.error ?? wrongCount(0);
  const missing = others.find(({ found }) => found === undefined);
  if (missing?.error && others.every(({ found }) => found === undefined)) throw missing.error;
  sameAs(studio.index.version, ...[base, ...others].map(({ version }) => version));
  const whole = [base.table, ...others.flatMap(({ table }) => table ?? [])];
  return { base, others, told: toldFigure(whole, score) };
}

function comparedView(
  run: ComparedSides,
  letter: string,
): Pick<ComparedRun, 'verdict' | 'said' | 'figures' | 'changes' | 'warnings'> {
  const { scores, completed, spent } = run;
  return {
    verdict: run.verdict,
    said: verdictSaid(run, letter),
    figures: [
      ...scores.map((figure) => figureView(figure, 'score')),
      ...(completed ? [figureView(completed, 'completed')] : []),
      ...spent.map((figure) => figureView(figure, 'spent')),
    ],
    changes: run.changes.map(({ what, said, isWarning }) => ({ what, said, isWarning })),
    warnings: [...run.warnings],
  };
}

function figureView(figure: FigureComparison, group: FigureCompared['group']): FigureCompared {
  const { interval, flips, leftOut } = figure;
  const wouldDecide = toDecideWords(figure);
  const improved = flips.filter(({ isBetter }) => isBetter).length;
  return {
    figure: figure.figure,
    group,
    kind: figure.kind,
    betterWhen: figure.betterWhen,
    verdict: figure.verdict,
    before: numberOrNull(figure.before),
    after: numberOrNull(figure.after),
    difference: figure.difference,
    ...definedOf({ low: interval?.lower, high: interval?.upper, pAdjusted: figure.pAdjusted }),
    p: figure.p,
    test: figure.test,
    pairs: figure.pairs,
    improved,
    regressed: flips.length - improved,
    leftOut: { ...leftOut },
    ...definedOf({ wouldDecide: wouldDecide === '' ? undefined : wouldDecide }),
  };
}

/** Nothing is known of it but that it is there, or not even that. */
function unreadable({ item, error, found }: BrokenRun, letter: string): ComparedRun {
  return {
    item,
    verdict: 'cannot tell',
    said: found === undefined ? `${letter} is not there.` : `${letter} cannot be read.`,
    figures: [],
    changes: [],
    warnings: [error.message],
    flips: {
      bothPass: 0,
      onlyBefore: 0,
      onlyAfter: 0,
      bothFail: 0,
      other: 0,
      notInBefore: 0,
      notInAfter: 0,
    },
  };
}

function sampleView(
  { id, input, cells, is, difference }: SampleInRuns,
  tables: readonly (RunTable | undefined)[],
): ComparedSample {
  return {
    id,
    input,
    cells: tables.map((_, index) => cellView(cells[index])),
    is,
    ...definedOf({ difference }),
  };
}

function cellView(cell: SampleCell | undefined): ComparedCell {
  if (!cell) return { outcome: 'missing', epochs: 0, usd: null };
  const { outcome, passed, epochs } = cell;
  return {
    outcome,
    ...definedOf({ number: ifKnown(cell.number), passed, turns: ifKnown(cell.turns) }),
    epochs,
    usd: numberOrNull(cell.usd),
    ...definedOf({ durationMs: ifKnown(cell.seconds * 1_000) }),
  };
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function ifKnown(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}
