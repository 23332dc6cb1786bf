/** What becomes of an unfinished run whose plan was another. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
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
import { newWriter, sampleFields, sampleStart } from '../../test/sim/journal-fixture.ts';
import { defineEval } from '../evals/index.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

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
  await harness.run(twoTurns(4), { model: later.model });
  expect(later.asked).toEqual(['question 3 second']);
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
