import { expect, test } from 'vitest';
import { fixtureFields, fixtureHeader } from '../../test/sim/log-fixture.ts';
import { type EvalSampleSummary, type ModelUsage, summarize } from '../log/index.ts';
import { countSamples, rowOf } from './make-row.ts';
import { ROW_BYTES_MAX, type RunRow, readRow, rowBytes } from './run-row.ts';

const score = (name: string) => ({ scorer: name, name, metric: 'accuracy', value: 0.5, low: 0.4, high: 0.6 });

const row = (more: Partial<RunRow> = {}): RunRow => ({
  version: 1,
  run: '20260101T000000000-0123456789',
  revision: 1,
  eval: 'capitals',
  target: 'mock/m',
  tags: [],
  status: 'success',
  samples: { total: 2, completed: 2, errored: 0, passed: 1 },
  passRate: 0.5,
  scores: [score('exact')],
  tokens: { input: 1, output: 2, total: 3 },
  usd: null,
  start: '2026-01-01T00:00:00Z',
  end: '2026-01-01T00:00:01Z',
  durationMs: 1_000,
  by: { user: 'ada', host: 'here' },
  log: { name: 'x.eval', digest: 'd'.repeat(64), sizeBytes: 1, documents: 1, isFanned: false },
  ...more,
});

test('[RES-6] a row that fits is written as it is, and read back', () => {
  expect(readRow(rowBytes(row()), { run: 'r' })).toEqual(row());
});

test('[RES-6] a row never has more bytes than it may, whatever is in it, and says that it was cut', () => {
  const many = Array.from({ length: 60 }, (_, n) => score(`scorer ${n} `.repeat(9)));
  for (const more of [
    { scores: many },
    { eval: 'é'.repeat(3_000) },
    { tags: Array.from({ length: 400 }, (_, n) => `tag ${n}`) },
    {
      target: '😀'.repeat(2_000),
      experiment: '日'.repeat(2_000),
      by: { user: 'u'.repeat(900), host: 'h'.repeat(900) },
    },
  ]) {
    const bytes = rowBytes(row(more));
    expect(bytes.length).toBeLessThanOrEqual(ROW_BYTES_MAX);
    const read = readRow(bytes, { run: 'r' });
    expect(read).toMatchObject({ isCut: true, run: row().run, log: { digest: row().log.digest } });
    expect(Buffer.from(bytes).toString('utf8')).not.toContain('\ufffd');
  }
});

test.each(['', '{', '[]', '{"version":2}', '{"version":1,"run":7}'])(
  '%j is no row, and the run is named',
  (text) => {
    expect(() => readRow(Buffer.from(text), { run: 'the-run' })).toThrow(/row of run the-run cannot be read/);
  },
);

async function rowWith(summaries: readonly EvalSampleSummary[], usage: Record<string, ModelUsage> = {}) {
  const header = fixtureHeader();
  const counts = await countSamples({ summaries: () => summariesOf(summaries) });
  return rowOf({ ...header, stats: { ...header.stats, model_usage: usage } }, counts);
}

async function* summariesOf(summaries: readonly EvalSampleSummary[]) {
  yield* summaries;
}

test('the pass rate is the share of what was completed, and never of what failed', async () => {
  const error = { message: 'boom', traceback: '', traceback_ansi: '' };
  const sample = (id: number, value: string, more = {}) =>
    summarize({ ...fixtureFields(id), scores: { exact: { value } }, ...more });
  const row = await rowWith([
    sample(1, 'C'),
    sample(2, 'I'),
    sample(3, 'C', { error }),
    summarize({ ...fixtureFields(4), scores: {}, error }),
  ]);
  expect(row.samples).toMatchObject({ completed: 2, errored: 2, passed: 1 });
  expect(row.passRate).toBe(0.5);
});

test('money is added up, and is unknown as soon as the price of anything is', async () => {
  const usage = (total: number, cost?: number): ModelUsage => ({
    input_tokens: total,
    output_tokens: 0,
    total_tokens: total,
    ...(cost === undefined ? {} : { total_cost: cost }),
  });
  const known = await rowWith([], { a: usage(1, 0.25), b: usage(2, 0.5) });
  expect(known).toMatchObject({ usd: 0.75, tokens: { total: 3 } });
  const unknown = await rowWith([], { a: usage(1, 0.25), b: usage(2) });
  expect(unknown).toMatchObject({ usd: null, tokens: { total: 3 } });
});
