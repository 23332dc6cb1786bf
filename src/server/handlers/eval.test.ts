import { beforeEach, describe, expect, test } from 'vitest';
import { damageMember } from '../../../test/sim/damage-member.ts';
import { type FixtureLog, fixtureFields } from '../../../test/sim/log-fixture.ts';
import { runOfDay, writeRun } from '../../../test/sim/results-repo.ts';
import { ask, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import type { Json } from '../../base/index.ts';
import type { EvalSpec } from '../../log/index.ts';
import type { EvalView, SampleOverTime } from '../api.ts';
import { eval as evalHandler, sampleOverTime } from './eval.ts';

const dir = useTempDir();
let days = 0;
beforeEach(() => {
  days = 0;
});

interface Given extends Partial<EvalSpec> {
  readonly commit?: string;
}

async function run(
  values: Readonly<Record<string, Json | readonly Json[]>>,
  { commit, ...spec }: Given = {},
): Promise<string> {
  const id = runOfDay(++days);
  const time = {
    started_at: `2026-03-0${days}T00:00:00+00:00`,
    completed_at: `2026-03-0${days}T01:00:00+00:00`,
  };
  const log: FixtureLog = {
    spec: { ...spec, ...(commit ? { revision: { type: 'git', origin: 'x', commit } } : {}) },
    samples: Object.entries(values).flatMap(([sample, value]) =>
      [value].flat().map((one, index) => ({
        fields: fixtureFields(sample, {
          epoch: index + 1,
          scores: one === null ? {} : { exact: { value: one as Json, answer: `it is ${String(one)}` } },
        }),
        events: [],
      })),
    ),
    header: {
      results: {
        ...{ total_samples: Object.keys(values).length, completed_samples: Object.keys(values).length },
        scores: [
          {
            ...{ name: 'exact', scorer: 'exact', params: {} },
            metrics: { accuracy: { name: 'accuracy', value: 0.5, params: {} } },
          },
        ],
      },
      stats: { ...time, model_usage: {}, role_usage: {}, connection_limit_history: [] },
    },
  };
  await writeRun(dir.path, id, log);
  return id;
}

async function history(query: object = {}, name = 'capitals'): Promise<EvalView> {
  await using studio = await studioOfLogs({ logs: dir.path });
  return await ask(studio, 'eval', evalHandler, { query, params: { eval: name } });
}

async function overTime(sample: string, query: object = {}): Promise<SampleOverTime> {
  await using studio = await studioOfLogs({ logs: dir.path });
  return await ask(studio, 'sampleOverTime', sampleOverTime, {
    query,
    params: { eval: 'capitals', sample },
  });
}

describe('the history of an eval', () => {
  test('every run of it is a point with its commit, oldest first', async () => {
    const first = await run({ a: 'C' }, { commit: 'abc1234' });
    await run({ a: 'C' }, { task: 'other' });
    const third = await run({ a: 'I' }, { commit: 'def5678' });
    const { points, metrics, runsRead, command } = await history();
    expect(points).toMatchObject([
      { run: first, commit: 'abc1234', score: { metric: 'accuracy', value: 0.5 }, status: 'success' },
      { run: third, commit: 'def5678' },
    ]);
    expect([metrics, runsRead, command]).toEqual([['exact accuracy'], 2, 'holdfast history capitals']);
    await expect(history({ score: 'nope' })).rejects.toMatchObject({ code: 'E_HISTORY_NONE' });
    expect((await history({ score: 'exact' })).points[0]?.score?.value).toBe(0.5);
  });

  test('an eval that nobody ran: E_HISTORY_NONE, with those that were', async () => {
    await run({ a: 'C' });
    await expect(history({}, 'nope')).rejects.toMatchObject({
      code: 'E_HISTORY_NONE',
      hint: 'There are runs of capitals.',
    });
  });

  test('newly failing: what fails in the newest run and passed when it was judged before, with the commits', async () => {
    const first = await run({ broke: 'C', always: 'I', absent: 'C', errs: 'C' }, { commit: 'aaa1111' });
    const second = await run({ broke: 'C', always: 'I' }, { commit: 'bbb2222' });
    const third = await run({ broke: 'I', always: 'I', absent: 'I' }, { commit: 'ccc3333' });
    const { newlyFailing, flaky } = await history();
    expect(newlyFailing).toEqual([
      {
        ...{ id: 'absent', target: 'mock/m', passedIn: first, failedIn: third },
        commits: { from: 'aaa1111', to: 'ccc3333' },
        history: ['pass', 'missing', 'fail'],
      },
      {
        ...{ id: 'broke', target: 'mock/m', passedIn: second, failedIn: third },
        commits: { from: 'bbb2222', to: 'ccc3333' },
        history: ['pass', 'pass', 'fail'],
      },
    ]);
    expect(flaky).toEqual([]);
  });

  test('a sample that comes and goes is flaky; models that are run in turn do not make it so', async () => {
    for (const value of [...'CICI']) await run({ flaky: value, steady: 'C' });
    for (const [index, value] of [...'CICI'].entries())
      await run({ turns: value }, { model: index % 2 === 0 ? 'good' : 'bad' });
    const { flaky, newlyFailing, pairs } = await history();
    expect(pairs).toBe(4);
    expect(flaky).toEqual([
      { id: 'flaky', target: 'mock/m', flipRate: 1, history: ['pass', 'fail', 'pass', 'fail'] },
    ]);
    expect(newlyFailing.map(({ id }) => id)).toEqual(['flaky']);
  });

  test('only the newest runs are read for the lists; a damaged one hinders no other', async () => {
    await run({ a: 'C' });
    await run({ a: 'C' });
    const damaged = runOfDay(++days);
    await damageMember(await writeRun(dir.path, damaged), 'summaries.json');
    await run({ a: 'I' });
    expect(await history({ limit: 3 })).toMatchObject({ runsRead: 2, newlyFailing: [{ id: 'a' }] });
    expect(await history({ limit: 2 })).toMatchObject({ runsRead: 1, newlyFailing: [] });
  });
});

describe('one sample over time', () => {
  test('what became of it in each run, k of n epochs, and what changed where it flipped', async () => {
    const first = await run({ a: [...'CC'] }, { commit: 'aaa1111' });
    const second = await run({ a: [...'II'] }, { model: 'mock/m', commit: 'bbb2222' });
    await run({ b: 'C' });
    const found = await overTime('a');
    expect(found).toMatchObject({
      eval: 'capitals',
      sample: 'a',
      input: 'question',
      state: 'flipped',
      runsRead: 3,
    });
    expect(found.points).toMatchObject([
      { run: first, outcome: 'pass', passed: 2, epochs: 2, answer: 'it is C' },
      {
        ...{ run: second, outcome: 'fail', passed: 0, epochs: 2 },
        flip: { from: 'pass', since: first, changes: [{ what: 'commit' }], isExplained: true },
      },
    ]);
    expect(found.command).toBe('holdfast history capitals --sample a');
  });

  test('it is flaky where nothing explains it, and numbers are told as such', async () => {
    await run({ a: 'C', 7: 3 });
    await run({ a: 'I', 7: 4 });
    expect(await overTime('a')).toMatchObject({
      state: 'flaky',
      because: expect.stringContaining('flipped'),
    });
    expect((await overTime('7')).points).toMatchObject([
      { outcome: 'number', number: 3 },
      { outcome: 'number', number: 4 },
    ]);
  });

  test('a sample that no run has: E_HISTORY_NONE', async () => {
    await run({ a: 'C' });
    await expect(overTime('b')).rejects.toMatchObject({ code: 'E_HISTORY_NONE' });
  });
});
