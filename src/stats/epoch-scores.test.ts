import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../base/index.ts';
import { EpochScores } from './epoch-scores.ts';
import { tInterval, wilsonInterval } from './intervals.ts';

function scoresOf(values: Iterable<readonly [string, Json]>): EpochScores {
  const scores = new EpochScores();
  for (const [sample, value] of values) scores.add(sample, value);
  return scores;
}

/** As many samples, each with the same value at three epochs. */
function alike(count: number, passed: number): [string, Json][] {
  return [1, 2, 3].flatMap(() =>
    Array.from({ length: count }, (_, index): [string, Json] => [`s${index}`, index < passed ? 'C' : 'I']),
  );
}

test('three epochs that agree tell no more than one', () => {
  const interval = scoresOf(alike(42, 36)).interval();
  expect(interval).toEqual(wilsonInterval(36, 42));
  expect(interval?.lower).toBeCloseTo(0.7216, 3);
  expect(interval).not.toEqual(wilsonInterval(108, 126));
});

test('epochs that disagree are averaged within their sample: Wilson takes their mean, and as many as there are samples', () => {
  const all = alike(42, 36);
  // One epoch of one sample fails: 107 of 126, which is no surer than 36 of 42.
  const first = all.findIndex(([sample]) => sample === 's0');
  const scores = scoresOf(all.map(([sample, value], index) => [sample, index === first ? 'I' : value]));
  expect(scores.interval()?.lower).toBeCloseTo(0.7123, 4);
  expect(scores.interval()?.upper).toBeCloseTo(0.9276, 4);
});

test('of numbers Student takes the means of the samples', () => {
  const numbers = [
    ['a', 2],
    ['b', 4],
    ['a', 3],
    ['c', 7],
  ] as const;
  expect(scoresOf(numbers).interval()).toEqual(tInterval({ values: [2.5, 4, 7], level: 0.95 }));
});

test('the reducer of the log decides what a sample is', () => {
  const scores = scoresOf([
    ['a', 'C'],
    ['a', 'I'],
    ['b', 'I'],
    ['b', 'I'],
  ]);
  expect(scores.interval('max')).toEqual(wilsonInterval(1, 2));
  expect(scores.interval('at_least_2')).toEqual(wilsonInterval(0, 2));
  expect(scores.interval('inspect_ai/pass_at_1')).toEqual(scores.interval('mean'));
  expect(scores.interval('of_their_own')).toEqual(scores.interval('mean'));
});

test('what is not scored, records and lists have no interval', () => {
  expect(
    scoresOf([
      ['a', null],
      ['b', { x: 1 }],
      ['c', [1]],
      ['d', Number.NaN],
    ]).interval(),
  ).toBeUndefined();
  expect(new EpochScores().interval()).toBeUndefined();
});

const epochs = fc.array(
  fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.constantFrom<Json>('C', 'I', 'P', 0.25, true)),
  { minLength: 1, maxLength: 30 },
);

test('the order of samples and epochs does not matter', () => {
  const reducers = fc.constantFrom('mean', 'median', 'max', 'at_least_2', 'pass_at_2');
  const shuffled = epochs.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, reducers, ([all, other], reducer) => {
      const [one, two] = [scoresOf(all).interval(reducer), scoresOf(other).interval(reducer)];
      expect(two?.lower).toEqual(one && expect.closeTo(one.lower, 9));
      expect(two?.upper).toEqual(one && expect.closeTo(one.upper, 9));
    }),
  );
});

test('saying every epoch twice changes nothing', () => {
  fc.assert(
    fc.property(epochs, (all) => {
      const [once, twice] = [scoresOf(all).interval(), scoresOf([...all, ...all]).interval()];
      expect(twice?.lower).toEqual(once && expect.closeTo(once.lower, 9));
    }),
  );
});
