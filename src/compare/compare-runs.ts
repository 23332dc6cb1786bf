import { counted, type SampleKey } from '../base/index.ts';
import type { RunReader } from '../log/index.ts';
import { type AlignedSample, type Alignment, alignSides } from './align.ts';
import { unknownScorer, wrongCount } from './compare-errors.ts';
import type { FigureComparison } from './compare-figure.ts';
import { isFigureOf } from './figures.ts';
import { judgeScores, judgeSpent } from './judge-figures.ts';
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
  const { scores, completed } = judgeScores(alignment, { ...options, order: before.scorers });
  const changes = changesBetween(before.identity, after.identity);
  return {
    run: after.facts,
    verdict: overallVerdict([...scores, ...(completed ? [completed] : [])].map(({ verdict }) => verdict)),
    scores,
    ...(completed && { completed }),
    spent: judgeSpent(alignment),
    aligned: both.length,
    errors: errorsOf(both),
    onlyBefore,
    onlyAfter,
    changes,
    warnings: warningsOf({ before, after }, alignment, changes),
  };
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
    ...(isSameRun(before, after) ? [sameRunWords(after.facts, changes)] : []),
    ...changes.filter(({ isWarning }) => isWarning).map(({ said }) => said),
    ...(otherRows > 0
      ? [`the dataset differs: ${otherRows} of ${both.length} samples have another input or target`]
      : []),
    ...(both.length === 0 ? ['the runs have no sample in common'] : []),
    ...unfinished.map(({ facts }) => unfinishedWords(facts)),
  ];
}

function isSameRun(before: Side, after: Side): boolean {
  return before.facts.run === after.facts.run && before.evalId === after.evalId;
}

/** What was scored anew is a log of the same run. */
function sameRunWords({ run }: RunFacts, changes: readonly Change[]): string {
  return changes.length === 0
    ? `this is the run ${run} compared with itself`
    : `both are logs of one run, ${run}: its samples were run once`;
}

function unfinishedWords({ name, samples }: RunFacts): string {
  if (samples.unfinished === 0) return `${name} is not finished`;
  return `${name} is not finished: ${counted(samples.unfinished, 'sample')} under way or stopped`;
}

function checkScorers(sides: readonly Side[], { scorers = [], lower = [] }: CompareOptions): void {
  if (scorers.length + lower.length === 0) return;
  const known = new Set<string>();
  for (const { samples } of sides)
    for (const { figures } of samples.values()) for (const figure of figures.keys()) known.add(figure);
  for (const name of [...scorers, ...lower])
    if (![...known].some((figure) => isFigureOf(figure, name))) throw unknownScorer(name, [...known].sort());
}
