import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holmAdjusted } from './holm.ts';
import { type Pair, pairedDifference, type SamplePairs } from './paired-difference.ts';

const score = fc.oneof(fc.constantFrom(0, 1, 0.5), fc.double({ min: -1e3, max: 1e3, noNaN: true }));
const numbers = fc.array(fc.array(fc.tuple(score, score), { minLength: 1, maxLength: 4 }), { maxLength: 40 });
const passOrFail = fc.constantFrom(0, 1);
const passFails = fc.array(
  fc.tuple(passOrFail, passOrFail).map((pair) => [pair]),
  { maxLength: 60 },
);
const samples: fc.Arbitrary<readonly SamplePairs[]> = fc.oneof(numbers, passFails);

const swapped = (all: readonly SamplePairs[]) =>
  all.map((pairs) => pairs.map(([before, after]): Pair => [after, before]));
/** −0 and 0 are one number here. */
const negated = (value: number) => 0 - value;

test('swapping the sides flips the sign exactly, and changes nothing else', () => {
  fc.assert(
    fc.property(samples, (all) => {
      const there = pairedDifference(all);
      const back = pairedDifference(swapped(all));
      expect(back.p).toBe(there.p);
      expect(back.test).toBe(there.test);
      expect([back.before, back.after]).toEqual([there.after, there.before]);
      expect(negated(back.difference)).toEqual(there.difference + 0);
      expect(back.interval && [negated(back.interval.upper), negated(back.interval.lower)]).toEqual(
        there.interval && [there.interval.lower + 0, there.interval.upper + 0],
      );
      expect(back.spread).toEqual(there.spread);
    }),
    { numRuns: 500 },
  );
});

test('an interval contains its estimate, and a probability is one', () => {
  fc.assert(
    fc.property(samples, (all) => {
      const { difference, interval, p, spread } = pairedDifference(all);
      expect(p).toBeGreaterThanOrEqual(0);
      expect(p).toBeLessThanOrEqual(1);
      if (interval) {
        expect(interval.lower).toBeLessThanOrEqual(difference);
        expect(interval.upper).toBeGreaterThanOrEqual(difference);
      }
      expect(spread.between).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 500 },
  );
});

test('the order of the samples decides neither the test nor its answer', () => {
  fc.assert(
    fc.property(samples, (all) => {
      const [there, back] = [pairedDifference(all), pairedDifference(all.toReversed())];
      expect(back.p).toBeCloseTo(there.p, 9);
      expect(back.test).toBe(there.test);
    }),
  );
});

test('Holm never makes a probability smaller, and keeps their order', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(share, { maxLength: 12 }), (all) => {
      const adjusted = holmAdjusted(all);
      for (const [index, value] of adjusted.entries()) {
        expect(value).toBeGreaterThanOrEqual(all[index] ?? 0);
        expect(value).toBeLessThanOrEqual(1);
        for (const [other, beside] of adjusted.entries())
          if ((all[index] ?? 0) < (all[other] ?? 0)) expect(value).toBeLessThanOrEqual(beside);
      }
    }),
  );
});
