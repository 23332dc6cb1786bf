import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { newWriter, runRecord, sampleStart } from '../../../test/sim/journal-fixture.ts';
import { fixtureEvent, fixtureFields } from '../../../test/sim/log-fixture.ts';
import { initRepository, openResults, runOfDay, writeRun } from '../../../test/sim/results-repo.ts';
import { ask, type StudioOfLogs, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { wholeSkeleton } from '../../../test/sim/whole-skeleton.ts';
import { type RunId, toJson } from '../../base/index.ts';
import { StateDir } from '../../journal/index.ts';
import type { SampleFields } from '../../log/index.ts';
import { sayOfRun } from '../../results/index.ts';
import type { CutText } from '../api.ts';
import { closeSpools } from '../spool/spools.ts';
import { sample } from './sample.ts';
import { text } from './transcript.ts';

const dir = useTempDir();
const RUN = runOfDay(1);
const SAMPLE = { run: RUN, sample: 'a', epoch: '1' };
const open: StudioOfLogs[] = [];
afterEach(async () => {
  for (const studio of open.splice(0)) {
    await closeSpools(studio);
    await studio[Symbol.asyncDispose]();
  }
});

async function studio(given: Parameters<typeof studioOfLogs>[0] = { logs: dir.path }): Promise<StudioOfLogs> {
  const made = await studioOfLogs(given);
  open.push(made);
  return made;
}

async function viewOf(fields: Partial<SampleFields>, query: { score?: string } = {}) {
  await writeRun(dir.path, RUN, { samples: [{ fields: fixtureFields('a', fields), events: [] }] });
  return ask(await studio(), 'sample', sample, { params: SAMPLE, query });
}

test('tells what was asked, what came of it and what it cost', async () => {
  const view = await viewOf({
    input: [{ role: 'user', content: 'What is it?' }],
    target: ['it', 'that'],
    choices: ['it', 'that'],
    output: {
      model: 'mock/m',
      choices: [{ message: { role: 'assistant', content: 'It is.' }, stop_reason: 'stop' }],
    },
    scores: {
      exact: { value: 'P', answer: 'it', explanation: 'nearly', metadata: { grader: 'g' } },
      length: { value: 6 },
      judge: { value: Number.NaN },
    },
    metadata: { level: 3, holdfast: { made: { how: 'kept', from: 'x' } } },
    store: { notes: ['one'] },
    files: ['a.txt', 'b/c.txt'],
    model_usage: {
      'mock/m': { input_tokens: 9, output_tokens: 1, total_tokens: 10, reasoning_tokens: 4, total_cost: 0.5 },
    },
    started_at: '2026-01-01T00:00:00+00:00',
    completed_at: '2026-01-01T00:01:00+00:00',
    total_time: 60,
    working_time: 50.5,
    uuid: 'u1',
    limit: { type: 'token', limit: 100 },
  });
  expect(view).toMatchObject({
    run: RUN,
    eval: 'capitals',
    target: 'mock/m',
    id: 'a',
    epoch: 1,
    input: [{ role: 'user', content: 'What is it?' }],
    expected: ['it', 'that'],
    choices: ['it', 'that'],
    output: 'It is.',
    scores: [
      {
        name: 'exact',
        outcome: 'partial',
        value: 'P',
        number: 0.5,
        answer: 'it',
        explanation: 'nearly',
        metadata: { grader: 'g' },
      },
      { name: 'length', outcome: 'number', value: 6, number: 6 },
      { name: 'judge', outcome: 'unscored', value: { $number: 'NaN' } },
    ],
    store: { notes: ['one'] },
    files: [{ path: 'a.txt' }, { path: 'b/c.txt' }],
    models: [{ model: 'mock/m', total: 10, reasoning: 4, usd: 0.5 }],
    started: '2026-01-01T00:00:00+00:00',
    workingMs: 50_500,
    uuid: 'u1',
    limit: { type: 'token', limit: 100 },
    row: { outcome: 'partial', usd: 0.5, tokens: 10, durationMs: 60_000, made: 'kept', limit: 'token' },
    epochs: [{ epoch: 1, outcome: 'partial' }],
    attempts: [],
    messageCount: 1,
  });
  expect(view.commands[0]?.command).toMatch(/^holdfast log show .* --sample a@1 --events$/);
});

test('long texts of it are cut, and read piece by piece', async () => {
  const long = 'traceback line\n'.repeat(2_000);
  const view = await viewOf({
    input: long,
    output: { choices: [{ message: { role: 'assistant', content: long }, stop_reason: 'stop' }] },
    scores: { exact: { value: 0, explanation: long } },
    error: { message: long, traceback: long, traceback_ansi: long },
    metadata: { deep: [{ long }] },
    store: Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`key ${n}`, 'value '.repeat(20)])),
  });
  expect(JSON.stringify(view).length).toBeLessThan(400_000);
  const cuts = [
    view.input,
    view.output,
    view.scores[0]?.explanation,
    view.error?.message,
    view.error?.traceback,
  ];
  for (const value of cuts as CutText[]) {
    const piece = await ask(open[0] as StudioOfLogs, 'text', text, {
      params: SAMPLE,
      query: { at: value.$cut.at, from: 10, length: 1_000_000 },
    });
    expect(piece.text).toBe(long.slice(10));
  }
  expect(view.store).toMatchObject({
    'key 0': 'value '.repeat(20),
    $more: { $cut: { items: expect.any(Number) } },
  });
});

test('other epochs, earlier attempts and what people said stand beside it', async () => {
  const failed = (message: string, events: number) => ({
    message,
    traceback: '',
    traceback_ansi: '',
    events: Array.from({ length: events }, (_, n) =>
      toJson(fixtureEvent({ event: 'info', data: `${n} `.repeat(200) })),
    ) as never[],
  });
  const at = (epoch: number, value: string, more: Partial<SampleFields> = {}) => ({
    fields: fixtureFields(7, { epoch, scores: { exact: { value } }, ...more }),
    events: [],
  });
  const log = await writeRun(dir.path, RUN, {
    samples: [
      at(1, 'C'),
      at(2, 'I', { error_retries: [failed('first', 2), failed('second', 300)] }),
      at(3, 'C'),
    ],
  });
  const repo = join(dir.path, 'repo');
  initRepository(repo);
  await using kept = await openResults(repo);
  await kept.publish(log);
  const anchor = { sample: '7', epoch: 2, event: undefined };
  await sayOfRun(kept.store, RUN as RunId, { kind: 'verdict', verdict: 'pass', anchor });
  await sayOfRun(kept.store, RUN as RunId, {
    kind: 'note',
    text: 'of another',
    anchor: { ...anchor, epoch: 1 },
  });
  const of = await studio({ results: kept.store });
  const params = { run: RUN, sample: '7', epoch: '2' };
  const view = await ask(of, 'sample', sample, { params });
  expect(view).toMatchObject({
    id: 7,
    epochs: [
      { epoch: 1, outcome: 'pass' },
      { epoch: 2, outcome: 'fail' },
      { epoch: 3, outcome: 'pass' },
    ],
    attempts: [
      { attempt: 1, error: 'first', events: 2, at: '2026-01-01T00:00:00.000+00:00' },
      { attempt: 2, error: 'second', events: 300 },
    ],
    notes: [{ kind: 'verdict', verdict: 'pass' }],
    row: { retries: 2 },
  });
  const rows = await wholeSkeleton(of, params, { attempt: 2 });
  expect(rows.known).toBe(300);
});

test('a sample under way tells what is known so far', async () => {
  const record = runRecord();
  const writer = await newWriter(StateDir.of(dir.path).path, record);
  const attempt = writer.startAttempt(sampleStart('live'));
  attempt.event(fixtureEvent({ event: 'info', data: 'x' }));
  await writer.flush();
  const params = { run: record.runId, sample: 'live', epoch: '1' };
  const of = await studio();
  const view = await ask(of, 'sample', sample, { params });
  expect(view).toMatchObject({
    id: 'live',
    input: 'question live',
    expected: 'yes',
    output: '',
    scores: [],
    row: { outcome: 'running' },
  });
  expect(view.commands[0]?.command).toMatch(/^holdfast results show /);
  await expect(ask(of, 'sample', sample, { params: { ...params, sample: 'nobody' } })).rejects.toMatchObject({
    code: 'E_SAMPLE_UNKNOWN',
  });
  await writer.end('interrupted');
  writer.close();
});
