import { expect, test } from 'vitest';
import type { Json } from '../base/index.ts';
import { isUnscored, toFloat } from './score-value.ts';

const known: readonly (readonly [Json, number])[] = [
  [1, 1],
  [0.25, 0.25],
  [true, 1],
  [false, 0],
  [2n ** 70n, 2 ** 70],
  ['C', 1],
  ['P', 0.5],
  ['I', 0],
  ['N', 0],
  ['yes', 1],
  ['TRUE', 1],
  ['No', 0],
  ['false', 0],
  ['0.5', 0.5],
  [' -3 ', -3],
  ['1e3', 1000],
  ['1_000', 1000],
];
test.each(known)('%s counts as %d', (value, float) => {
  expect(toFloat(value)).toEqual({ float, isGuess: false });
});

test.each([['c'], ['maybe'], [''], ['nan'], ['inf'], ['0x10'], [[1]], [{ a: 1 }], [null]] as [Json][])(
  '%j counts as 0, and is known to be a guess',
  (value) => {
    expect(toFloat(value)).toEqual({ float: 0, isGuess: true });
  },
);

test('NaN and null at the root mean unscored', () => {
  expect([Number.NaN, null, 0, 'I', { a: Number.NaN }].map(isUnscored)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
