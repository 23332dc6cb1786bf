/** What becomes of an unfinished run whose plan was another. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  countingModel,
  damageFirstAttempt,
  plannedRun,
  recordOf,
  stopAt,
  twoTurns,
} from '../../test/interrupted-run.ts';
import { createHarness, type Harness } from '../../test/run-harness.ts';
import { moveToAnotherMachine } from '../../test/sim/another-machine.ts';
import { newWriter, sampleFields, sampleStart, someAnswer } from '../../test/sim/journal-fixture.ts';
import { nodeDisk } from '../disk/index.ts';
import { defineEval } from '../evals/index.ts';
import { findRuns } from '../journal/index.ts';
import { fenceFound } from './fence-found.ts';
import type { RunSettings } from './settings.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

/** Changes the second answer of a run's one writer, so that its checksum no longer fits. */
function loseAnswer(runDir: string): void {
  const [writer = ''] = readdirSync(runDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const db = new DatabaseSync(join(runDir, writer, 'journal.db'));
  db.exec("UPDATE answers SET data = data || ' ' WHERE occurrence = 1");
  db.close();
}

const setAside = () => readdirSync(join(harness.stateDir, 'damaged'));

test('it becomes a log, from which results and answers are taken', async () => {
  await stopAt(harness, 3);
  const second = await stopAt(harness, 9, { which: [0, 1, 9] });
  expect(second.outcome.account).toMatchObject({ state: 'interrupted', samples: { reused: 2 } });
  expect(second.outcome.account.notes.join()).toContain('it became ');
  const { model, asked } = countingModel();
  const { account } = await harness.run(twoTurns([0, 1, 9]), { model });
  expect(account).toMatchObject({ state: 'done', samples: { reused: 2, replayed: 1, lost: 0 } });
  expect(asked).toEqual(['question 9 second']);
  // The sample that only the first plan had was under way, and its answer is still known.
  const later = countingModel();
  const last = await harness.run(twoTurns(4), { model: later.model });
  expect(later.asked).toEqual(['question 3 second']);
  expect(last.account.samples).toMatchObject({ reused: 3, replayed: 1 });
  expect(last.results).toMatchObject({ total_samples: 4, completed_samples: 4 });
  // It was cut off, which is no failure.
  const samples = await harness.samples(last.account.log);
  expect(samples.find(({ id }) => id === 'q3')?.error_retries ?? []).toEqual([]);
});

test('results of other code are not taken from it, its answers are', async () => {
  await stopAt(harness, 2);
  const { model, asked } = countingModel();
  const { account } = await harness.run(defineEval({ ...twoTurns(3), version: 2 }), { model });
  expect(account).toMatchObject({ state: 'done', samples: { kept: 0, reused: 0, replayed: 3, lost: 0 } });
  expect(asked).toEqual(['question 2 second']);
});

test('[SEAL-5] a run that is damaged is taken over as far as it is whole, and then set aside', async () => {
  const { outcome } = await stopAt(harness, 2);
  const { runId } = outcome.account;
  await damageFirstAttempt(harness, runId);
  const { model, asked } = countingModel();
  const { account } = await harness.run(twoTurns(4), { model });
  expect(account).toMatchObject({ state: 'done', samples: { planned: 4, reused: 1, lost: 0 } });
  expect(asked).not.toContain('question 1 first');
  expect(setAside()).toEqual([runId]);
  // It is no mere note: a run that buys again because of it does not end with 0.
  expect(account.damage?.join()).toContain('is damaged');
});

test('answers that it lost are in the account of the run that takes its place, with their price', async () => {
  const run = await plannedRun(harness, 3);
  const writer = await newWriter(harness.stateDir, run);
  const attempt = writer.startAttempt(sampleStart('q0'));
  for (const turn of [0, 1]) await attempt.answer(someAnswer(`answer ${turn}`, turn), []);
  writer.close();
  loseAnswer(join(harness.stateDir, run.runId));
  const { account } = await harness.run(twoTurns(4), { model: countingModel().model });
  expect(account).toMatchObject({ state: 'done', answers: { lost: 1 }, usd: { lost: 0.25 } });
  expect(account.damage?.join()).toMatch(/1 of 2 answers cannot be read, for which \$0\.25/);
});

test('[JRN-13] a writer that came after the run was found, of whom nobody can tell, is left alone', async () => {
  const run = await plannedRun(harness, 3);
  const runDir = join(harness.stateDir, run.runId);
  const first = await newWriter(harness.stateDir, run, { writer: 'first' });
  await first.startAttempt(sampleStart('q0')).finish('completed', sampleFields('q0'));
  first.close();
  moveToAnotherMachine(runDir);
  const { found } = await findRuns(nodeDisk, harness.stateDir);
  const late = await newWriter(harness.stateDir, run, { writer: 'late', generation: 2, after: ['first'] });
  late.close();
  moveToAnotherMachine(runDir);
  const settings = { disk: nodeDisk, places: harness.places } as RunSettings;
  expect(found).toHaveLength(1);
  for (const one of found) expect(await fenceFound(one, settings)).toBe(false);
  expect(existsSync(join(runDir, 'first', 'fenced'))).toBe(false);
  // Found anew, both are vouched for.
  for (const one of (await findRuns(nodeDisk, harness.stateDir)).found)
    expect(await fenceFound(one, settings)).toBe(true);
  for (const writer of ['first', 'late']) expect(existsSync(join(runDir, writer, 'fenced'))).toBe(true);
});

test('a run that another process let go since it was found is busy, not damaged', async () => {
  const run = await plannedRun(harness, 3);
  const writer = await newWriter(harness.stateDir, run);
  await writer.startAttempt(sampleStart('q0')).finish('completed', sampleFields('q0'));
  writer.close();
  const { found } = await findRuns(nodeDisk, harness.stateDir);
  rmSync(join(harness.stateDir, run.runId), { recursive: true });
  const settings = { disk: nodeDisk, places: harness.places } as RunSettings;
  expect(found).toHaveLength(1);
  for (const one of found) expect(await fenceFound(one, settings)).toBe(false);
});

test('[SEAL-5] a sample that cannot be written into the log of the old run keeps the journals of that run', async () => {
  const { outcome } = await stopAt(harness, 2);
  const { runId } = outcome.account;
  const late = await newWriter(harness.stateDir, await recordOf(harness, runId), { generation: 2 });
  const limit = { type: 'no such limit', limit: 1 } as never;
  await late.startAttempt(sampleStart('q2')).finish('completed', sampleFields('q2', { limit }));
  late.close();
  const { account } = await harness.run(twoTurns(4), { model: countingModel().model });
  expect(account).toMatchObject({ state: 'done', samples: { planned: 4, lost: 0 } });
  expect(setAside()).toEqual([runId]);
  expect(account.notes.join()).toContain('q2_epoch_1');
});

test('the log of a run that had done all of it when another plan came is a success', async () => {
  const run = await plannedRun(harness, 2);
  const writer = await newWriter(harness.stateDir, run);
  for (const id of ['q0', 'q1'])
    await writer.startAttempt(sampleStart(id)).finish('completed', sampleFields(id));
  writer.close();
  const { account } = await harness.run(twoTurns(3), { model: countingModel().model });
  expect(account).toMatchObject({ state: 'done', samples: { planned: 3, lost: 0 } });
  const log = await harness.places.logs.open(run.logName);
  expect((await log?.header())?.status).toBe('success');
  await log?.close();
});
