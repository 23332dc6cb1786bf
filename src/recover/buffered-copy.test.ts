import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventRow } from '../journal/index.ts';
import { collapseVersions, isFinal, isSameNumbering, mergeRows } from './buffered-copy.ts';

const rowsOf = (...ids: string[]): EventRow[] => ids.map((eventId, at) => ({ row: at + 1, eventId }));

describe('versions of one event', () => {
  test('the first gives the place, the last the content', () => {
    // a, b, a', c, b'  →  a', b', c
    expect(collapseVersions(rowsOf('a', 'b', 'a', 'c', 'b'))).toEqual([3, 5, 4]);
  });

  test('rows without an id are never taken for one event', () => {
    expect(collapseVersions(rowsOf('', '', 'a', ''))).toHaveLength(4);
  });
});

const rows = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 30 })
  .map((ids) => rowsOf(...ids));

test('law: every event is there once, in order of first appearance, with its last row', () => {
  fc.assert(
    fc.property(rows, (list) => {
      const lastRows = collapseVersions(list);
      const firsts = list.filter(
        ({ row, eventId }) =>
          eventId === '' || list.findIndex((other) => other.eventId === eventId) === row - 1,
      );
      expect(lastRows).toHaveLength(firsts.length);
      firsts.forEach(({ row, eventId }, at) => {
        const last = eventId === '' ? row : list.findLastIndex((other) => other.eventId === eventId) + 1;
        expect(lastRows[at]).toBe(last);
      });
    }),
  );
});

test('law: merging sources is a union by number: commutative, idempotent, and nothing is counted twice', () => {
  const subset = fc.array(fc.boolean(), { minLength: 30, maxLength: 30 });
  fc.assert(
    fc.property(rows, subset, subset, (list, inOne, inOther) => {
      const one = list.filter((_, at) => inOne[at]);
      const other = list.filter((_, at) => inOther[at]);
      const union = list.filter((_, at) => inOne[at] || inOther[at]);
      expect(mergeRows([one, other])).toEqual(union);
      expect(mergeRows([other, one])).toEqual(union);
      expect(mergeRows([union, union, one])).toEqual(union);
    }),
  );
});

test('sources number their rows alike when no row has two ids', () => {
  expect(isSameNumbering(rowsOf('a', 'b', 'c'), rowsOf('a', 'b'))).toBe(true);
  expect(isSameNumbering(rowsOf('a', 'b'), rowsOf('x', 'y'))).toBe(false);
  expect(isSameNumbering(rowsOf('a'), [{ row: 9, eventId: 'x' }])).toBe(false);
  expect(isSameNumbering([], rowsOf('a'))).toBe(true);
});

test('a row is final by its time, or, before times were written, by its word', () => {
  expect(isFinal({ completed_at: '2026-01-01' })).toBe(true);
  expect(isFinal({ completed: true })).toBe(true);
  expect(isFinal({ completed: false, completed_at: null })).toBe(false);
});
