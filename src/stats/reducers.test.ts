import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../base/index.ts';
import { type Reducer, readReducer } from './reducers.ts';

function reducer(name: string): Reducer {
  const found = readReducer(name);
  if (found === undefined) throw new Error(`no reducer ${name}`);
  return found;
}

function reduce(name: string, values: readonly Json[]): Json {
  return reducer(name).reduce(values.map((value) => ({ value }))).score.value;
}

const table: readonly (readonly [string, readonly Json[], Json])[] = [
  ['mean', ['C', 'I', 'P'], 0.5],
  ['mean', [1, Number.NaN, 0], 0.5],
  ['median', [1, 5, 2], 2],
  ['median', [1, 5, 2, 4], 3],
  ['mode', ['C', 'I', 'C'], 'C'],
  ['mode', ['I', 'C'], 'I'],
  ['mode', [true, 0, 1], true],
  ['mode', [Number.NaN, 'P', Number.NaN], 'P'],
  ['max', ['I', 'C', 'P'], 'C'],
  ['max', [0.2, Number.NaN, 0.1], 0.2],
  ['collect', ['C', Number.NaN, 0.5], ['C', 0.5]],
  ['at_least_2', ['C', 'I', 'C'], 1],
  ['at_least_3', ['C', 'I', 'C'], 0],
  ['at_least_1', [0.99, 0.5], 0],
  // 5 tries, 2 correct: 1 − C(3,2)/C(5,2) = 1 − 3/10; all of 2: C(2,2)/C(5,2) = 1/10.
  ['pass_at_2', ['C', 'C', 'I', 'I', 'I'], 0.7],
  ['pass_k_2', ['C', 'C', 'I', 'I', 'I'], 0.1],
  ['pass_at_4', ['C', 'C', 'I', 'I', 'I'], 1],
  ['pass_at_3', ['C', Number.NaN, 'C'], Number.NaN],
  ['pass_k_3', ['C', Number.NaN, 'C'], Number.NaN],
  [
    'mean',
    [
      { a: 1, b: 'C' },
      { a: 0, b: 'I' },
    ],
    { a: 0.5, b: 0.5 },
  ],
  ['mean', [{ a: Number.NaN }, { a: Number.NaN }], { a: Number.NaN }],
  ['mean', [Number.NaN, { a: 1 }], { a: 1 }],
  [
    'mean',
    [
      [1, 0],
      [0, 0],
    ],
    [0.5, 0],
  ],
  [
    'max',
    [
      [1, 'I'],
      [0, 'C'],
    ],
    [1, 'C'],
  ],
  ['mode', [{ a: 'C' }, { a: 'C' }, { a: 'I' }], { a: 'C' }],
];

describe('reducers', () => {
  test.each(table)('%s of %j is %j', (name, values, expected) => {
    const result = reduce(name, values);
    if (typeof expected === 'number' && !Number.isNaN(expected)) expect(result).toBeCloseTo(expected, 12);
    else expect(result).toEqual(expected);
  });

  test.each(['mean', 'median', 'mode', 'max', 'collect', 'at_least_1', 'pass_at_1', 'pass_k_1'])(
    '%s of nothing but NaN is NaN',
    (name) => expect(reduce(name, [Number.NaN, null])).toBeNaN(),
  );

  test.each(['average', 'pass_at', 'pass_at_0', 'at_least_x', 'mean_2', 'pass_3'])(
    'there is no reducer %s',
    (name) => {
      expect(readReducer(name)).toBeUndefined();
    },
  );

  test('scores of different shapes are NaN, and it is said why', () => {
    const mixed = reducer('mean').reduce([{ value: { a: 1 } }, { value: 1 }]);
    expect(mixed.score.value).toBeNaN();
    expect(mixed.problem).toContain('record');
    expect(reducer('mean').reduce([{ value: { a: 1 } }, { value: { b: 1 } }]).problem).toContain('keys');
    expect(reducer('mean').reduce([{ value: [1] }, { value: [1, 2] }]).problem).toContain('lengths');
  });

  test('answer and explanation stay where all agree; metadata is that of the first', () => {
    const { score } = reducer('mean').reduce([
      { value: 1, answer: 'Paris', explanation: 'because', metadata: { n: 1 } },
      { value: 0, answer: 'Paris', explanation: 'other', metadata: { n: 2 } },
    ]);
    expect(score).toEqual({ value: 0.5, answer: 'Paris', metadata: { n: 1 } });
  });
});

/** All ways to draw k of n, by brute force. */
function draws(n: number, k: number): number[][] {
  if (k === 0) return [[]];
  const result: number[][] = [];
  for (let last = k - 1; last < n; last++)
    for (const rest of draws(last, k - 1)) result.push([...rest, last]);
  return result;
}

test('pass_at and pass_k are what counting all draws gives', () => {
  const outcomes = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(outcomes, fc.integer({ min: 1, max: 8 }), (correct, k) => {
      if (k > correct.length) return;
      const all = draws(correct.length, k);
      const some = all.filter((draw) => draw.some((index) => correct[index])).length / all.length;
      const every = all.filter((draw) => draw.every((index) => correct[index])).length / all.length;
      expect(reduce(`pass_at_${k}`, correct)).toBeCloseTo(some, 10);
      expect(reduce(`pass_k_${k}`, correct)).toBeCloseTo(every, 10);
    }),
  );
});

test('mean, median, max and at_least are what sorting and counting give, and order does not matter', () => {
  const values = fc.array(fc.constantFrom<Json>('C', 'P', 'I', 'N', 1, 0, true, 0.25, Number.NaN), {
    minLength: 1,
  });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 4 }), (list, k) => {
      const floats = list
        .filter((value) => !Number.isNaN(value))
        .map((value) => ({ C: 1, P: 0.5, I: 0, N: 0 })[String(value)] ?? Number(value))
        .sort((a, b) => a - b);
      const backwards = [...list].reverse();
      if (floats.length === 0) return;
      const n = floats.length;
      const middle = ((floats[Math.floor((n - 1) / 2)] ?? 0) + (floats[Math.ceil((n - 1) / 2)] ?? 0)) / 2;
      expect(reduce('mean', list)).toBeCloseTo(floats.reduce((a, b) => a + b) / n, 12);
      expect(reduce('mean', backwards)).toBe(reduce('mean', list));
      expect(reduce('median', list)).toBeCloseTo(middle, 12);
      expect(reduce(`at_least_${k}`, list)).toBe(floats.filter((float) => float >= 1).length >= k ? 1 : 0);
      const top = reduce('max', list);
      expect({ C: 1, P: 0.5, I: 0, N: 0 }[String(top)] ?? Number(top)).toBe(floats.at(-1));
    }),
  );
});
