import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { countingModel, stopAt, twoTurns } from '../../../test/interrupted-run.ts';
import { createHarness } from '../../../test/run-harness.ts';
import { damageMember } from '../../../test/sim/damage-member.ts';
import { filledJournal, runRecord } from '../../../test/sim/journal-fixture.ts';
import { type FixtureLog, fixtureFields, fixtureHeader, fixtureSpec } from '../../../test/sim/log-fixture.ts';
import { initRepository, openResults, runOfDay, writeRun } from '../../../test/sim/results-repo.ts';
import { ask, type StudioOfLogs, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import type { Json, RunId } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { StateDir } from '../../journal/index.ts';
import { createLogFile, type LogHeader, type SampleFields, summarize } from '../../log/index.ts';
import { sayOfRun } from '../../results/index.ts';
import type { RunView } from '../api.ts';
import { header, run } from './run.ts';
import { sampleOrder, samples } from './samples.ts';
import { timeline } from './timeline.ts';

const dir = useTempDir();
const RUN = runOfDay(1);
const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function studio(logs = dir.path): Promise<StudioOfLogs> {
  const made = await studioOfLogs({ logs });
  open.push(made);
  return made;
}

const scored = (id: string | number, value: Json, more: Partial<SampleFields> = {}) => ({
  fields: fixtureFields(id, { scores: { exact: { value } }, ...more }),
  events: [],
});
const error = { message: 'it broke\nbadly', traceback: 'at x', traceback_ansi: 'at x' };
const usage = (usd: number | undefined, total = 100) => ({
  'mock/m': {
    input_tokens: total - 10,
    output_tokens: 10,
    total_tokens: total,
    ...(usd !== undefined && { total_cost: usd }),
  },
});
const results = (total: number, value: number): NonNullable<LogHeader['results']> => ({
  total_samples: total,
  completed_samples: total,
  scores: [
    {
      name: 'exact',
      scorer: 'exact',
      params: {},
      metrics: { accuracy: { name: 'accuracy', value, params: {} } },
    },
  ],
});

async function viewOf(log: FixtureLog, more: { score?: string } = {}): Promise<RunView> {
  rmSync(join(dir.path, `${RUN}.eval`), { force: true });
  await writeRun(dir.path, RUN, log);
  return ask(await studio(), 'run', run, { params: { run: RUN }, query: more });
}

describe('counts', () => {
  test('every sample at every epoch is counted once, and what is planned and not there is missing', async () => {
    const { counts, said } = await viewOf({
      header: { results: { ...results(8, 0.5), total_samples: 8 } },
      samples: [
        scored('a', 'C'),
        scored('b', 'I'),
        scored('c', 0.5),
        scored('d', Number.NaN),
        scored('e', null, { scores: {}, error }),
        scored('f', null, { scores: {} }),
      ],
    });
    expect(counts).toEqual({
      total: 8,
      pass: 1,
      partial: 1,
      fail: 1,
      number: 0,
      error: 1,
      unscored: 2,
      running: 0,
      interrupted: 0,
      missing: 2,
    });
    expect(said).toBe('1 of 8 samples passed (accuracy 0.500 ±1.242), 1 failed with an error, 2 missing.');
  });

  test('whatever the scores are, they add up', async () => {
    const value = fc.constantFrom<Json>(
      'C',
      'I',
      'P',
      'N',
      0,
      1,
      0.3,
      7,
      -2,
      true,
      false,
      'so so',
      Number.NaN,
      null,
      { a: 1, b: 'C' },
      [1, 0],
    );
    const one = fc.record({
      value,
      isError: fc.boolean(),
      epoch: fc.integer({ min: 1, max: 3 }),
      isInterrupted: fc.boolean(),
    });
    const property = fc.asyncProperty(
      fc.array(one, { maxLength: 12 }),
      fc.nat(20),
      async (given, planned) => {
        const id = RUN;
        rmSync(join(dir.path, `${RUN}.eval`), { force: true });
        const unique = [
          ...new Map(
            given.map((sample, index) => [`${index % 5} ${sample.epoch}`, { ...sample, id: index % 5 }]),
          ).values(),
        ];
        await writeRun(dir.path, id, {
          header: { results: { ...results(planned, 0), total_samples: planned } },
          samples: unique.map(({ id: sample, value: score, isError, epoch, isInterrupted }) =>
            scored(sample, score, {
              epoch,
              ...(isError || isInterrupted ? { error } : {}),
              metadata: isInterrupted ? { holdfast: { interrupted: true } } : {},
            }),
          ),
        });
        await using of = await studioOfLogs({ logs: dir.path });
        const { counts } = await ask(of, 'run', run, { params: { run: id } });
        const { total, ...parts } = counts;
        expect(Object.values(parts).reduce((sum, count) => sum + count, 0)).toBe(total);
        expect(total).toBe(Math.max(planned, unique.length));
        const page = await ask(of, 'samples', samples, { params: { run: id } });
        const epochs = page.samples.flatMap((sample) => sample.epochs);
        for (const outcome of ['pass', 'partial', 'fail', 'number', 'error', 'unscored', 'running'] as const)
          expect(epochs.filter((epoch) => epoch.outcome === outcome)).toHaveLength(counts[outcome]);
      },
    );
    await fc.assert(property, { numRuns: 15 });
  });
});

describe('cost', () => {
  test('is what was told, by model and for each sample that passed; what nobody knows is not nothing', async () => {
    const known = await viewOf({
      header: { stats: statsOf(usage(0.6, 300)) },
      samples: [scored('a', 'C'), scored('b', 'C'), scored('c', 'I')],
    });
    expect(known.cost).toEqual({
      usd: 0.6,
      perSolvedUsd: 0.3,
      wastedUsd: null,
      savedUsd: null,
      models: [{ model: 'mock/m', input: 290, output: 10, cached: 0, reasoning: 0, total: 300, usd: 0.6 }],
    });
    const unknown = await viewOf({
      header: { stats: statsOf(usage(undefined)) },
      samples: [scored('a', 'C')],
    });
    expect(unknown.cost).toMatchObject({ usd: null, perSolvedUsd: null, models: [{ usd: null }] });
  });
});

describe('against the run before', () => {
  test('the verdict, the samples that flipped, and only the settings that differ', async () => {
    const letters = (text: string) => [...text].map((letter, index) => scored(`s${index}`, letter));
    const spec = (model_generate_config: LogHeader['eval']['model_generate_config']) => ({
      config: { epochs: 1 },
      model_generate_config,
    });
    await writeRun(dir.path, runOfDay(1), { spec: spec({ temperature: 0 }), samples: letters('IIIIIICC') });
    await writeRun(dir.path, runOfDay(2), {
      spec: { ...spec({}), model: 'mock/other' },
      samples: letters('IIIIIIII'),
    });
    await writeRun(dir.path, runOfDay(3), {
      spec: spec({ temperature: 1, seed: 3 }),
      samples: letters('CCCCCCCI'),
    });
    const of = await studio();
    const view = await ask(of, 'run', run, { params: { run: runOfDay(3) } });
    expect(view.previous).toMatchObject({
      run: runOfDay(1),
      verdict: expect.stringMatching(/^(better|cannot tell)$/),
      improved: 6,
      regressed: 1,
      said: expect.stringMatching(
        /^(It is better|Cannot tell whether it is better or worse) on exact: \+0\.625/,
      ),
      changes: [{ what: 'settings', said: 'the settings of the model differ', isWarning: true }],
    });
    const changed = view.config.filter(({ isChanged }) => isChanged);
    expect(changed).toEqual([
      { group: 'model', key: 'temperature', value: 1, previous: 0, isChanged: true },
      { group: 'model', key: 'seed', value: 3, previous: null, isChanged: true },
    ]);
    expect(view.commands.map(({ command }) => command)).toContainEqual(
      expect.stringMatching(new RegExp(`^holdfast compare ${runOfDay(1)} ${runOfDay(3)} --source `)),
    );
    const first = await ask(of, 'run', run, { params: { run: runOfDay(1) } });
    expect(first.previous).toBeUndefined();
    expect(first.config.some(({ isChanged }) => isChanged)).toBe(false);
  });
});

describe('sessions', () => {
  test('a run that was killed and went on says what was kept, replayed and lost, in its log', async () => {
    const harness = await createHarness();
    try {
      const stopped = await stopAt(harness, 2, { which: 4 });
      expect(stopped.outcome.account.state).toBe('interrupted');
      const runId = stopped.outcome.account.runId;
      const underWay = await studio(harness.logDir);
      const live = await ask(underWay, 'run', run, { params: { run: runId } });
      expect(live.item.form).toBe('interrupted');
      expect(live.sessions).toMatchObject([
        {
          ended: 'stopped',
          host: expect.any(String),
          how: 'stopped',
          said: expect.stringMatching(/^2 kept/),
        },
      ]);
      // Nobody works on it any more: what was under way is not.
      expect(live.counts).toMatchObject({ total: 4, pass: 2, running: 0, interrupted: 1, missing: 1 });
      expect(live.said).toContain('1 interrupted');
      expect(live.scores).toMatchObject([{ metric: 'mean so far', value: 1, scored: 2 }]);
      const marks = await ask(underWay, 'timeline', timeline, { params: { run: runId } });
      expect(marks.samples).toHaveLength(3);

      await harness.run(twoTurns(4), { model: countingModel().model, concurrency: 1 });
      const done = await studio(harness.logDir);
      const view = await ask(done, 'run', run, { params: { run: runId } });
      expect(view.sessions).toMatchObject([
        {
          ended: 'stopped',
          how: 'stopped',
          said: '2 kept, 1 replayed, $0 lost',
          lostUsd: 0,
        },
        { ended: 'finished', how: 'finished', said: '' },
      ]);
      expect(view.counts).toMatchObject({ total: 4, pass: 4 });
      const page = await ask(done, 'samples', samples, { params: { run: runId } });
      expect(page.samples.map(({ epochs }) => epochs[0]?.made)).toEqual([
        'run here',
        'run here',
        'replayed',
        'run here',
      ]);
    } finally {
      await harness.close();
    }
  });

  test('a run that was stopped twice tells of each time, in its log', async () => {
    const harness = await createHarness();
    try {
      await stopAt(harness, 2, { which: 4 });
      const { outcome } = await stopAt(harness, 3, { which: 4 });
      const { runId } = outcome.account;
      await harness.run(twoTurns(4), { model: countingModel().model, concurrency: 1 });
      const view = await ask(await studio(harness.logDir), 'run', run, { params: { run: runId } });
      expect(view.sessions.map(({ how }) => how)).toEqual(['stopped', 'stopped', 'finished']);
      expect(view.sessions.map(({ said }) => said.split(',')[0])).toEqual(['2 kept', '3 kept', '']);
      const starts = view.sessions.map(({ start }) => Math.floor(Date.parse(start) / 1_000));
      expect(starts).toEqual(starts.toSorted());
    } finally {
      await harness.close();
    }
  });

  test.each([
    ['success', 'finished', 'finished'],
    ['cancelled', 'stopped', 'cancelled'],
    ['error', 'stopped', 'ended with an error'],
  ] as const)(
    'a log of another tool that ended as %s has one session, which %s',
    async (status, ended, how) => {
      const stats = {
        ...statsOf({}),
        started_at: '2026-01-01T02:00:00+00:00',
        completed_at: '2026-01-01T02:30:00+00:00',
      };
      const view = await viewOf({ header: { status, stats, ...(status === 'error' && { error }) } });
      expect(view.sessions).toEqual([
        { start: stats.started_at, end: stats.completed_at, ended, how, said: '' },
      ]);
      expect(view.error).toBe(status === 'error' ? error.message : undefined);
    },
  );

  test('a run that died says when, and a recovered log what was brought back', async () => {
    const record = runRecord();
    const writer = await filledJournal(StateDir.of(dir.path).path, record);
    const alive = await ask(await studio(), 'run', run, { params: { run: record.runId } });
    expect(alive.sessions).toMatchObject([
      { ended: 'running', how: 'running', said: '2 kept, 1 sample under way' },
    ]);
    writer.close();
    const dead = await ask(await studio(), 'run', run, { params: { run: record.runId } });
    expect(dead.sessions).toMatchObject([{ ended: 'died', how: 'died', said: '2 kept, 1 sample under way' }]);
    expect(dead.commands.map(({ command }) => command)).toContain(`holdfast recover ${record.runId}`);
    const metadata = {
      holdfast_recovery: {
        sources: ['database'],
        kept: 3,
        recovered: 2,
        in_flight: 1,
        lost: 0,
        events: true,
      },
    };
    const recovered = await viewOf({
      header: {
        status: 'error',
        metadata,
        stats: { ...statsOf({}), completed_at: '2026-01-01T00:10:00+00:00' },
      },
    });
    expect(recovered.sessions).toMatchObject([
      { ended: 'died', how: 'died', said: '3 kept, 2 recovered, 1 under way, 0 lost' },
    ]);
    const marks = await ask(await studio(), 'timeline', timeline, { params: { run: RUN } });
    expect(marks.marks).toMatchObject([{ kind: 'crash', at: 600_000 }]);
  });
});

describe('the samples of a run', () => {
  const epochs = (id: string, values: readonly Json[], more: Partial<SampleFields> = {}) =>
    values.map((value, index) => scored(id, value, { epoch: index + 1, ...more }));

  test('epochs are folded, filtered and sorted, in pages', async () => {
    await writeRun(dir.path, RUN, {
      samples: [
        ...epochs('easy', ['C', 'C', 'C'], { metadata: { level: 'low' }, model_usage: usage(0.1) }),
        ...epochs('hard', ['I', 'C', 'I'], { metadata: { level: 'high' }, model_usage: usage(0.5, 1_000) }),
        ...epochs('broken', [null, null, null], { scores: {}, error, model_usage: usage(undefined) }),
      ],
    });
    const of = await studio();
    const table = (query: Record<string, string | number> = {}) =>
      ask(of, 'samples', samples, { params: { run: RUN }, query });
    const all = await table();
    expect(all).toMatchObject({
      total: 3,
      all: 3,
      scores: ['exact'],
      score: 'exact',
      metadataKeys: ['level'],
    });
    expect(all.samples.map(({ id, number, passed }) => [id, number, passed])).toEqual([
      ['easy', 1, 3],
      ['hard', 2, 1],
      ['broken', 3, undefined],
    ]);
    expect(all.samples[1]).toMatchObject({
      metadata: { level: 'high' },
      epochs: [
        { epoch: 1, outcome: 'fail', usd: 0.5, tokens: 1_000, scores: { exact: { value: 'I', number: 0 } } },
        { epoch: 2, outcome: 'pass' },
        { epoch: 3, outcome: 'fail' },
      ],
    });
    expect(all.samples[2]?.epochs[0]).toMatchObject({
      outcome: 'error',
      error: 'it broke\nbadly',
      usd: null,
    });
    expect((await table({ q: 'is:failing' })).samples.map(({ id }) => id)).toEqual(['hard']);
    expect((await table({ q: 'metadata.level:low' })).samples.map(({ id }) => id)).toEqual(['easy']);
    expect((await table({ sort: '-cost' })).samples.map(({ id }) => id)).toEqual(['hard', 'easy', 'broken']);
    expect((await table({ limit: 1, offset: 2 })).samples.map(({ id }) => id)).toEqual(['broken']);
    expect((await table({ q: 'nonsense>>' })).wrong).toMatchObject({ at: expect.any(Number) });
    const { keys } = await ask(of, 'sampleOrder', sampleOrder, {
      params: { run: RUN },
      query: { q: 'score:fail or error:*', sort: '-id' },
    });
    expect(keys).toEqual([
      ['broken', 1, 'error'],
      ['broken', 2, 'error'],
      ['broken', 3, 'error'],
    ]);
    expect(all.command).toMatch(/^holdfast log export .* --to jsonl --table samples/);
    // However often it is asked for, the list is read once.
    expect(of.listed.get(RUN)).toBe(1);
  });

  test('a score of several figures has each of them; what is no grade is a number', async () => {
    await writeRun(dir.path, RUN, {
      samples: [
        {
          fields: fixtureFields('a', {
            scores: { rubric: { value: { style: 3, facts: 0.5 }, answer: 'because' }, exact: { value: 'C' } },
          }),
          events: [],
        },
        {
          fields: fixtureFields('b', {
            scores: { rubric: { value: { style: 5, facts: 1 } }, exact: { value: 'I' } },
          }),
          events: [],
        },
      ],
    });
    const of = await studio();
    const by = (score?: string) =>
      ask(of, 'samples', samples, { params: { run: RUN }, query: score === undefined ? {} : { score } });
    expect((await by()).scores).toEqual(['exact', 'rubric/facts', 'rubric/style']);
    const style = await by('rubric/style');
    expect(style.samples.map(({ epochs: [epoch] }) => epoch?.outcome)).toEqual(['number', 'number']);
    expect(style.samples[0]?.epochs[0]?.scores).toMatchObject({
      'rubric/style': { value: 3, number: 3 },
      exact: { value: 'C', number: 1 },
    });
    expect((await by('exact')).samples.map(({ epochs: [epoch] }) => epoch?.outcome)).toEqual([
      'pass',
      'fail',
    ]);
    await expect(by('nobody')).rejects.toMatchObject({ code: 'E_COMPARE_SCORER' });
  });

  test('a damaged list is made of the samples, and what is damaged is told', async () => {
    await writeRun(dir.path, RUN, { samples: [scored('a', 'C'), scored('b', 'I')] });
    const of = await studio();
    await damageMember(join(dir.path, `${RUN}.eval`), 'summaries.json');
    const view = await ask(of, 'run', run, { params: { run: RUN } });
    expect(view.counts).toMatchObject({ total: 2, pass: 1, fail: 1 });
    expect(view.problems[0]).toMatchObject({ code: expect.stringMatching(/^E_LOG_/) });
    expect((await ask(of, 'samples', samples, { params: { run: RUN } })).samples).toHaveLength(2);
  });

  test('what people said of them stands beside them', async () => {
    const repo = join(dir.path, 'repo');
    initRepository(repo);
    await using kept = await openResults(repo);
    await kept.publish(await writeRun(dir.path, RUN, { samples: [scored('a', 'C'), scored(7, 'I')] }));
    await sayOfRun(kept.store, RUN as RunId, {
      kind: 'verdict',
      anchor: { sample: '7', epoch: 1, event: undefined },
      verdict: 'pass',
      text: 'close enough',
    });
    await sayOfRun(kept.store, RUN as RunId, { kind: 'note', text: 'look at this' });
    await using of = await studioOfLogs({ results: kept.store });
    const page = await ask(of, 'samples', samples, { params: { run: RUN }, query: { q: 'verdict:pass' } });
    expect(page.samples).toMatchObject([
      { id: 7, verdicts: [{ kind: 'verdict', verdict: 'pass', text: 'close enough', by: 'Ada' }] },
    ]);
    const view = await ask(of, 'run', run, { params: { run: RUN } });
    expect(view.notes.map(({ kind }) => kind).sort()).toEqual(['note', 'verdict']);
    expect(view.commands[0]?.command).toBe(`holdfast log show ${RUN}`);
  });

  test('ten thousand samples at five epochs are listed and filtered', { timeout: 120_000 }, async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => n);
    await writeMany(join(dir.path, `${RUN}.eval`), many);
    const of = await studio();
    const page = await ask(of, 'samples', samples, {
      params: { run: RUN },
      query: { q: 'score:fail', sort: '-id', limit: 50 },
    });
    expect(page).toMatchObject({ all: 10_000, total: 3_333 });
    expect(page.samples[0]?.epochs).toHaveLength(5);
    const view = await ask(of, 'run', run, { params: { run: RUN } });
    expect(view.counts).toMatchObject({ total: 50_000, fail: 16_665, pass: 33_335 });
    expect(of.listed.get(RUN)).toBe(1);
  });
});

describe('the timeline', () => {
  test('tells how many were under way, and waits, retries and settings that were changed', async () => {
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
    const took = (id: string, from: number, to: number, more: Partial<SampleFields> = {}) =>
      scored(id, 'C', { started_at: at(from), completed_at: at(to), total_time: to - from, ...more });
    const seconds = (value: number) => Date.UTC(2026, 0, 1) / 1_000 + value;
    await writeRun(dir.path, RUN, {
      header: {
        stats: {
          ...statsOf({}),
          started_at: at(0),
          completed_at: at(100),
          connection_limit_history: [
            { timestamp: seconds(20), model: 'mock/m', old_limit: 10, new_limit: 5, reason: 'rate_limit' },
            {
              timestamp: seconds(30),
              model: 'mock/m',
              old_limit: 5,
              new_limit: 6,
              reason: 'steady_state_up',
            },
          ],
        },
        config_updates: [
          {
            scope: 'task',
            changes: [{ config: 'eval', name: 'max_samples', value: 4, previous: 10 }],
            provenance: { author: 'me', timestamp: at(50) },
          },
        ],
      },
      samples: [
        took('a', 0, 40),
        took('b', 10, 60, { limit: { type: 'token', limit: 5 }, model_usage: usage(0, 1_000) }),
        took('c', 40, 90, { error_retries: [error, error] }),
        took('kept', -500, -400, { model_usage: usage(0, 9_000) }),
        scored('timeless', 'C'),
      ],
    });
    const view = await ask(await studio(), 'timeline', timeline, { params: { run: RUN } });
    expect(view).toMatchObject({ startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2026, 0, 1) + 100_000 });
    expect(view.samples.map(({ id, from, to, limit }) => [id, from, to, limit])).toEqual([
      ['a', 0, 40_000, undefined],
      ['b', 10_000, 60_000, 'token'],
      ['c', 40_000, 90_000, undefined],
    ]);
    expect(view.active).toEqual([
      [0, 1],
      [10_000, 2],
      [60_000, 1],
      [90_000, 0],
    ]);
    const rates = view.tokens?.perSecond ?? [];
    expect([view.tokens?.binMs, rates.length]).toEqual([1_000, 100]);
    expect([rates[0], rates[9], rates[10], rates[59], rates[60]]).toEqual([0, 0, 20, 20, 0]);
    expect(view.marks).toEqual([
      { at: 20_000, kind: 'rate limit', said: 'mock/m: 10 calls at a time, then 5' },
      { at: 40_000, kind: 'retry', said: '2 tries of c (epoch 1) failed before' },
      { at: 50_000, kind: 'config', said: 'max_samples: 10, then 4' },
    ]);
  });
});

test('the header is told as it is', async () => {
  await writeRun(dir.path, RUN, {
    header: { metadata: { big: 12345678901234567890n, nan: Number.NaN, $cut: 1 } },
  });
  const told = await ask(await studio(), 'header', header, { params: { run: RUN } });
  expect(told).toMatchObject({
    status: 'success',
    metadata: { big: '12345678901234567890', nan: { $number: 'NaN' }, $$cut: 1 },
  });
});

test('a run that nobody knows is refused', async () => {
  await expect(ask(await studio(), 'run', run, { params: { run: runOfDay(9) } })).rejects.toMatchObject({
    code: 'E_RUN_UNKNOWN',
  });
});

function statsOf(model_usage: LogHeader['stats']['model_usage']): LogHeader['stats'] {
  return {
    started_at: '2026-01-01T00:00:00+00:00',
    completed_at: '',
    model_usage,
    role_usage: {},
    connection_limit_history: [],
  };
}

async function writeMany(path: string, ids: readonly number[]): Promise<void> {
  const file = await createLogFile(nodeDisk, path);
  const logHeader = fixtureHeader({ eval: fixtureSpec({ run_id: RUN, config: { epochs: 5 } }) });
  await file.writeStart({ version: 2, eval: logHeader.eval, plan: logHeader.plan });
  function* all() {
    for (const id of ids)
      for (let epoch = 1; epoch <= 5; epoch++)
        yield summarize(
          fixtureFields(`sample ${id}`, {
            epoch,
            scores: { exact: { value: id % 3 === 1 ? 'I' : 'C' } },
            metadata: { n: id },
          }),
        );
  }
  await file.writeSummaries(all());
  await file.writeHeader(logHeader);
  await file.finish();
}
