/** A run whose log is in place is let go only when nobody can add anything to it any more, and after that was looked at. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countingModel, plannedRun, sealNow, twoTurns } from '../../test/interrupted-run.ts';
import { createHarness, type Harness, type HarnessOptions } from '../../test/run-harness.ts';
import { moveToAnotherMachine } from '../../test/sim/another-machine.ts';
import { newWriter, type SomeWriter, sampleFields, sampleStart } from '../../test/sim/journal-fixture.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { nodeDisk } from '../disk/index.ts';
import { lockRun, type RunLock, type RunRecord } from '../journal/index.ts';
import type { LogStore } from '../log/index.ts';

let harness: Harness;
let run: RunRecord;
let runDir = '';
beforeEach(async () => {
  harness = await createHarness();
  run = await plannedRun(harness, 3);
  runDir = join(harness.stateDir, run.runId);
  await write('q0', { writer: 'first' });
  await sealNow(harness, run.runId);
});
afterEach(() => harness.close());

/** One more writer of the run, that ended with one sample. */
async function write(id: string, about: SomeWriter): Promise<void> {
  const writer = await newWriter(harness.stateDir, run, about);
  await writer.startAttempt(sampleStart(id)).finish('completed', sampleFields(id));
  writer.close();
}

async function runAnother(more: HarnessOptions = {}): Promise<string> {
  const { model } = countingModel();
  const { account } = await harness.run(twoTurns(3), { model, ...more });
  expect(account).toMatchObject({ state: 'done', samples: { lost: 0 } });
  expect(account.runId).not.toBe(run.runId);
  return account.notes.join();
}

test('[SEAL-3] it goes when its log holds all of it', async () => {
  await runAnother();
  expect(existsSync(runDir)).toBe(false);
});

test('[SEAL-5] it stays when its journals are damaged, although its log holds every sample, and it is said', async () => {
  const db = new DatabaseSync(join(runDir, 'first', 'journal.db'));
  db.exec("UPDATE results SET data = data || ' '");
  db.close();
  const { account } = await harness.run(twoTurns(3), { model: countingModel().model });
  expect(account.damage?.join()).toContain('or are damaged');
  expect(existsSync(runDir)).toBe(true);
});

test('[JRN-13] one that somebody vouched for is fenced in the bucket before it goes', async () => {
  moveToAnotherMachine(runDir);
  const bucket = memoryBucket();
  const places = { ...harness.places, segments: { bucket, prefix: '' } };
  await runAnother({ forceDead: true, places });
  expect(existsSync(runDir)).toBe(false);
  expect(await bucket.stat(`${run.runId}/fenced/first`)).toBeDefined();
});

test('[JRN-8] one of another machine stays while nobody vouches', async () => {
  moveToAnotherMachine(runDir);
  expect(await runAnother()).toContain('cannot be told from this machine');
  expect(existsSync(runDir)).toBe(true);
  expect(existsSync(join(runDir, 'first', 'fenced'))).toBe(false);
});

test('[JRN-13] [SEAL-5] it stays with what a newer writer acknowledged until the fence was there', async () => {
  moveToAnotherMachine(runDir);
  let isFenced = false;
  const disk = withMethods(nodeDisk, {
    link: async (existing, name) => {
      if (name === join(runDir, 'first', 'fenced')) {
        isFenced = true;
        await write('q1', { writer: 'newer', generation: 2, after: ['first'] });
      }
      return nodeDisk.link(existing, name);
    },
  });
  expect(await runAnother({ forceDead: true, disk })).toContain('hold 1 sample more');
  expect(isFenced).toBe(true);
  expect(existsSync(join(runDir, 'newer', 'journal.db'))).toBe(true);
});

test('[JRN-8] it stays while a newer writer, that came after it was found, works on it', async () => {
  let lock: RunLock | undefined;
  let opened = 0;
  const { logs } = harness.places;
  const open: LogStore['open'] = (name) => {
    // After its run was found dead it is looked at for whether that is sealed.
    if (name === run.logName && ++opened === 1) lock = lockRun(runDir);
    return logs.open(name);
  };
  const notes = await runAnother({ places: { ...harness.places, logs: withMethods(logs, { open }) } });
  expect(lock).toBeDefined();
  lock?.release();
  expect(notes).not.toContain('under way');
  expect(existsSync(runDir)).toBe(true);
});
