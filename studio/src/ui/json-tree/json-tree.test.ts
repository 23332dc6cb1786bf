import { describe, expect, test } from 'vitest';
import { jsonRows, markOf, withMore, withToggled } from './json-rows.ts';

const CLOSED = { toggled: new Set<string>(), shown: new Map<string, number>() };

describe('a tree of JSON', () => {
  test('opens as deep as there are few lines', () => {
    expect(jsonRows({ a: { b: 1 } }, CLOSED).map(({ name }) => name)).toEqual([undefined, 'a', 'b']);
    const wide = { many: Array.from({ length: 60 }, (_, at) => at) };
    expect(jsonRows(wide, CLOSED).map(({ name, isOpen }) => [name, isOpen])).toEqual([
      [undefined, true],
      ['many', false],
    ]);
  });

  test('opens and closes where it is clicked', () => {
    const value = { a: [1, 2] };
    const closed = withToggled(CLOSED, '\na');
    expect(jsonRows(value, closed)).toHaveLength(2);
    expect(jsonRows(value, withToggled(closed, '\na'))).toHaveLength(4);
  });

  test('shows a hundred of many, and more when asked', () => {
    const value = Array.from({ length: 1_000 }, (_, at) => at);
    const rows = jsonRows(value, CLOSED, 1);
    expect(rows).toHaveLength(102);
    expect(rows.at(-1)?.more).toBe(900);
    expect(jsonRows(value, withMore(CLOSED, ''), 1)).toHaveLength(502);
  });

  test('no two lines have the same place', () => {
    const rows = jsonRows({ 'a\nb': 1, a: { b: 2 } }, CLOSED);
    expect(rows.map(({ path }) => path)).toHaveLength(4);
  });

  test('what the server marked is a leaf', () => {
    expect([markOf({ $cut: {} }), markOf({ $number: 'NaN' }), markOf({ a: 1 }), markOf([])]).toEqual([
      '$cut',
      '$number',
      undefined,
      undefined,
    ]);
    const rows = jsonRows({ a: { $cut: { head: 'x', length: 9, at: 'p' } } }, CLOSED);
    expect(rows.map(({ isOpen }) => isOpen)).toEqual([true, undefined]);
  });
});
