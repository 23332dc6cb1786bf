import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiffRow, diffTexts, linesOf, type TextDiff } from './diff-texts.ts';
import { countDiff, shownRows, slicedParts } from './diff-view.ts';

const OPTIONS = { deadlineMs: 5_000, nowMs: () => performance.now() };
const diff = (a: string, b: string) => diffTexts(a, b, OPTIONS);

/** Both texts again, from what the diff says of them. */
function restored({ rows }: TextDiff, a: string, b: string) {
  const [linesA, linesB] = [linesOf(a), linesOf(b)];
  const numbers = (side: 'a' | 'b') =>
    rows.flatMap((row) => {
      if (row.is === 'same') return Array.from({ length: row.count }, (_, at) => row[side] + at);
      const number = side in row ? Reflect.get(row, side) : undefined;
      return typeof number === 'number' ? [number] : [];
    });
  const isSame = rows.every(
    (row) =>
      row.is !== 'same' ||
      Array.from({ length: row.count }, (_, at) => linesA[row.a + at] === linesB[row.b + at]).every(Boolean),
  );
  return { a: numbers('a').map((at) => linesA[at]), b: numbers('b').map((at) => linesB[at]), isSame };
}

describe('a diff', () => {
  test('of lines, with the words that differ within those that were changed', () => {
    const { rows, isExact } = diff('one\nthe quick fox\nthree', 'one\nthe slow fox\nthree\nfour');
    expect(isExact).toBe(true);
    expect(rows).toEqual([
      { is: 'same', a: 0, b: 0, count: 1 },
      {
        is: 'changed',
        a: 1,
        b: 1,
        words: {
          a: [
            ['the ', false],
            ['quick', true],
            [' fox', false],
          ],
          b: [
            ['the ', false],
            ['slow', true],
            [' fox', false],
          ],
        },
      },
      { is: 'same', a: 2, b: 2, count: 1 },
      { is: 'added', b: 3 },
    ]);
    expect(countDiff(rows)).toEqual({ added: 1, removed: 0, changed: 1 });
  });

  test('of the same, and of nothing', () => {
    expect(diff('a\nb', 'a\nb').rows).toEqual([{ is: 'same', a: 0, b: 0, count: 2 }]);
    expect(diff('', '').rows).toEqual([]);
    expect(diff('', 'x').rows).toEqual([{ is: 'added', b: 0 }]);
  });

  test('whatever the texts are, no line of either is lost, moved or told twice', () => {
    const line = fc.constantFrom('', 'a', 'b', 'the same', 'the other', '<b>', ' a');
    const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(restored(diff(a, b), a, b)).toEqual({ a: linesOf(a), b: linesOf(b), isSame: true });
      }),
    );
  });

  test('whatever a line is, its words together are the line', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, b) => {
        for (const row of diff(`x${a.replaceAll('\n', ' ')}`, `y${b.replaceAll('\n', ' ')}`).rows) {
          if (row.is !== 'changed' || row.words === undefined) continue;
          expect(row.words.a.map(([part]) => part).join('')).toBe(`x${a.replaceAll('\n', ' ')}`);
          expect(row.words.b.map(([part]) => part).join('')).toBe(`y${b.replaceAll('\n', ' ')}`);
        }
      }),
    );
  });

  test('ends about when its time is over: lines are then paired in their order', () => {
    const texts = [7, 13].map((step) =>
      Array.from({ length: 40_000 }, (_, at) => `${(at * step) % 9_973} ${at % 3}`).join('\n'),
    );
    const start = performance.now();
    const [a = '', b = ''] = texts;
    const { rows, isExact } = diffTexts(a, b, { deadlineMs: 150, nowMs: () => performance.now() });
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(isExact).toBe(false);
    expect(restored({ rows, isExact }, a, b).a).toHaveLength(40_000);
  });
});

describe('what is shown of a diff', () => {
  const same = (count: number): DiffRow => ({ is: 'same', a: 0, b: 0, count });

  test('equal stretches are folded but for three lines beside a difference', () => {
    const rows: DiffRow[] = [
      { is: 'same', a: 0, b: 0, count: 20 },
      { is: 'removed', a: 20 },
      { is: 'same', a: 21, b: 20, count: 20 },
      { is: 'added', b: 40 },
    ];
    const shown = shownRows(rows, new Set());
    expect(shown.map(({ is }) => is).join(' ')).toBe(
      'fold same same same removed same same same fold same same same added',
    );
    expect(shown[0]).toEqual({ is: 'fold', a: 0, b: 0, count: 17 });
    expect(shown[8]).toEqual({ is: 'fold', a: 21, b: 20, count: 14 });
    expect(shownRows(rows, new Set([0])).filter(({ is }) => is === 'fold')).toHaveLength(1);
  });

  test('what is shorter than its fold is not folded', () => {
    expect(shownRows([same(1)], new Set())).toEqual([{ is: 'same', a: 0, b: 0 }]);
    expect(shownRows([], new Set())).toEqual([]);
  });

  test('a long line is laid out in pieces, with its marks', () => {
    const parts = [
      ['abc', false],
      ['def', true],
      ['ghi', false],
    ] as const;
    expect(slicedParts(parts, 0, 4)).toEqual([
      ['abc', false],
      ['d', true],
    ]);
    expect(slicedParts(parts, 4, 4)).toEqual([
      ['ef', true],
      ['gh', false],
    ]);
    expect(slicedParts(parts, 9, 4)).toEqual([]);
  });
});
