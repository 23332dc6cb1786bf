import { expect, test } from 'vitest';
import type { RunRow } from '../../results/index.ts';
import { createStyle } from '../style.ts';
import { widthOf } from '../table.ts';
import { historyReport, spark } from './history-report.ts';

const rowAt = (day: number, value: number): RunRow => ({
  version: 1,
  run: `2026010${day}T000000000-0123456789`,
  revision: 1,
  eval: 'capitals',
  target: 'anthropic/claude-something-long',
  tags: [],
  status: 'success',
  samples: { total: 60, completed: 60, errored: 0 },
  scores: [
    { scorer: 'exact', name: 'exact', metric: 'accuracy', value, low: value - 0.1, high: value + 0.1 },
  ],
  tokens: { input: 0, output: 0, total: 0 },
  usd: 0.1234,
  start: `2026-01-0${day}T00:00:00Z`,
  end: `2026-01-0${day}T00:01:00Z`,
  durationMs: 60_000,
  code: { commit: 'a'.repeat(40), branch: 'a/branch/with/a/long/name', isDirty: true },
  by: { user: 'ada', host: 'here' },
  log: { name: 'x.eval', digest: 'd', sizeBytes: 1, documents: 1, isFanned: false },
});

test.each([80, 120])(
  'a history fits a terminal of %i columns, and leaves out what it cost first',
  (columns) => {
    const rows = [rowAt(3, 0.5), rowAt(2, 0.5), rowAt(1, 0.25)];
    const lines = historyReport(
      rows,
      { name: 'exact', metric: 'accuracy' },
      { columns, style: createStyle(false) },
    );
    const table = lines.slice(1).join('\n').split('\n');
    for (const line of table) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(table.join('\n').includes('$0.1234')).toBe(columns === 120);
    expect(table.at(-2)).toMatch(/aaaaaaaa\+ .*0\.500 .*\+0\.250/);
    expect(table.at(-3)).toMatch(/ =/);
  },
);

test('a spark shows shares by the whole range from 0 to 1, and other numbers by their own', () => {
  expect(spark([0, 0.5, 1])).toBe('▁▅█');
  expect(spark([0.7, 0.71])).toBe('▆▆');
  expect(spark([10, 20, 30])).toBe('▁▅█');
  expect(spark([5, 5])).toBe('▁▁');
});
