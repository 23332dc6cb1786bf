import { type Random, seededRandom } from '../base/index.ts';
import { normalQuantile, tQuantile } from './distributions.ts';
import { clusteredStandardError, mean, quantile, standardError, sum } from './moments.ts';

export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** Values, and optionally the same values by cluster: samples that share a source and so move together. */
export interface IntervalInput {
  readonly values: readonly number[];
  readonly clusters?: readonly (readonly number[])[];
  /** Confidence level, such as 0.95. */
  readonly level: number;
}

/** mean ± t · standard error, with n − 1 (or clusters − 1) degrees of freedom. One value alone gives a point. */
export function tInterval({ values, clusters, level }: IntervalInput): Interval {
  const centre = mean(values);
  if (values.length < 2) return { lower: centre, upper: centre };
  const error = clusters === undefined ? standardError(values) : clusteredStandardError(clusters);
  const freedom = clusters === undefined ? values.length - 1 : Math.max(clusters.length - 1, 1);
  const reach = tQuantile(1 - (1 - level) / 2, freedom) * error;
  return { lower: centre - reach, upper: centre + reach };
}

export interface BootstrapInput extends IntervalInput {
  readonly resamples: number;
  readonly seed: number;
}

/** Percentile bootstrap of the mean; whole clusters are drawn when there are clusters. The seed decides it all. */
export function bootstrapInterval({ level, ...input }: BootstrapInput): Interval {
  if (input.values.length < 2) return tInterval({ ...input, level });
  const means = bootstrapMeans(input);
  const tail = (1 - level) / 2;
  return { lower: quantile(means, tail), upper: quantile(means, 1 - tail) };
}

/** Standard deviation (÷ n) of the bootstrapped means. */
export function bootstrapStandardError(input: Omit<BootstrapInput, 'level' | 'clusters'>): number {
  const means = bootstrapMeans(input);
  const centre = mean(means);
  return Math.sqrt(mean(means.map((value) => (value - centre) ** 2)));
}

/** Wilson's interval for a share of successes: always within 0 and 1, and sensible for few samples. */
export function wilsonInterval(successes: number, count: number, level = 0.95): Interval {
  if (count === 0) return { lower: 0, upper: 1 };
  const z = normalQuantile(1 - (1 - level) / 2);
  const share = successes / count;
  const scale = 1 + (z * z) / count;
  const centre = (share + (z * z) / (2 * count)) / scale;
  const reach = (z / scale) * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count));
  return {
    lower: successes === 0 ? 0 : Math.max(0, centre - reach),
    upper: successes === count ? 1 : Math.min(1, centre + reach),
  };
}

function bootstrapMeans({ values, clusters, resamples, seed }: Omit<BootstrapInput, 'level'>): number[] {
  const random = seededRandom(seed);
  if (clusters === undefined) {
    return Array.from({ length: resamples }, () => resampledMean(values, random));
  }
  const totals = clusters.map((cluster) => ({ sum: sum(cluster), count: cluster.length }));
  return Array.from({ length: resamples }, () => {
    let total = 0;
    let count = 0;
    for (let drawn = 0; drawn < totals.length; drawn++) {
      const pick = totals[Math.floor(random.next() * totals.length)];
      total += pick?.sum ?? 0;
      count += pick?.count ?? 0;
    }
    return total / count;
  });
}

function resampledMean(values: readonly number[], random: Random): number {
  let total = 0;
  for (let drawn = 0; drawn < values.length; drawn++) {
    total += values[Math.floor(random.next() * values.length)] ?? 0;
  }
  return total / values.length;
}
