/** What a plan chooses, counts and misses; in which order journals are given is tested with permutations elsewhere. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  filledJournal,
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { type AttemptStatus, type JournalWriter, openRunJournals, type RunRecord } from '../journal/index.ts';
import { directoryLogStore, type LogStore, summarize } from '../log/index.ts';
import { applySeal, countWaiting, nameOfChosen, planSeal, type SealPlan } from './index.ts';

const dir = useTempDir();
let logs: LogStore;
beforeEach(() => {
  logs = directoryLogStore(nodeDisk, dir.path);
});

const BOOM = { message: 'boom', traceback: '', traceback_ansi: '' };

/** One attempt after the other, each a sample and how it ended. */
async function attempts(
  writer: JournalWriter,
  ...all: readonly (readonly [id: string, status: AttemptStatus])[]
): Promise<void> {
  for (const [id, status] of all)
    await writer
      .startAttempt(sampleStart(id))
      .finish(status, sampleFields(id, status === 'errored' ? { error: BOOM } : {}));
}

const lend = (writer: JournalWriter, id: string, log: string) =>
  writer.recordReuse({ id, epoch: 1, log, runId: 'r', mode: 'same', summary: summarize(sampleFields(id)) });

async function planOf(run: RunRecord): Promise<SealPlan> {
  const journals = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, run.runId) });
  const plan = await planSeal(journals, logs);
  onClose.push(() => journals.close());
  return plan;
}
const onClose: (() => void)[] = [];
afterEach(() => {
  for (const close of onClose.splice(0)) close();
});

/** From which writer each sample comes; `log` when another log lends it. */
const sources = ({ choices }: SealPlan) =>
  Object.fromEntries(
    [...choices].map((chosen) => [
      nameOfChosen(chosen),
      chosen.from === 'log'
        ? `log ${chosen.row.log}`
        : `${chosen.source.writer().writer} ${chosen.attempt.n}`,
    ]),
  );

/** A run that says which samples it has. */
function runOf(...ids: readonly string[]): RunRecord {
  const run = runRecord();
  const spec = { ...run.start.eval, dataset: { sample_ids: ids } };
  return { ...run, start: { ...run.start, eval: spec }, planned: ids.length };
}

/** A finished log with the samples a and b. */
async function lender(): Promise<string> {
  const journal = await filledJournal(dir.path);
  journal.close();
  const name = 'lender.eval';
  await applySeal(await planOf(journal.run), {
    clock: systemClock,
    logs,
    name,
    outcome: { status: 'success' },
  });
  return name;
}

test('[SEAL-2] the first result of a sample is chosen, and of its failures the last, by generation and not by number', async () => {
  const run = runRecord();
  const one = await newWriter(dir.path, run, { writer: 'one', generation: 1 });
  await attempts(one, ['x', 'errored'], ['failed', 'errored'], ['done', 'completed'], ['first', 'completed']);
  const two = await newWriter(dir.path, run, { writer: 'two', generation: 2, after: ['one'] });
  await attempts(two, ['failed', 'errored'], ['done', 'completed'], ['first', 'errored'], ['x', 'completed']);
  one.close();
  two.close();
  expect(sources(await planOf(run))).toEqual({
    done_epoch_1: 'one 3',
    failed_epoch_1: 'two 1',
    first_epoch_1: 'one 4',
    x_epoch_1: 'two 4',
  });
});

test('[SEAL-2] what the run made itself comes before what another log lends, and that before a failure', async () => {
  const name = await lender();
  const run = runOf('a', 'b');
  const writer = await newWriter(dir.path, run, { writer: 'own' });
  lend(writer, 'a', name);
  lend(writer, 'b', name);
  await attempts(writer, ['a', 'completed'], ['b', 'errored']);
  writer.close();
  const plan = await planOf(run);
  expect(sources(plan)).toEqual({ a_epoch_1: 'own 1', b_epoch_1: 'log lender.eval' });
  expect(plan.counts).toMatchObject({ completed: 1, reused: 1, errored: 0, missing: 0 });
});

test('[SEAL-5] a log that is gone, and a sample that is damaged there, lend nothing, and it is said', async () => {
  const name = await lender();
  const bytes = readFileSync(join(dir.path, name));
  const at = bytes.indexOf('samples/a_epoch_1.json') + 60;
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(join(dir.path, name), bytes);
  const run = runOf('a', 'b', 'c');
  const writer = await newWriter(dir.path, run);
  lend(writer, 'a', name);
  lend(writer, 'b', name);
  lend(writer, 'c', 'gone.eval');
  await writer.flush();
  writer.close();
  const plan = await planOf(run);
  expect(sources(plan)).toEqual({ b_epoch_1: 'log lender.eval' });
  expect(plan.counts).toMatchObject({ reused: 1, missing: 2 });
  expect([...plan.completed]).toEqual(['b_epoch_1']);
  expect(plan.problems).toEqual([
    expect.stringContaining('Sample a, epoch 1'),
    expect.stringContaining('gone.eval'),
  ]);
});

test('[SEAL-4] what is planned and not there is named, and what is there and not planned is not sealed', async () => {
  const run = runOf('a', 'b', 'c');
  const writer = await newWriter(dir.path, run);
  await attempts(writer, ['a', 'completed'], ['stray', 'completed']);
  writer.close();
  const plan = await planOf(run);
  expect(plan.missing).toEqual([
    { id: 'b', epoch: 1 },
    { id: 'c', epoch: 1 },
  ]);
  expect(Object.keys(sources(plan))).toEqual(['a_epoch_1']);
  expect([...plan.completed]).toEqual(['a_epoch_1']);
  expect(plan.counts).toMatchObject({ planned: 3, completed: 1, missing: 2 });
});

test('[SEAL-4] a run that does not name its samples still says how many are missing', async () => {
  const run = runRecord();
  const writer = await newWriter(dir.path, run);
  await attempts(writer, ['a', 'completed']);
  writer.close();
  expect((await planOf(run)).counts).toMatchObject({ planned: 4, completed: 1, missing: 3 });
});

test.each([
  ['the same', 'same', 0],
  ['another', 'any', 1],
] as const)(
  'what %s definition lent stands for answers that wait: %s leaves %i',
  async (_, mode, waiting) => {
    const run = runRecord();
    const writer = await newWriter(dir.path, run);
    await writer.startAttempt(sampleStart('a')).answer(someAnswer('paid'), []);
    writer.recordReuse({
      id: 'a',
      epoch: 1,
      log: 'x',
      runId: 'r',
      mode,
      summary: summarize(sampleFields('a')),
    });
    await writer.flush();
    writer.close();
    const { journals } = await planOf(run);
    expect(countWaiting(journals)).toBe(waiting);
  },
);

test('a log begins with the first of its samples, whoever ran it and in whatever zone', async () => {
  const run = { ...runRecord(), created: '2026-06-10T12:00:00+00:00' };
  const writer = await newWriter(dir.path, run);
  for (const [id, started_at] of [
    ['a', '2026-06-10T13:30:00+02:00'],
    ['b', '2026-06-10T09:00:00-04:00'],
  ] as const)
    await writer.startAttempt(sampleStart(id)).finish('completed', sampleFields(id, { started_at }));
  writer.close();
  await applySeal(await planOf(run), { clock: systemClock, logs, outcome: { status: 'success' } });
  const log = await logs.open(run.logName);
  expect((await log?.header())?.stats.started_at).toBe('2026-06-10T13:30:00+02:00');
  await log?.close();
});

test('[SHR-5] of a shared run only the attempts that are named are results: what others say was interrupted', async () => {
  const run = runRecord();
  const lost = await newWriter(dir.path, run, { writer: 'lost' });
  const named = await newWriter(dir.path, run, { writer: 'named' });
  await attempts(lost, ['a', 'completed'], ['b', 'completed']);
  await attempts(named, ['a', 'errored']);
  for (const writer of [lost, named]) {
    await writer.flush();
    writer.close();
  }
  const journals = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, run.runId) });
  onClose.push(() => journals.close());
  const plan = await planSeal(journals, logs, (origin) => origin.includes('/named/'));
  expect(sources(plan)).toEqual({ a_epoch_1: 'named 1', b_epoch_1: 'lost 2' });
  expect(plan.counts).toMatchObject({ completed: 0, errored: 1, interrupted: 1 });
  const { header } = await applySeal(plan, { clock: systemClock, logs, outcome: { status: 'success' } });
  expect(header.results?.completed_samples).toBe(0);
  const log = await logs.open(run.logName);
  expect((await log?.sampleFields('b', 1))?.error?.message).toContain('interrupted');
  await log?.close();
});
