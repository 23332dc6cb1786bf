import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layOutPool } from './pool-positions.ts';

const whole = { gapsAfter: [], hasEarlierAttempts: false };

test('without a gap the rank of a row is its position', () => {
  expect(layOutPool({ ...whole, rows: [3, 7, 9], referred: 3 })).toEqual({
    rows: [3, 7, 9],
    missing: 0,
    isUncertain: false,
  });
});

test('rows that no event refers to yet stay at the end', () => {
  expect(layOutPool({ ...whole, rows: [3, 7, 9], referred: 2 }).rows).toEqual([3, 7, 9]);
});

test('behind a gap rows are placed by where the references end', () => {
  const layout = layOutPool({ rows: [1, 2, 9, 10], referred: 6, gapsAfter: [2], hasEarlierAttempts: false });
  expect(layout).toEqual({ rows: [1, 2, undefined, undefined, 9, 10], missing: 2, isUncertain: false });
});

test('a gap that held nothing of this pool moves nothing', () => {
  const layout = layOutPool({ rows: [1, 2, 9], referred: 3, gapsAfter: [2], hasEarlierAttempts: false });
  expect(layout.rows).toEqual([1, 2, 9]);
});

test('what lies between two gaps is left out rather than put in a wrong place', () => {
  const layout = layOutPool({ rows: [1, 5, 9], referred: 5, gapsAfter: [1, 5], hasEarlierAttempts: false });
  expect(layout.rows).toEqual([1, undefined, undefined, undefined, 9]);
});

test('rows that are missing in an unknown place are said, and nothing is moved', () => {
  expect(layOutPool({ ...whole, rows: [1, 2], referred: 4 })).toEqual({
    rows: [1, 2],
    missing: 2,
    isUncertain: true,
  });
});

test('an attempt begins its pool anew: rows of earlier ones stand before it and are left out', () => {
  const layout = layOutPool({ rows: [1, 2, 3, 4, 5], referred: 2, gapsAfter: [], hasEarlierAttempts: true });
  expect(layout.rows).toEqual([4, 5]);
});

test('law: whatever one lost segment held, every row that is left stands where it stood', () => {
  const pool = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(pool, fc.nat(), fc.nat(), (found, a, b) => {
      const rows = found.sort((x, y) => x - y);
      const [from, to] = [a % rows.length, b % rows.length].sort((x, y) => x - y) as [number, number];
      const left = rows.filter((_, at) => at < from || at >= to);
      const gap = from === 0 ? 0 : (rows[from - 1] as number);
      const layout = layOutPool({
        rows: left,
        referred: rows.length,
        gapsAfter: [gap],
        hasEarlierAttempts: false,
      });
      expect(layout.rows).toEqual(rows.map((row, at) => (at < from || at >= to ? row : undefined)));
      expect(layout.missing).toBe(to - from);
    }),
  );
});
