import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../base/index.ts';
import { tInterval, wilsonInterval } from './intervals.ts';
import { mean } from './moments.ts';
import { RunningScore } from './running-score.ts';

function running(values: readonly Json[]): RunningScore {
  const score = new RunningScore();
  for (const value of values) score.add(value);
  return score;
}

test('nothing scored yet has no mean and no interval', () => {
  expect(new RunningScore().soFar()).toEqual({ scored: 0, unscored: 0, mean: Number.NaN });
  expect(running([Number.NaN, { a: 1 }, null]).soFar()).toMatchObject({ scored: 0, unscored: 3 });
});

test('0/1 scores get the Wilson interval', () => {
  expect(running(['C', 'I', true, 0]).soFar()).toEqual({
    scored: 4,
    unscored: 0,
    mean: 0.5,
    interval: wilsonInterval(2, 4),
  });
});

test('other scores get the same mean and interval as computed at once', () => {
  const values = fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 3, maxLength: 50 });
  fc.assert(
    fc.property(values, (list) => {
      const floats = [0.5, ...list];
      const { mean: sofar, interval } = running(floats).soFar();
      const exact = tInterval({ values: floats, level: 0.95 });
      expect(sofar).toBeCloseTo(mean(floats), 8);
      expect(interval?.lower).toBeCloseTo(exact.lower, 6);
      expect(interval?.upper).toBeCloseTo(exact.upper, 6);
    }),
  );
});
