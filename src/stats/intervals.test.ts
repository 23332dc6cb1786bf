import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tQuantile } from './distributions.ts';
import { bootstrapInterval, bootstrapStandardError, tInterval, wilsonInterval } from './intervals.ts';
import { clusteredStandardError, mean, median, quantile, standardError, sum, variance } from './moments.ts';

const floats = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 40 });

describe('moments', () => {
  test('worked by hand: 0, 1, …, 9', () => {
    const values = Array.from({ length: 10 }, (_, index) => index);
    expect(mean(values)).toBe(4.5);
    expect(variance(values)).toBeCloseTo(82.5 / 9, 12);
    expect(standardError(values)).toBeCloseTo(Math.sqrt(82.5 / 9 / 10), 12);
    expect(median(values)).toBe(4.5);
  });

  test('worked by hand: 0 to 19 in four clusters', () => {
    // Cluster sums of deviations from 9.5 are −7.5, −2.5, 2.5, 7.5; √(125 · 4/3) / 20 = 0.6455.
    const clusters = [0, 1, 2, 3].map((start) => [0, 4, 8, 12, 16].map((step) => start + step));
    expect(clusteredStandardError(clusters)).toBeCloseTo(Math.sqrt((125 * 4) / 3) / 20, 12);
  });

  test('fewer than two values or clusters have no spread', () => {
    expect(variance([4])).toBe(0);
    expect(standardError([])).toBe(0);
    expect(clusteredStandardError([[1, 0, 1]])).toBe(0);
    expect(mean([])).toBe(0);
  });

  test('variance and stderr follow their formulas', () => {
    fc.assert(
      fc.property(floats, (values) => {
        const n = values.length;
        const centre = values.reduce((a, b) => a + b) / n;
        const direct = values.reduce((total, value) => total + (value - centre) ** 2, 0) / (n - 1);
        expect(Math.abs(variance(values) - direct)).toBeLessThanOrEqual(1e-9 * (1 + direct));
        expect(standardError(values)).toBeCloseTo(Math.sqrt(variance(values) / n), 9);
      }),
    );
  });

  test('with every value its own cluster, the clustered error is the plain one', () => {
    fc.assert(
      fc.property(floats, (values) => {
        expect(clusteredStandardError(values.map((value) => [value]))).toBeCloseTo(standardError(values), 8);
      }),
    );
  });

  test('a sum loses nothing to cancellation', () => {
    expect(sum([1e16, 1, -1e16])).toBe(1);
    expect(sum(Array.from({ length: 10 }, () => 0.1))).toBe(1);
  });

  test('quantiles interpolate between neighbours', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([1, 2, 3, 4, 5], 0.1)).toBeCloseTo(1.4, 12);
  });
});

describe('intervals', () => {
  test('the t interval is mean ± t · stderr', () => {
    fc.assert(
      fc.property(floats, fc.constantFrom(0.8, 0.95, 0.99), (values, level) => {
        const { lower, upper } = tInterval({ values, level });
        const reach = tQuantile(1 - (1 - level) / 2, values.length - 1) * standardError(values);
        expect(upper - lower).toBeCloseTo(2 * reach, 8);
        expect((upper + lower) / 2).toBeCloseTo(mean(values), 8);
      }),
    );
  });

  test('worked by hand: six values in three clusters have two degrees of freedom', () => {
    const clusters = [
      [1, 0],
      [1, 1],
      [0, 0],
    ];
    // The mean is 0.5; sums of deviations are 0, 1, −1; √(2 · 3/2) / 6 = 0.288675, times t(0.975; 2) = 4.302653.
    const { lower, upper } = tInterval({ values: clusters.flat(), clusters, level: 0.95 });
    expect(lower).toBeCloseTo(0.5 - 1.242069, 5);
    expect(upper).toBeCloseTo(0.5 + 1.242069, 5);
  });

  test('one value alone is its own interval', () => {
    expect(tInterval({ values: [0.4], level: 0.95 })).toEqual({ lower: 0.4, upper: 0.4 });
    const lone = { values: [0.4], level: 0.95, resamples: 10, seed: 1 };
    expect(bootstrapInterval(lone)).toEqual({ lower: 0.4, upper: 0.4 });
  });

  test('the bootstrap depends on its seed alone', () => {
    fc.assert(
      fc.property(floats, fc.nat(), (values, seed) => {
        const input = { values, seed, resamples: 50, level: 0.9 };
        expect(bootstrapInterval(input)).toEqual(bootstrapInterval(input));
        expect(bootstrapStandardError(input)).toBe(bootstrapStandardError(input));
      }),
      { numRuns: 30 },
    );
  });

  test('the bootstrap comes close to the t interval and to stderr', () => {
    const values = Array.from({ length: 200 }, (_, index) => index % 2);
    const exact = tInterval({ values, level: 0.95 });
    const drawn = bootstrapInterval({ values, level: 0.95, resamples: 4_000, seed: 7 });
    expect(drawn.lower).toBeCloseTo(exact.lower, 1);
    expect(drawn.upper).toBeCloseTo(exact.upper, 1);
    expect(bootstrapStandardError({ values, resamples: 4_000, seed: 7 })).toBeCloseTo(
      standardError(values),
      2,
    );
  });

  test('a cluster bootstrap draws whole clusters', () => {
    const clusters = [
      [0, 0],
      [1, 1],
    ];
    const drawn = bootstrapInterval({
      values: clusters.flat(),
      clusters,
      level: 0.99,
      resamples: 200,
      seed: 3,
    });
    expect(drawn).toEqual({ lower: 0, upper: 1 });
  });

  test('Wilson worked by hand: 8 of 10, none and all of 10', () => {
    const some = wilsonInterval(8, 10);
    expect(some.lower).toBeCloseTo(0.4902, 4);
    expect(some.upper).toBeCloseTo(0.9433, 4);
    expect(wilsonInterval(0, 10).lower).toBe(0);
    expect(wilsonInterval(0, 10).upper).toBeCloseTo(0.2775, 4);
    expect(wilsonInterval(10, 10).upper).toBe(1);
    expect(wilsonInterval(0, 0)).toEqual({ lower: 0, upper: 1 });
  });

  test('Wilson stays within 0 and 1 and around the share', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(50), (successes, failures) => {
        const count = successes + failures;
        const { lower, upper } = wilsonInterval(successes, count);
        expect(lower).toBeGreaterThanOrEqual(0);
        expect(upper).toBeLessThanOrEqual(1);
        if (count > 0) {
          expect(lower).toBeLessThanOrEqual(successes / count);
          expect(upper).toBeGreaterThanOrEqual(successes / count);
        }
      }),
    );
  });
});
