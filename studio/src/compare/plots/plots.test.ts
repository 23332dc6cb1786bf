import { describe, expect, test } from 'vitest';
import type { ComparedCell, ComparedSample } from '../../../../src/server/api.ts';
import { chooseCompared } from '../../../../src/views/index.ts';
import { binPairs } from './bins.ts';
import { ecdfsOf, quantile, roundTicks, spreadTitle } from './ecdf.ts';
import { type CostPoint, frontierOf, isWide } from './frontier.ts';
import { domainOf, nearQuery, pairsOf, slopesOf } from './pairs.ts';

const cell = (given: Partial<ComparedCell>): ComparedCell => ({
  outcome: 'number',
  epochs: 1,
  usd: null,
  ...given,
});
const sample = (...cells: readonly ComparedCell[]): ComparedSample => ({
  id: 's',
  input: '',
  cells: [...cells],
  is: 'same',
});
const pair = (before: number, after: number) => sample(cell({ number: before }), cell({ number: after }));

describe('pairs', () => {
  test('are samples with a score on both sides; k of n is one', () => {
    const samples = [
      pair(0, 1),
      sample(cell({ passed: 1, epochs: 2 }), cell({ number: 1 })),
      sample(cell({ outcome: 'error' }), cell({ number: 1 })),
      sample(cell({ number: Number.NaN }), cell({ number: 1 })),
    ];
    expect(pairsOf(samples, 1)).toEqual([
      { before: 0, after: 1 },
      { before: 0.5, after: 1 },
    ]);
  });

  test('rates have the whole from 0 to 1; other numbers what they reach', () => {
    expect(domainOf([])).toEqual([0, 1]);
    expect(domainOf([{ before: 0.4, after: 0.6 }])).toEqual([0, 1]);
    expect(domainOf([{ before: -3, after: 12 }])).toEqual([-3, 12]);
    expect(domainOf([{ before: 7, after: 7 }])).toEqual([6, 8]);
  });

  test('that go the same way are one line, what changed is drawn last', () => {
    const pairs = pairsOf([pair(1, 1), pair(1, 0), pair(1, 1), pair(0, 1 / 3)], 1);
    expect(slopesOf(pairs, 1)).toEqual([
      { before: 1, after: 1, count: 2, query: 'a:1 b:1' },
      { before: 1, after: 0, count: 1, query: 'a:1 b:0' },
      { before: 0, after: 1 / 3, count: 1, query: 'a:0 b>=0.333 b<=0.334' },
    ]);
  });

  test('a filter for a score finds it again', () => {
    for (const value of [0, 1, 1 / 3, 0.25, -2.5, 1234.5678]) {
      const samples = [pair(0, value), pair(0, value + 0.5)];
      const { chosen, wrong } = chooseCompared(samples, { q: nearQuery(1, value), sort: '' });
      expect([wrong, chosen.includes(samples[0] ?? pair(0, 0)), chosen.length === 2]).toEqual([
        undefined,
        true,
        false,
      ]);
    }
  });
});

describe('squares of A against B', () => {
  test('count every pair once, the greatest score in the last square', () => {
    const samples = [pair(1, 1), pair(1, 0), pair(0.05, 0.95), pair(0.5, 0.5), pair(0, 0)];
    const { bins, most, size } = binPairs(pairsOf(samples, 1), 1);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(5);
    expect([size, most]).toEqual([10, 1]);
    expect(bins.map(({ column, row }) => [column, row])).toEqual([
      [9, 9],
      [9, 0],
      [0, 9],
      [5, 5],
      [0, 0],
    ]);
  });

  test('the filter of a square leaves exactly its samples', () => {
    const samples = Array.from({ length: 200 }, (_, at) => pair((at % 21) / 20, ((at * 7) % 21) / 20));
    for (const { query, count } of binPairs(pairsOf(samples, 1), 1).bins)
      expect(chooseCompared(samples, { q: query, sort: '' }).chosen).toHaveLength(count);
  });
});

describe('the spread of a measure', () => {
  test('goes up to 1 for each run that has it, and a run without it has no line', () => {
    const samples = Array.from({ length: 1_000 }, (_, at) =>
      sample(cell({ durationMs: at + 1 }), cell({ usd: 1 })),
    );
    const [line, ...others] = ecdfsOf(samples, 2, 'time');
    expect(others).toEqual([]);
    expect([line?.run, line?.count, line?.median, line?.steps.at(-1)]).toEqual([0, 1_000, 501, [1_000, 1]]);
    expect(line?.steps.length).toBeLessThan(260);
    expect(line && quantile(line, 1)).toBe(1_000);
    expect(ecdfsOf(samples, 2, 'cost').map(({ run }) => run)).toEqual([1]);
  });
});

describe('cost against score', () => {
  const point = (run: number, usd: number, score: number): CostPoint => ({
    run,
    name: `r${run}`,
    usd,
    score,
  });

  test('at the frontier is what no cheaper run beats', () => {
    const points = [
      point(0, 3, 0.9),
      point(1, 1, 0.5),
      point(2, 2, 0.4),
      point(3, 4, 0.95),
      point(4, 3, 0.8),
    ];
    expect(frontierOf(points).map(({ run }) => run)).toEqual([1, 0, 3]);
    expect(frontierOf([])).toEqual([]);
  });

  test('costs that are far apart are shown by powers, but never with a nought among them', () => {
    expect(isWide([point(0, 0.01, 1), point(1, 1, 1)])).toBe(true);
    expect(isWide([point(0, 0.5, 1), point(1, 1, 1)])).toBe(false);
    expect(isWide([point(0, 0, 1), point(1, 1, 1), point(2, 100, 1)])).toBe(false);
  });
});

test('the spread has a short title and round ticks', () => {
  const line = (run: number, median: number) => ({ run, median, count: 1, steps: [] });
  const text = (value: number) => `${value} s`;
  expect(spreadTitle([line(0, 3), line(1, 2)], 'Time', text)).toBe('Time, median: B 2 s and A 3 s');
  expect(spreadTitle([line(0, 3), line(1, 2), line(2, 9)], 'Time', text)).toBe(
    'Time, median: B 2 s to C 9 s',
  );
  expect(spreadTitle([line(0, 3), line(1, 3)], 'Time', text)).toBe('Time, median: 3 s in every run');
  expect(spreadTitle([], 'Time', text)).toBe('Time is not known');
  expect(roundTicks(12, 'turns')).toEqual([0, 1, 2, 5, 10]);
  expect(roundTicks(47_300, 'time').slice(-5)).toEqual([2_000, 5_000, 10_000, 20_000, 30_000]);
});
