import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { bucketErrors, directoryBucket } from '../../src/bucket/index.ts';
import { collectDisk, letWriterGo } from '../../src/cluster/collect-disk.ts';
import { activeRuns, sampleJob } from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { journalPath, shipDead } from '../../src/journal/index.ts';
import { countingModel, twoTurns } from '../interrupted-run.ts';
import { machine, openShared, openZombie, submit } from './shared-machines.ts';
import { useTempDir } from './use-temp-dir.ts';
import { withMethods } from './with-methods.ts';

const dir = useTempDir();
const DAY_MS = 86_400_000;

async function submitted() {
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  const options = { dir: dir.path, eval: twoTurns(2), model: countingModel().model };
  const one = await submit(bucket, options);
  const { state } = machine('w', options).settings.places;
  const { run } = one.shared;
  const writers = () => readdirSync(state.runDir(run)).filter((name) => !name.startsWith('.'));
  const collect = async () =>
    collectDisk({
      ...{ disk: nodeDisk, state, active: await activeRuns(one.place), nowMs: systemClock.nowMs() },
    });
  const end = async (position: number) => {
    const shared = await openShared(one, { name: 'w' });
    const { signal } = new AbortController();
    await shared.runSample({ position, earlier: [], signal });
    return shared;
  };
  /** Says of both samples that they are over, whoever did them. */
  const complete = async () => {
    const zombie = await openZombie(one, { name: 'other', model: countingModel().model });
    for (const position of [0, 1]) await zombie.work(sampleJob(position));
    await zombie.close();
    // As a worker with nothing to do finds out.
    for await (const { key } of bucket.list('.holdfast/active/')) await bucket.remove(key);
  };
  return { ...one, state, run, writers, collect, end, complete };
}

test('journals go when nobody writes them, the bucket has all of them and nothing of their run is due; and not before', async () => {
  const run = await submitted();
  const session = await run.end(0);
  await session.ship();
  expect(await run.collect()).toMatchObject({ journals: 0 });
  await run.complete();
  // It is open, so somebody may write it.
  expect(await run.collect()).toMatchObject({ journals: 0 });
  await session.close();
  expect(await run.collect()).toMatchObject({ journals: 1 });
  expect(run.writers()).toEqual([]);
  expect(await run.collect()).toMatchObject({ journals: 0 });
});

test('a journal of which the bucket lacks a row stays, also when its run is gone there', async () => {
  const run = await submitted();
  const { bucket } = run.place;
  let isCut = false;
  const cut = withMethods(bucket, {
    create: (key, bytes, signal) =>
      isCut && key.includes('/segments/')
        ? Promise.reject(bucketErrors.away(bucket.url, new Error('the cable is cut')))
        : bucket.create(key, bytes, signal),
  });
  const session = await openShared({ ...run, place: { ...run.place, bucket: cut } }, { name: 'w' });
  const { signal } = new AbortController();
  await session.runSample({ position: 0, earlier: [], signal });
  await session.ship();
  isCut = true;
  await session.runSample({ position: 1, earlier: [], signal });
  await session.close();
  await run.complete();
  expect(await run.collect()).toMatchObject({ journals: 0 });
  await bucket.remove(run.shared.keys.submission);
  expect(await run.collect()).toMatchObject({ journals: 0 });
  expect(run.writers()).toHaveLength(1);
});

test('the journal of one process goes with it while its run has more due, once the bucket has all of it', async () => {
  const run = await submitted();
  const { bucket, prefix } = run.place;
  let isAway = true;
  const cut = withMethods(bucket, {
    create: (key, bytes, signal) =>
      isAway && key.includes('/segments/')
        ? Promise.reject(bucketErrors.away(bucket.url, new Error('the cable is cut')))
        : bucket.create(key, bytes, signal),
  });
  const session = await openShared({ ...run, place: { ...run.place, bucket: cut } }, { name: 'w' });
  const { writer } = session;
  const path = journalPath(run.state.runDir(run.run), writer);
  const ship = () => shipDead(path, { bucket: cut, prefix, clock: systemClock });
  const letGo = () => letWriterGo({ run: run.run, writer }, { disk: nodeDisk, state: run.state, ship });
  await session.runSample({ position: 0, earlier: [], signal: new AbortController().signal });
  // It is open, so somebody may write it.
  expect(await letGo()).toBe(false);
  await session.close();
  expect([await letGo(), run.writers()]).toEqual([false, [writer]]);
  isAway = false;
  expect([await letGo(), run.writers()]).toEqual([true, []]);
  expect((await activeRuns(run.place)).has(run.run)).toBe(true);
  // What it was answered is in the bucket, and whoever goes on with the sample buys none of it.
  const next = countingModel();
  const other = await openShared(run, { name: 'w', model: next.model });
  await other.runSample({ position: 0, earlier: [writer], signal: new AbortController().signal });
  expect(next.asked).toEqual([]);
  await other.close();
});

test('what agents wrote goes with the run when it is a day old', async () => {
  const run = await submitted();
  const work = run.state.workDir(run.run);
  const old = new Date(Date.now() - DAY_MS - 1_000);
  for (const name of ['old', 'young']) {
    mkdirSync(join(work, name), { recursive: true });
    writeFileSync(join(work, name, 'notes.txt'), name);
  }
  utimesSync(join(work, 'old'), old, old);
  expect(await run.collect()).toEqual({ journals: 0, work: 0 });
  await run.complete();
  const session = await run.end(0);
  expect(await run.collect()).toEqual({ journals: 0, work: 0 });
  await session.close();
  expect(await run.collect()).toEqual({ journals: 1, work: 1 });
  expect([existsSync(join(work, 'old')), existsSync(join(work, 'young'))]).toEqual([false, true]);
});
