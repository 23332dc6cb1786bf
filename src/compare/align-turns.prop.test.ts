import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AlignedTurn, alignTurns, firstDivergence, type TurnKeys } from './align-turns.ts';

const turn: fc.Arbitrary<TurnKeys> = fc
  .record({ action: fc.constantFrom('ls', 'cat', 'run', 'say'), result: fc.integer({ min: 0, max: 3 }) })
  .map(({ action, result }) => ({ action, whole: `${action} ${result}` }));
const turns = fc.array(turn, { maxLength: 40 });

/** Sides as runs have them: the same for a while, then something else, then perhaps the same again. */
const related = fc.tuple(turns, turns, turns, turns).map(
  ([start, one, other, end]) =>
    [
      [...start, ...one, ...end],
      [...start, ...other, ...end],
    ] as const,
);
const sides = fc.oneof(related, fc.tuple(turns, turns));

const placesOf = (rows: readonly AlignedTurn[], side: 'a' | 'b') => rows.flatMap((row) => row[side] ?? []);
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

test('every turn of both sides is in one row, in its order', () => {
  fc.assert(
    fc.property(sides, ([a, b]) => {
      const rows = alignTurns(a, b);
      expect(placesOf(rows, 'a')).toEqual(numbers(a.length));
      expect(placesOf(rows, 'b')).toEqual(numbers(b.length));
    }),
  );
});

test('rows that are the same are, and those that changed are not', () => {
  fc.assert(
    fc.property(sides, ([a, b]) => {
      for (const row of alignTurns(a, b)) {
        if (row.a === undefined || row.b === undefined) continue;
        expect(a[row.a]?.whole === b[row.b]?.whole || row.is === 'changed').toBe(true);
        if (row.is === 'same') expect(a[row.a]?.whole).toBe(b[row.b]?.whole);
      }
    }),
  );
});

test('a transcript beside itself is the same from beginning to end', () => {
  fc.assert(
    fc.property(turns, (a) => {
      const rows = alignTurns(a, a);
      expect(rows.every(({ is }) => is === 'same')).toBe(true);
      expect(firstDivergence(rows)).toBeUndefined();
    }),
  );
});

test('the first divergence is where the two are first not the same', () => {
  fc.assert(
    fc.property(sides, ([a, b]) => {
      let common = 0;
      while (common < Math.min(a.length, b.length) && a[common]?.whole === b[common]?.whole) common++;
      const isSame = common === a.length && common === b.length;
      expect(firstDivergence(alignTurns(a, b))).toBe(isSame ? undefined : common);
    }),
  );
});

test('swapping the sides swaps what only one has, and keeps what is the same', () => {
  fc.assert(
    fc.property(sides, ([a, b]) => {
      const count = (rows: readonly AlignedTurn[], is: AlignedTurn['is']) =>
        rows.filter((row) => row.is === is).length;
      const [there, back] = [alignTurns(a, b), alignTurns(b, a)];
      expect(count(back, 'same')).toBe(count(there, 'same'));
      expect(a.length - count(there, 'only a')).toBe(b.length - count(there, 'only b'));
    }),
  );
});

const keysOf = (texts: readonly string[]): readonly TurnKeys[] =>
  texts.map((text) => ({ whole: text, action: text.replace(/ .*$/, '') }));
const shown = (a: readonly string[], b: readonly string[]) =>
  alignTurns(keysOf(a), keysOf(b)).map(({ is, a: one, b: other }) => [is, one, other]);

test('between turns that are the same, those in which the same was done stand beside each other', () => {
  expect(shown(['ls', 'run 1', 'say'], ['ls', 'cat x', 'run 2', 'say'])).toEqual([
    ['same', 0, 0],
    ['only b', undefined, 1],
    ['changed', 1, 2],
    ['same', 2, 3],
  ]);
  expect(shown(['a', 'x'], ['a', 'y', 'z'])).toEqual([
    ['same', 0, 0],
    ['changed', 1, 1],
    ['only b', undefined, 2],
  ]);
});

test('thousands of turns are aligned in no time, by what either side has once', () => {
  const a = Array.from({ length: 5_000 }, (_, at) => `turn ${at % 7 === 0 ? 'again' : at}`);
  const b = a.flatMap((text, at) => (at === 10 ? ['new', text] : at === 4_000 ? [] : [text]));
  const begun = performance.now();
  const rows = alignTurns(keysOf(a), keysOf(b));
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(rows.filter(({ is }) => is !== 'same').length).toBe(2);
  expect(firstDivergence(rows)).toBe(10);
});

test('thousands of turns that come in another order are all there, each once', () => {
  const a = Array.from({ length: 1_200 }, (_, at) => `turn ${at}`);
  const b = [...a.slice(600), ...a.slice(0, 600).reverse()];
  const rows = alignTurns(keysOf(a), keysOf(b));
  expect(placesOf(rows, 'a')).toEqual(numbers(a.length));
  expect(placesOf(rows, 'b')).toEqual(numbers(b.length));
  expect(rows.filter(({ is }) => is === 'same').length).toBe(600);
});
