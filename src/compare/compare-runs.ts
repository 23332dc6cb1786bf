import type { SampleKey } from '../base/index.ts';
import type { RunReader } from '../log/index.ts';
import { holmAdjusted } from '../stats/index.ts';
import { type AlignedSample, type Alignment, alignSides } from './align.ts';
import { unknownScorer, wrongCount } from './compare-errors.ts';
import { compareFigure, type FigureComparison, judged } from './compare-figure.ts';
import { isFigureOf } from './figures.ts';
import { type RunFacts, readSide, type Side } from './side.ts';
import { overallVerdict, type Verdict } from './verdict.ts';
import { type Change, changesBetween } from './what-changed.ts';

export const RUNS_MIN = 2;
export const RUNS_MAX = 6;

export interface RunToCompare {
  readonly name: string;
  readonly reader: RunReader;
}

export interface CompareOptions {
  /** Only these scorers; all by default. */
  readonly scorers?: readonly string[];
  /** Scorers of which a lower score is better. */
  readonly lower?: readonly string[];
}

/** The first run, and each of the others beside it. */
export interface Comparison {
  readonly before: RunFacts;
  readonly after: readonly ComparedRun[];
}

export interface ComparedRun {
  readonly run: RunFacts;
  /** Of all scores together, with whether samples completed. Cost, tokens and time have their own and do not count here. */
  readonly verdict: Verdict;
  readonly scores: readonly FigureComparison[];
  /** Whether samples ended without an error; absent when none had one. */
  readonly completed?: FigureComparison;
  /** Lower is better. */
  readonly spent: readonly FigureComparison[];
  readonly aligned: number;
  readonly errors: readonly SideError[];
  readonly onlyBefore: readonly SampleKey[];
  readonly onlyAfter: readonly SampleKey[];
  readonly changes: readonly Change[];
  readonly warnings: readonly string[];
}

/** A sample that ended with an error on at least one side. */
export interface SideError extends SampleKey {
  readonly before?: string;
  readonly after?: string;
}

/** Compares two to six runs: every one with the first. Nothing but headers and summaries is read. */
export async function compareRuns(
  runs: readonly RunToCompare[],
  options: CompareOptions = {},
): Promise<Comparison> {
  if (runs.length < RUNS_MIN || runs.length > RUNS_MAX) throw wrongCount(runs.length);
  const sides = await Promise.all(runs.map(({ reader, name }) => readSide(reader, name)));
  const [before, ...others] = sides as [Side, ...Side[]];
  checkScorers(sides, options);
  return { before: before.facts, after: others.map((after) => compareSides({ before, after }, options)) };
}

interface Sides {
  readonly before: Side;
  readonly after: Side;
}

export function compareSides({ before, after }: Sides, options: CompareOptions = {}): ComparedRun {
  const alignment = alignSides(before, after);
  const { both, onlyBefore, onlyAfter } = alignment;
  const completion = completionOf(both);
  const figures = judgedTogether([
    ...scoresOf(both, { ...options, order: before.scorers }),
    ...(completion ? [completion] : []),
  ]);
  const completed = completion && figures.at(-1);
  const changes = changesBetween(before.identity, after.identity);
  return {
    run: after.facts,
    verdict: overallVerdict(figures.map(({ verdict }) => verdict)),
    scores: completed ? figures.slice(0, -1) : figures,
    ...(completed && { completed }),
    spent: spentOf(both),
    aligned: both.length,
    errors: errorsOf(both),
    onlyBefore,
    onlyAfter,
    changes,
    warnings: warningsOf({ before, after }, alignment, changes),
  };
}

function scoresOf(
  both: readonly AlignedSample[],
  { scorers, lower = [], order }: CompareOptions & { readonly order: readonly string[] },
): FigureComparison[] {
  const names = new Set<string>();
  for (const { before, after } of both)
    for (const { figures } of [before, after]) for (const figure of figures.keys()) names.add(figure);
  return [...names]
    .filter((figure) => scorers === undefined || scorers.some((name) => isFigureOf(figure, name)))
    .sort(byScorer(order))
    .map((figure) =>
      compareFigure(both, {
        figure,
        betterWhen: lower.some((name) => isFigureOf(figure, name)) ? 'lower' : 'higher',
        valueOf: (sample) => sample.figures.get(figure),
      }),
    );
}

/** As the eval names its scorers; what it does not name comes last. */
function byScorer(order: readonly string[]): (a: string, b: string) => number {
  const rank = (figure: string) => {
    const place = order.findIndex((name) => isFigureOf(figure, name));
    return place < 0 ? order.length : place;
  };
  return (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1);
}

/**
 * An error is neither a bad score nor nothing: such a sample is left out of the scores, and whether samples complete is a figure of
 * its own, so that a run that fails where the other did not cannot look as good.
 */
function completionOf(both: readonly AlignedSample[]): FigureComparison | undefined {
  if (!both.some(({ before, after }) => before.state === 'errored' || after.state === 'errored'))
    return undefined;
  return compareFigure(both, {
    figure: 'completed',
    betterWhen: 'higher',
    isMeant: ({ state }) => state !== 'unfinished',
    valueOf: ({ state }) => state === 'completed',
  });
}

/** Of many figures one is sure to differ by chance: their probabilities are adjusted for how many have numbers on both sides. */
function judgedTogether(figures: readonly FigureComparison[]): readonly FigureComparison[] {
  const tested = figures.filter(({ samples }) => samples > 0);
  if (tested.length < 2) return figures;
  const adjusted = holmAdjusted(tested.map(({ p }) => p));
  return figures.map((figure) => {
    const place = tested.indexOf(figure);
    return place < 0 ? figure : judged(figure, adjusted[place]);
  });
}

/** Figures that nobody spent anything of are left out. */
function spentOf(both: readonly AlignedSample[]): FigureComparison[] {
  const lower = { betterWhen: 'lower' } as const;
  return [
    compareFigure(both, { ...lower, figure: 'cost', valueOf: ({ usd }) => usd }),
    compareFigure(both, { ...lower, figure: 'tokens', valueOf: ({ tokens }) => tokens }),
    compareFigure(both, { ...lower, figure: 'time', valueOf: ({ seconds }) => seconds }),
  ].filter(({ before, after }) => before > 0 || after > 0);
}

function errorsOf(both: readonly AlignedSample[]): SideError[] {
  return both
    .filter(({ before, after }) => before.state === 'errored' || after.state === 'errored')
    .map(({ id, epoch, before, after }) => ({
      id,
      epoch,
      ...(before.state === 'errored' && { before: before.error ?? '' }),
      ...(after.state === 'errored' && { after: after.error ?? '' }),
    }));
}

function warningsOf({ before, after }: Sides, { both }: Alignment, changes: readonly Change[]): string[] {
  const otherRows = both.filter((one) => one.before.row !== one.after.row).length;
  const unfinished = [before, after].filter(
    ({ facts }) => facts.status === 'started' || facts.samples.unfinished > 0,
  );
  return [
    ...changes.filter(({ isWarning }) => isWarning).map(({ said }) => said),
    ...(otherRows > 0
      ? [`the dataset differs: ${otherRows} of ${both.length} samples have another input or target`]
      : []),
    ...(both.length === 0 ? ['the runs have no sample in common'] : []),
    ...unfinished.map(
      ({ facts }) =>
        `${facts.name} is not finished: ${facts.samples.unfinished} samples are under way or were stopped`,
    ),
  ];
}

function checkScorers(sides: readonly Side[], { scorers = [], lower = [] }: CompareOptions): void {
  const known = new Set<string>();
  for (const { samples } of sides)
    for (const { figures } of samples.values()) for (const figure of figures.keys()) known.add(figure);
  for (const name of [...scorers, ...lower])
    if (![...known].some((figure) => isFigureOf(figure, name))) throw unknownScorer(name, [...known].sort());
}
