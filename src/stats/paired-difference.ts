import { tTwoSided } from './distributions.ts';
import { type Interval, tInterval } from './intervals.ts';
import { mcnemar } from './mcnemar.ts';
import { mean, standardError, variance } from './moments.ts';
import { newcombeInterval, type PairTable } from './newcombe.ts';
import { signFlipTest } from './sign-flip.ts';

/** One sample on two sides: a pair of figures for each epoch. */
export type SamplePairs = readonly Pair[];
export type Pair = readonly [before: number, after: number];

export type PairedTest =
  | 'mcnemar-exact'
  | 'mcnemar-chi-square'
  | 'sign-flip-exact'
  | 'sign-flip-drawn'
  | 't'
  | 'none';

export interface PairedDifference {
  readonly samples: number;
  readonly pairs: number;
  /** Means over samples, of the mean over a sample's epochs. NaN without samples. */
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  /** 95 %; absent when one sample alone, or none, tells nothing of the spread. */
  readonly interval?: Interval;
  /** Two-sided: how probable a difference as large as this is where there is none. */
  readonly p: number;
  readonly test: PairedTest;
  /** Where every pair is a pass or a fail, and each sample has one. */
  readonly table?: PairTable;
  readonly spread: Spread;
}

/** Variances of the differences: what differs from sample to sample, and what differs from epoch to epoch of one. */
export interface Spread {
  readonly between: number;
  /** Undefined when no sample has two epochs: then `between` holds both. */
  readonly within: number | undefined;
  /** How many epochs a sample has; the harmonic mean where they differ. */
  readonly epochs: number;
}

/** Beyond so many samples that differ, Student's t and the permutation test give the same answer, and t is quicker. */
export const SIGN_FLIP_MAX = 500;
const LEVEL = 0.95;

/**
 * The difference of two sides, after minus before, and how sure it is.
 *
 * The unit is the sample. Epochs of one sample are alike, so they are averaged first and never counted as samples of their own:
 * that is the cluster-robust test for clusters of one size, stays right when sizes differ, and its small-sample theory is exact.
 *
 * Which test: McNemar's for pass and fail with one epoch; else Fisher's permutation of signs up to 500 samples that differ, and
 * Student's t beyond. Swapping the sides gives the same answer with the other sign, to the last bit.
 */
export function pairedDifference(samples: readonly SamplePairs[]): PairedDifference {
  const paired = samples.filter((pairs) => pairs.length > 0);
  const differences = paired.map((pairs) => meanOf(pairs, ([before, after]) => after - before));
  const table = tableOf(paired);
  const interval = intervalOf(differences, table);
  const isNone = paired.length === 0;
  return {
    samples: paired.length,
    pairs: paired.reduce((total, pairs) => total + pairs.length, 0),
    before: isNone ? Number.NaN : mean(paired.map((pairs) => meanOf(pairs, ([before]) => before))),
    after: isNone ? Number.NaN : mean(paired.map((pairs) => meanOf(pairs, ([, after]) => after))),
    difference: table ? (table.gained - table.lost) / paired.length : isNone ? Number.NaN : mean(differences),
    ...(interval && { interval }),
    ...testOf(differences, table),
    ...(table && { table }),
    spread: spreadOf(paired, differences),
  };
}

/** Most samples have one epoch, for which nothing need be added up. */
function meanOf(pairs: SamplePairs, pick: (pair: Pair) => number): number {
  const [first] = pairs;
  return first && pairs.length === 1 ? pick(first) : mean(pairs.map(pick));
}

function isPassOrFail(value: number): boolean {
  return value === 0 || value === 1;
}

function tableOf(samples: readonly SamplePairs[]): PairTable | undefined {
  if (samples.length === 0) return undefined;
  const table = { bothPass: 0, bothFail: 0, gained: 0, lost: 0 };
  for (const pairs of samples) {
    const [first] = pairs;
    if (!first || pairs.length > 1) return undefined;
    const [before, after] = first;
    if (!isPassOrFail(before) || !isPassOrFail(after)) return undefined;
    if (before === after) table[before === 1 ? 'bothPass' : 'bothFail']++;
    else table[after === 1 ? 'gained' : 'lost']++;
  }
  return table;
}

function intervalOf(differences: readonly number[], table: PairTable | undefined): Interval | undefined {
  if (differences.length < 2) return undefined;
  return table ? newcombeInterval(table, LEVEL) : tInterval({ values: differences, level: LEVEL });
}

function testOf(
  differences: readonly number[],
  table: PairTable | undefined,
): Pick<PairedDifference, 'p' | 'test'> {
  if (differences.length === 0) return { p: 1, test: 'none' };
  if (table) {
    const { p, method } = mcnemar(table);
    return { p, test: `mcnemar-${method}` };
  }
  const differing = differences.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
  if (differing <= SIGN_FLIP_MAX) {
    const { p, method } = signFlipTest(differences);
    return { p, test: `sign-flip-${method}` };
  }
  return { p: tTwoSided(mean(differences) / standardError(differences), differences.length - 1), test: 't' };
}

/** Split as an analysis of variance splits it; a part that comes out below 0 is 0. */
function spreadOf(samples: readonly SamplePairs[], differences: readonly number[]): Spread {
  const repeated = samples.filter((pairs) => pairs.length > 1);
  const whole = variance(differences);
  const inverse = samples.length === 0 ? 1 : mean(samples.map((pairs) => 1 / pairs.length));
  if (repeated.length === 0) return { between: whole, within: undefined, epochs: 1 / inverse };
  let [squares, freedom] = [0, 0];
  for (const pairs of repeated) {
    squares += variance(pairs.map(([before, after]) => after - before)) * (pairs.length - 1);
    freedom += pairs.length - 1;
  }
  const within = squares / freedom;
  return { between: Math.max(0, whole - within * inverse), within, epochs: 1 / inverse };
}
