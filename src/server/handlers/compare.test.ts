import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { damageMember } from '../../../test/sim/damage-member.ts';
import { type FixtureLog, fixtureFields } from '../../../test/sim/log-fixture.ts';
import { runOfDay, writeRun } from '../../../test/sim/results-repo.ts';
import { ask, type StudioOfLogs, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import type { Json } from '../../base/index.ts';
import type { SampleFields } from '../../log/index.ts';
import type { ComparedSamples, CompareView } from '../api.ts';
import { compare, comparedSamples } from './compare.ts';

const dir = useTempDir();
let days = 0;
beforeEach(() => {
  days = 0;
});

const sample = (id: string | number, value: Json, more: Partial<SampleFields> = {}) => ({
  fields: fixtureFields(id, { scores: { exact: { value } }, ...more }),
  events: [],
});
const samplesOf = (values: readonly Json[], more: Partial<SampleFields> = {}): FixtureLog => ({
  samples: values.map((value, index) => sample(`s${index}`, value, more)),
});
const errored = (id: string) =>
  sample(id, null, { scores: {}, error: { message: 'it broke', traceback: '', traceback_ansi: '' } });

async function runs(...logs: readonly FixtureLog[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const log of logs) {
    const run = runOfDay(++days);
    await writeRun(dir.path, run, log);
    ids.push(run);
  }
  return ids;
}

async function withStudio<T>(work: (studio: StudioOfLogs) => Promise<T>): Promise<T> {
  await using studio = await studioOfLogs({ logs: dir.path });
  return await work(studio);
}

const compared = (ids: readonly string[], more = {}): Promise<CompareView> =>
  withStudio((studio) => ask(studio, 'compare', compare, { query: { runs: ids.join(','), ...more } }));
const tableOf = (ids: readonly string[], more = {}): Promise<ComparedSamples> =>
  withStudio((studio) =>
    ask(studio, 'comparedSamples', comparedSamples, { query: { runs: ids.join(','), ...more } }),
  );

describe('the verdict', () => {
  test('comes first, in one sentence with the interval, the number of samples and the probability', async () => {
    const ids = await runs(samplesOf([...'IIIIIIC']), samplesOf([...'CCCCCCC']));
    const { others, scores, score, command } = await compared(ids);
    expect(others[0]).toMatchObject({
      verdict: 'better',
      said: expect.stringMatching(
        /^B is better on exact: \+0\.857 \[\+0\.\d{3}, \+0\.\d{3}\], paired, n = 7, p = \.031\.$/,
      ),
      flips: { bothPass: 1, onlyBefore: 0, onlyAfter: 6, bothFail: 0, other: 0 },
    });
    expect(others[0]?.figures[0]).toMatchObject({
      figure: 'exact',
      group: 'score',
      kind: 'pass/fail',
      betterWhen: 'higher',
      improved: 6,
      regressed: 0,
    });
    expect([scores, score]).toEqual([['exact'], 'exact']);
    expect(command).toBe(`holdfast compare ${ids.join(' ')} --source ${dir.path}`);
  });

  test('where it cannot be told, what would decide is said with what it costs', async () => {
    const usage = { m: { input_tokens: 5, output_tokens: 5, total_tokens: 10, total_cost: 0.5 } };
    const ids = await runs(
      samplesOf([...'IIIIICCC'], { model_usage: usage }),
      samplesOf([...'CCCCCCCC'], { model_usage: usage }),
    );
    const [other] = (await compared(ids)).others;
    expect(other).toMatchObject({
      verdict: 'cannot tell',
      said: expect.stringMatching(/^Cannot tell whether B is better or worse on exact: \+0\.625 /),
    });
    expect(other?.figures[0]?.wouldDecide).toContain('16 samples, about $8.00');
    expect(other?.figures.map(({ figure, group, betterWhen }) => [figure, group, betterWhen])).toEqual([
      ['exact', 'score', 'higher'],
      ['cost', 'spent', 'lower'],
      ['tokens', 'spent', 'lower'],
    ]);
  });

  test('runs that have nothing in common are compared as such, and every sample is counted', async () => {
    const ids = await runs(
      { samples: [sample('a', 'C'), sample('b', 'I')] },
      { samples: [sample('c', 'C')] },
    );
    const [other] = (await compared(ids)).others;
    expect(other).toMatchObject({
      verdict: 'cannot tell',
      said: 'Cannot tell whether B is better or worse than A: no sample that both have was scored.',
      flips: { bothPass: 0, onlyBefore: 0, onlyAfter: 0, bothFail: 0, notInAfter: 2, notInBefore: 1 },
    });
    expect(other?.warnings).toContain('the runs have no sample in common');
    const { samples, total, all } = await tableOf(ids);
    expect([total, all, samples.map(({ is }) => is)]).toEqual([
      3,
      3,
      ['only in some', 'only in some', 'only in some'],
    ]);
  });

  test('a run of errors is told by how many complete, and its samples are neither passed nor failed', async () => {
    const ids = await runs(samplesOf([...'CCCCCCC']), {
      samples: Array.from({ length: 7 }, (_, index) => errored(`s${index}`)),
    });
    const [other] = (await compared(ids)).others;
    expect(other).toMatchObject({
      verdict: 'worse',
      said: expect.stringContaining('B is worse on how many samples complete: −1.000'),
      flips: { bothPass: 0, onlyBefore: 0, other: 7 },
    });
    const { samples } = await tableOf(ids);
    expect(samples[0]).toMatchObject({ is: 'regressed', cells: [{ outcome: 'pass' }, { outcome: 'error' }] });
    expect(samples[0]?.difference).toBeUndefined();
  });

  test('what a run that was stopped did not finish is not scored, and nobody works on it any more', async () => {
    const stopped = sample('s0', null, {
      scores: {},
      metadata: { holdfast: { interrupted: true } },
      error: { message: 'stopped', traceback: '', traceback_ansi: '' },
    });
    const ids = await runs(samplesOf(['C']), { samples: [stopped] });
    expect((await tableOf(ids)).samples[0]?.cells[1]?.outcome).toBe('unscored');
  });

  test('NaN is not scored, on the page as everywhere', async () => {
    const ids = await runs(samplesOf([Number.NaN, 'C', 'C']), samplesOf(['C', Number.NaN, 'I']));
    const { samples } = await tableOf(ids);
    expect(samples.map(({ id, cells }) => [id, ...cells.map(({ outcome }) => outcome)])).toEqual([
      ['s2', 'pass', 'fail'],
      ['s0', 'unscored', 'pass'],
      ['s1', 'pass', 'unscored'],
    ]);
    const [other] = (await compared(ids)).others;
    expect(other?.figures[0]?.leftOut).toEqual({ errored: 0, unscored: 2 });
  });
});

describe('which runs', () => {
  test('one run, or seven, are refused: E_COMPARE_COUNT', async () => {
    const [one = ''] = await runs(samplesOf(['C']));
    await expect(compared([one])).rejects.toMatchObject({ code: 'E_COMPARE_COUNT' });
    await expect(compared(Array.from({ length: 7 }, () => one))).rejects.toMatchObject({
      code: 'E_COMPARE_COUNT',
    });
  });

  test('a score that no run has is refused: E_COMPARE_SCORER', async () => {
    const ids = await runs(samplesOf(['C']), samplesOf(['C']));
    await expect(compared(ids, { score: 'nope' })).rejects.toMatchObject({ code: 'E_COMPARE_SCORER' });
  });

  test('a damaged run among six is told as such, and hinders no other', async () => {
    const ids = await runs(...Array.from({ length: 5 }, () => samplesOf([...'CI'])));
    const damaged = runOfDay(6);
    const path = await writeRun(dir.path, damaged, samplesOf([...'CC']));
    // The rows of the samples are broken, while the header can be read.
    await damageMember(path, 'summaries.json');
    const all = [...ids.slice(0, 3), damaged, ...ids.slice(3)];
    const { others } = await compared(all);
    expect(others.map(({ said }) => said.includes('cannot be read'))).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
    expect(others[2]).toMatchObject({ figures: [], warnings: [expect.stringContaining('summaries.json')] });
    const { samples } = await tableOf(all);
    expect(samples.map(({ is }) => is)).toEqual(['same', 'same']);
    expect(samples[0]?.cells[3]).toEqual({ outcome: 'missing', epochs: 0, usd: null });
  });

  test('a run that is not there is named, and hinders no other; without any other it is an error', async () => {
    const ids = await runs(samplesOf([...'CI']), samplesOf([...'CC']));
    const gone = runOfDay(9);
    const { others } = await compared([ids[0] ?? '', gone, ids[1] ?? '']);
    expect(others.map(({ said }) => said)).toEqual(['B is not there.', expect.stringMatching(/\bC\b/)]);
    expect(others[0]).toMatchObject({ item: { run: gone }, warnings: [expect.stringContaining(gone)] });
    const { samples } = await tableOf([ids[0] ?? '', gone, ids[1] ?? '']);
    expect(samples[0]?.cells.map(({ outcome }) => outcome)).toEqual(['fail', 'missing', 'pass']);
    await expect(compared([ids[0] ?? '', gone])).rejects.toThrow(gone);
    await expect(compared([gone, ...ids])).rejects.toThrow(gone);
  });

  test('with a damaged base there is nothing to compare with, and its damage is told', async () => {
    const [base = '', other = ''] = await runs(samplesOf(['C']), samplesOf(['C']));
    const path = join(dir.path, `${base}.eval`);
    await damageMember(path, 'summaries.json');
    await expect(compared([base, other])).rejects.toMatchObject({ name: 'DamageError' });
  });

  test('the samples of a run are read once for all questions', async () => {
    const ids = await runs(samplesOf([...'CI']), samplesOf([...'CC']));
    await withStudio(async (studio) => {
      const query = { runs: ids.join(',') };
      await ask(studio, 'compare', compare, { query });
      await ask(studio, 'comparedSamples', comparedSamples, { query });
      expect([...studio.listed.values()]).toEqual([1, 1]);
    });
  });
});

describe('the table', () => {
  const epochs = (id: string, values: readonly Json[]) =>
    values.map((value, index) => sample(id, value, { epoch: index + 1 }));

  test('epochs are folded: k of n, also where the runs have different numbers of them', async () => {
    const ids = await runs(
      { samples: [...epochs('a', [...'CCC']), ...epochs('b', [...'III']), ...epochs('c', [...'CIC'])] },
      { samples: [...epochs('a', [...'II']), ...epochs('b', [...'I']), ...epochs('c', [...'CC'])] },
    );
    const { samples } = await tableOf(ids);
    expect(
      samples.map(({ id, is, cells }) => [id, is, ...cells.map((cell) => `${cell.passed}/${cell.epochs}`)]),
    ).toEqual([
      ['a', 'regressed', '3/3', '0/2'],
      ['c', 'improved', '2/3', '2/2'],
      ['b', 'same', '0/3', '0/1'],
    ]);
    expect(samples[1]?.cells.map(({ outcome }) => outcome)).toEqual(['partial', 'pass']);
  });

  test('of several runs the worst decides, and what improved nowhere is not called so', async () => {
    const ids = await runs(samplesOf([...'CIIC']), samplesOf([...'CCIC']), samplesOf([...'ICIC']));
    expect((await tableOf(ids)).samples.map(({ id, is, difference }) => [id, is, difference])).toEqual([
      ['s0', 'regressed', -1],
      ['s1', 'improved', 1],
      ['s2', 'same', 0],
      ['s3', 'same', 0],
    ]);
    const mixed = await runs(samplesOf([...'P']), samplesOf([...'C']), samplesOf([...'I']));
    expect((await tableOf(mixed)).samples[0]).toMatchObject({ is: 'regressed', difference: -0.5 });
  });

  test('1 and "1" are one sample', async () => {
    const ids = await runs({ samples: [sample(1, 'C')] }, { samples: [sample('1', 'I')] });
    const { samples, all } = await tableOf(ids);
    expect([all, samples[0]?.id, samples[0]?.is]).toEqual([1, 1, 'regressed']);
  });

  test('is filtered, sorted and cut into pages; what is wrong with a filter is told', async () => {
    const ids = await runs(samplesOf([...'CCCIIIC']), samplesOf([...'IICCCIC']));
    expect((await tableOf(ids)).samples.map(({ id }) => id)).toEqual([
      's0',
      's1',
      's3',
      's4',
      's2',
      's5',
      's6',
    ]);
    expect((await tableOf(ids, { q: 'is:improved' })).samples.map(({ id }) => id)).toEqual(['s3', 's4']);
    expect((await tableOf(ids, { q: 's6' })).total).toBe(1);
    expect((await tableOf(ids, { sort: '-id', limit: 2, offset: 1 })).samples.map(({ id }) => id)).toEqual([
      's5',
      's4',
    ]);
    expect((await tableOf(ids, { q: 'nope:1' })).wrong).toMatchObject({ at: 0 });
  });

  test('texts that a model wrote are passed on as they are, in one line and cut', async () => {
    const xss = `<script>alert("x")</script>\n${'long '.repeat(200)}`;
    const ids = await runs(samplesOf(['C'], { input: xss }), samplesOf(['C'], { input: xss }));
    const [row] = (await tableOf(ids)).samples;
    expect(row?.input).toMatch(/^<script>alert\("x"\)<\/script> long long/);
    expect(row?.input.length).toBeLessThanOrEqual(160);
  });

  test('scores that are no pass or fail are numbers, and their difference is told', async () => {
    const ids = await runs(samplesOf([3, 7]), samplesOf([4, 5]));
    const { samples } = await tableOf(ids);
    expect(samples.map(({ id, is, difference }) => [id, is, difference])).toEqual([
      ['s1', 'regressed', -2],
      ['s0', 'improved', 1],
    ]);
    expect(samples[0]?.cells[0]).toMatchObject({ outcome: 'number', number: 7 });
    expect((await compared(ids)).others[0]?.flips).toMatchObject({ bothPass: 0, other: 2 });
    const moved = await runs(samplesOf([5, 5, 5, 5]), samplesOf([4, 1, 9, 3]));
    expect((await tableOf(moved)).samples.map(({ id }) => id)).toEqual(['s1', 's3', 's0', 's2']);
  });
});
