/** Runs of machines that are gone, or may be: what is taken, and who is fenced first. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countingModel, damageFirstAttempt, plannedRun, twoTurns } from '../../test/interrupted-run.ts';
import { createHarness, type Harness, type HarnessOptions } from '../../test/run-harness.ts';
import { moveToAnotherMachine } from '../../test/sim/another-machine.ts';
import {
  infoEvent,
  newWriter,
  type SomeWriter,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import type { Bucket } from '../bucket/index.ts';
import type { JournalWriter, RunRecord } from '../journal/index.ts';

let harness: Harness;
let bucket: Bucket;
let run: RunRecord;
beforeEach(async () => {
  harness = await createHarness();
  bucket = memoryBucket();
  run = await plannedRun(harness, 3);
});
afterEach(() => harness.close());

/** A writer of that run, in some directory, with one sample that is completed. */
async function writerWith(id: string, dir: string, about: SomeWriter): Promise<JournalWriter> {
  const writer = await newWriter(dir, run, about);
  await writer.startAttempt(sampleStart(id)).finish('completed', sampleFields(id));
  return writer;
}

async function ship(writer: JournalWriter): Promise<void> {
  await writer.shipTo({ bucket, prefix: '' }).ship();
  writer.close();
}

/** The bucket with something that happens right before it is asked to do something with a key that has `part` in it. */
const actBefore = (method: 'create' | 'read', part: string, act: () => Promise<void>): Bucket => {
  const meant = async (key: string) => {
    if (key.includes(part)) await act();
  };
  return method === 'create'
    ? withMethods(bucket, {
        create: async (key, bytes, signal) => {
          await meant(key);
          return bucket.create(key, bytes, signal);
        },
      })
    : withMethods(bucket, {
        read: async (key, signal) => {
          await meant(key);
          return bucket.read(key, signal);
        },
      });
};

/** What the log of an old run lists. */
async function samplesIn(name: string) {
  const log = await harness.places.logs.open(name);
  const found: unknown[] = [];
  for await (const { id, completed } of log?.summaries() ?? []) found.push({ id, completed });
  await log?.close();
  return found;
}

async function runAgain(more: HarnessOptions = {}, samples = 3) {
  const { model, asked } = countingModel();
  const { account } = await harness.run(twoTurns(samples), {
    model,
    places: { ...harness.places, segments: { bucket, prefix: '' } },
    ...more,
  });
  expect(account).toMatchObject({ state: 'done', samples: { planned: samples, lost: 0, remaining: 0 } });
  return { account, asked, isSameRun: account.runId === run.runId };
}

const isFencedInBucket = async (writer: string) =>
  (await bucket.stat(`${run.runId}/fenced/${writer}`)) !== undefined;

describe('segments', () => {
  const away = () => join(harness.dir, 'away');

  test('of every writer of a run come home, and nothing of theirs is bought again', async () => {
    for (const [index, id] of ['q0', 'q2'].entries()) {
      const writer = await writerWith(id, away(), { writer: `w${index}` });
      await writer.end('interrupted');
      await ship(writer);
    }
    const { account, asked, isSameRun } = await runAgain();
    expect(isSameRun).toBe(true);
    expect(account.samples).toMatchObject({ kept: 2, fresh: 1 });
    expect(asked).toEqual(['question 1 first', 'question 1 second']);
  });

  test('come home whole also when another process begins, and brings them home too, in the middle of it', async () => {
    for (const [index, id] of ['q0', 'q2'].entries()) {
      const writer = await writerWith(id, away(), { writer: `w${index}` });
      await writer.end('interrupted');
      await ship(writer);
    }
    const places = { ...harness.places, segments: { bucket, prefix: '' } };
    const signals = { drain: AbortSignal.abort(), abort: new AbortController().signal };
    let other: Promise<unknown> | undefined;
    const meeting = actBefore('read', '/segments/w1/', async () => {
      // It sweeps what crashes left, brings the run home, and stops before it would buy anything.
      other ??= harness.run(twoTurns(3), { model: countingModel().model, places, signals });
      await other;
    });
    const { account, asked } = await runAgain({
      places: { ...places, segments: { bucket: meeting, prefix: '' } },
    });
    expect(account.damage ?? []).toEqual([]);
    expect(account.samples).toMatchObject({ kept: 2, fresh: 1 });
    expect(asked).toEqual(['question 1 first', 'question 1 second']);
  });

  test.each([
    ['goes on', 3],
    ['takes its place', 4],
  ])('of a writer whose journal here is damaged complete it, for the run that %s', async (_, samples) => {
    const writer = await newWriter(harness.stateDir, run, { writer: 'w' });
    const first = writer.startAttempt(sampleStart('q0'));
    first.event(infoEvent('q0'));
    await first.finish('completed', sampleFields('q0'));
    await writer.startAttempt(sampleStart('q1')).answer(someAnswer('paid for'), []);
    await ship(writer);
    await damageFirstAttempt(harness, run.runId);
    const { account } = await runAgain({}, samples);
    // What is damaged is said, but nothing of it is lost.
    expect(account.damage?.join()).toContain('is damaged');
    expect(account.notes.join()).toContain('was looked for in the bucket: 1 segment of 1 writer');
    expect(account).toMatchObject({ answers: { lost: 0 }, usd: { lost: 0 } });
    expect(account.samples.kept).toBe(samples === 3 ? 1 : 0);
    const listed = { id: 'q0', completed: true };
    expect(await samplesIn(run.logName)).toContainEqual(listed);
    expect(readdirSync(harness.stateDir).filter((name) => name.includes('tmp'))).toEqual([]);
  });

  test('of a writer whose answer is lost here have it, and it is not counted as lost', async () => {
    const writer = await newWriter(harness.stateDir, run, { writer: 'w' });
    const attempt = writer.startAttempt(sampleStart('q1'));
    await attempt.answer(someAnswer('paid for'), [infoEvent('q1')]);
    await ship(writer);
    const db = new DatabaseSync(join(harness.stateDir, run.runId, 'w', 'journal.db'));
    db.exec("UPDATE answers SET data = data || ' '");
    db.close();
    const { account } = await runAgain();
    expect(account.damage?.join()).toContain('is damaged');
    expect(account).toMatchObject({ answers: { lost: 0 }, usd: { lost: 0 } });
  });

  test('of another eval are not even read', async () => {
    const ours = run;
    run = { ...ours, identity: { ...ours.identity, eval: 'another' } };
    const writer = await writerWith('q0', away(), { writer: 'w' });
    await writer.end('interrupted');
    await ship(writer);
    let reads = 0;
    const counting = actBefore('read', '/segments/', async () => void reads++);
    const places = { ...harness.places, segments: { bucket: counting, prefix: '' } };
    const { account } = await runAgain({ places });
    expect(account.samples).toMatchObject({ kept: 0, fresh: 3 });
    expect(reads).toBe(0);
    // Without its records only the segments can tell.
    await bucket.remove(`${run.runId}/records/w`);
    await runAgain({ places, reuse: 'any' });
    expect(reads).toBeGreaterThan(0);
  });

  test('[JRN-8] of a process that lives are left alone, also when somebody vouches for its death', async () => {
    await ship(await writerWith('q0', away(), { writer: 'living' }));
    const { account, isSameRun } = await runAgain({ forceDead: true });
    expect(isSameRun).toBe(false);
    expect(account.samples).toMatchObject({ kept: 0, fresh: 3 });
    expect(account.notes.join()).toContain('may be alive');
    expect(await isFencedInBucket('living')).toBe(false);
  });

  test('[JRN-8] of a machine that cannot be seen are left alone while nobody vouches', async () => {
    const writer = await writerWith('q0', away(), { writer: 'far' });
    moveToAnotherMachine(away());
    await ship(writer);
    const { account, isSameRun } = await runAgain();
    expect(isSameRun).toBe(false);
    expect(account.notes.join()).toContain('--force-dead');
    expect(await isFencedInBucket('far')).toBe(false);
  });

  test('[JRN-13] of a writer that somebody vouches for come home, and it is fenced in the bucket', async () => {
    const writer = await writerWith('q0', away(), { writer: 'far' });
    moveToAnotherMachine(away());
    await ship(writer);
    const { account, isSameRun } = await runAgain({ forceDead: true });
    expect(isSameRun).toBe(true);
    expect(account.samples).toMatchObject({ kept: 1, fresh: 2 });
    expect(await isFencedInBucket('far')).toBe(true);
  });

  test('[JRN-13] that arrive until the writer meets its fence are read as well', async () => {
    const writer = await writerWith('q0', away(), { writer: 'far' });
    moveToAnotherMachine(away());
    const shipper = writer.shipTo({ bucket, prefix: '' });
    await shipper.ship();
    const waking = actBefore('create', '/fenced/', async () => {
      if (writer.failure !== undefined) return;
      await writer.startAttempt(sampleStart('q1')).finish('completed', sampleFields('q1'));
      await shipper.ship();
      writer.fail(new Error('asleep again'));
    });
    const places = { ...harness.places, segments: { bucket: waking, prefix: '' } };
    const { account } = await runAgain({ forceDead: true, places });
    writer.close();
    expect(account.samples).toMatchObject({ kept: 2, fresh: 1 });
  });
});

describe('a journal of another machine, on a disk that both see', () => {
  async function left(): Promise<string> {
    const writer = await writerWith('q0', harness.stateDir, { writer: 'far' });
    moveToAnotherMachine(harness.stateDir);
    writer.close();
    return writer.dir;
  }

  test('[JRN-8] is not gone on with while nobody vouches', async () => {
    const dir = await left();
    const { account, isSameRun } = await runAgain();
    expect(isSameRun).toBe(false);
    expect(account.notes.join()).toContain('cannot be told from this machine');
    expect(existsSync(join(dir, 'journal.db'))).toBe(true);
    expect(existsSync(join(dir, 'fenced'))).toBe(false);
  });

  test('[JRN-13] is gone on with when somebody vouches, after its writer was fenced here and in the bucket', async () => {
    const dir = await left();
    let isFencedHere = false;
    const observer = {
      onRunStart: () => {
        isFencedHere = existsSync(join(dir, 'fenced'));
      },
    };
    const { account, isSameRun } = await runAgain({ forceDead: true, observer });
    expect(isSameRun).toBe(true);
    expect(account.samples).toMatchObject({ kept: 1, fresh: 2 });
    expect(isFencedHere).toBe(true);
    expect(await isFencedInBucket('far')).toBe(true);
  });

  test('[JRN-13] is fenced before it is carried over into another plan', async () => {
    await left();
    const { account } = await harness.run(twoTurns(4), {
      model: countingModel().model,
      forceDead: true,
      places: { ...harness.places, segments: { bucket, prefix: '' } },
    });
    expect(account).toMatchObject({ state: 'done', samples: { planned: 4, lost: 0 } });
    expect(account.notes.join()).toContain('had another plan');
    expect(await isFencedInBucket('far')).toBe(true);
  });
});
