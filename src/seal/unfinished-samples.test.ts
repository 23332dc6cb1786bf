import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import {
  filledJournal,
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
} from '../../test/sim/journal-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { openRunJournals } from '../journal/index.ts';
import { directoryLogStore } from '../log/index.ts';
import { applySeal, planSeal } from './index.ts';

test('[JRN-10] a sample whose record is damaged is shown with what it said, but it failed, and its scores count for nothing', async () => {
  await using dir = await makeTempDir();
  const journal = await filledJournal(dir.path);
  journal.close();
  const db = new DatabaseSync(journal.reader.path);
  db.exec('DELETE FROM events WHERE attempt = 1');
  db.close();
  const journals = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, journal.run.runId) });
  const logs = directoryLogStore(nodeDisk, dir.path);
  const plan = await planSeal(journals, logs);
  expect(plan.counts).toMatchObject({ completed: 1, errored: 1, interrupted: 2 });
  await applySeal(plan, { clock: systemClock, logs, outcome: { status: 'error' } });
  journals.close();

  const log = await logs.open(plan.run.logName);
  const [damaged, whole] = [await log?.sampleFields('a', 1), await log?.sampleFields('b', 1)];
  expect(damaged).toMatchObject({ input: 'question a', scores: {} });
  expect(damaged?.error?.message).toMatch(/^The record of this sample is damaged: /);
  expect(whole).toMatchObject({ scores: { exact: { value: 1 } } });
  expect(whole?.error).toBeUndefined();
  expect((await log?.header())?.results).toMatchObject({ completed_samples: 1 });
  expect((await log?.header())?.results?.scores[0]?.scored_samples).toBe(1);
  await log?.close();
});

test('a sample that was under way says so, and one that failed does not: they are not taken for each other', async () => {
  await using dir = await makeTempDir();
  const run = runRecord();
  const journal = await newWriter(dir.path, run);
  const metadata = { topic: 'sea', holdfast: { key: 'k', content: 'c' } };
  const startOf = (id: string) => {
    const { sample, ...start } = sampleStart(id);
    return journal.startAttempt({ ...start, sample: { ...sample, metadata } });
  };
  const error = { message: 'boom', traceback: 'boom', traceback_ansi: 'boom' };
  await startOf('failed').finish('errored', sampleFields('failed', { metadata, error, scores: {} }));
  startOf('under way');
  await journal.flush();
  journal.close();
  const journals = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, run.runId) });
  const logs = directoryLogStore(nodeDisk, dir.path);
  await applySeal(await planSeal(journals, logs), {
    clock: systemClock,
    logs,
    outcome: { status: 'error' },
  });
  journals.close();

  const log = await logs.open(run.logName);
  expect((await log?.sampleFields('under way', 1))?.metadata).toEqual({
    topic: 'sea',
    holdfast: { key: 'k', content: 'c', interrupted: true },
  });
  expect((await log?.sampleFields('failed', 1))?.metadata).toEqual(metadata);
  await log?.close();
});

test('a sample that was under way shows its conversation up to the last answer', async () => {
  await using dir = await makeTempDir();
  const run = runRecord();
  const journal = await newWriter(dir.path, run);
  const attempt = journal.startAttempt(sampleStart('a'));
  const messages: { role: string; content: string }[] = [];
  for (const [question, answer] of [
    ['one?', 'first'],
    ['two?', 'second'],
    ['three?', 'third'],
  ] as const) {
    messages.push({ role: 'user', content: question });
    const message = { role: 'assistant', content: answer };
    attempt.event({
      event: 'model',
      timestamp: '2026-01-01T00:00:00+00:00',
      model: 'mock/m',
      input: [...messages],
      tools: [],
      tool_choice: 'auto',
      config: {},
      output: { model: 'mock/m', choices: [{ message, stop_reason: 'stop' }] },
    });
    messages.push(message);
  }
  await journal.flush();
  journal.close();
  const journals = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, run.runId) });
  const logs = directoryLogStore(nodeDisk, dir.path);
  const outcome = { status: 'error' } as const;
  await applySeal(await planSeal(journals, logs), { clock: systemClock, logs, outcome });
  journals.close();
  const log = await logs.open(run.logName);
  const sample = await log?.sample('a', 1);
  await log?.close();
  expect(sample?.messages.map(({ content }) => content)).toEqual(messages.map(({ content }) => content));
  expect(sample?.output?.choices[0]?.message.content).toBe('third');
});
