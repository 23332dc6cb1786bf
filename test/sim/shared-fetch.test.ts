import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { type Bucket, directoryBucket, type ListOptions } from '../../src/bucket/index.ts';
import {
  cancelRound,
  collectRuns,
  comeHome,
  createSubmission,
  LeaseBook,
  leftBySubmit,
  sampleJob,
} from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { StateDir } from '../../src/journal/index.ts';
import { directoryLogStore, type EvalSample } from '../../src/log/index.ts';
import { countingModel, twoTurns } from '../interrupted-run.ts';
import { createHarness } from '../run-harness.ts';
import { headerOf, samplesOf } from './read-log.ts';
import {
  bringHome,
  openZombie,
  type Submitted,
  startWorker,
  submit,
  untilComplete,
} from './shared-machines.ts';
import { useTempDir } from './use-temp-dir.ts';
import { withMethods } from './with-methods.ts';

const dir = useTempDir();
const SAMPLES = 6;

/** A run that two workers have completed. */
async function completed(): Promise<Submitted> {
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  const { model } = countingModel();
  const submitted = await submit(bucket, { dir: dir.path, eval: twoTurns(SAMPLES), model });
  const workers = [
    await startWorker(submitted, { name: 'a', model }),
    await startWorker(submitted, { name: 'b', model }),
  ];
  await untilComplete(submitted);
  for (const worker of workers) await worker.stop();
  return submitted;
}

/** A run that was submitted, and how it is fetched: as one on which somebody may work, or nobody does. */
async function begun() {
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  const { model } = countingModel();
  const submitted = await submit(bucket, { dir: dir.path, eval: twoTurns(SAMPLES), model });
  const { shared, place, settings } = submitted;
  const { state, logs } = settings.places;
  const fetch = (isSettled: boolean) =>
    comeHome(shared, { ...{ disk: nodeDisk, clock: systemClock, place, state, logs }, isSettled });
  return { submitted, shared, place, model, fetch };
}

function atHome(submitted: Submitted, name: string): Submitted {
  const logDir = join(dir.path, name, 'logs');
  const places = { logs: directoryLogStore(nodeDisk, logDir), logDir, state: StateDir.of(logDir) };
  return { ...submitted, settings: { ...submitted.settings, places } };
}

const logsIn = (name: string) =>
  readdirSync(join(dir.path, name, 'logs')).filter((file) => file.endsWith('.eval'));

test('of many who fetch a run at once into one folder each is told of the one log; elsewhere comes an equal one, as often as it is fetched', async () => {
  const submitted = await completed();
  const reports = await Promise.all([
    ...Array.from({ length: 3 }, () => bringHome(submitted)),
    bringHome(atHome(submitted, 'elsewhere')),
  ]);
  for (const report of reports)
    expect(report).toMatchObject({
      isComplete: true,
      lostResults: [],
      problems: [],
      log: expect.any(String),
    });
  expect(new Set(reports.slice(0, 3).map(({ log }) => log)).size).toBe(1);
  expect([logsIn('laptop').length, logsIn('elsewhere').length]).toEqual([1, 1]);
  const [here = [], there] = await Promise.all(
    [reports[0], reports[3]].map((report) => samplesOf(report?.log ?? '')),
  );
  expect(here).toHaveLength(SAMPLES);
  expect(there).toEqual(here);
  expect(await bringHome(submitted)).toEqual(reports[0]);
});

test('[SHR-21] a round that was cancelled has a log once nobody works on it, of what is there; the complete one has another', async () => {
  const { submitted, shared, place, model, fetch } = await begun();
  const zombie = await openZombie(submitted, { name: 'a', model });
  for (const position of [0, 1]) await zombie.work(sampleJob(position));
  expect(await fetch(true)).not.toHaveProperty('log');
  await cancelRound(shared, place, { clock: systemClock, by: 'laptop', reason: 'enough' });
  expect(await fetch(false)).toMatchObject({ isComplete: false, cancelled: { reason: 'enough' } });
  expect(logsIn('laptop')).toEqual([]);
  const partial = await fetch(true);
  expect(partial).toMatchObject({ isComplete: false, samples: { completed: 2, due: SAMPLES - 2 } });
  expect(await headerOf(partial.log ?? '')).toMatchObject({ status: 'cancelled' });
  expect(await samplesOf(partial.log ?? '')).toHaveLength(2);
  expect(await fetch(true)).toEqual(partial);
  // What is left ends after all, as when it was under way: then the round is complete.
  for (let position = 2; position < SAMPLES; position++) await zombie.work(sampleJob(position));
  await zombie.close();
  const whole = await fetch(true);
  expect(whole).toMatchObject({ isComplete: true, samples: { completed: SAMPLES } });
  expect((await headerOf(whole.log ?? '')).status).toBe('success');
  expect([await samplesOf(partial.log ?? ''), await samplesOf(whole.log ?? '')]).toMatchObject([
    { length: 2 },
    { length: SAMPLES },
  ]);
});

test('[SHR-24] what damaged segments held is missing in a log of another name, and the whole one is made when they are restored', async () => {
  const { submitted, shared, place, model, fetch } = await begun();
  const { bucket } = place;
  for (const [name, jobs] of [
    ['a', [0, 1]],
    ['b', [2, 3, 4, 5]],
  ] as const) {
    const zombie = await openZombie(submitted, { name, model });
    for (const position of jobs) await zombie.work(sampleJob(position));
    await zombie.close();
  }
  await shared.refresh();
  const writer = shared.leasesOf(sampleJob(0))[0]?.begun.writer ?? '';
  const whole = new Map<string, Uint8Array>();
  for await (const { key } of bucket.list(`${place.prefix}${shared.run}/segments/${writer}/`))
    whole.set(key, (await bucket.read(key)) ?? Buffer.alloc(0));
  const put = async (change: (bytes: Uint8Array) => Uint8Array) => {
    for (const [key, bytes] of whole) {
      await bucket.remove(key);
      await bucket.create(key, change(bytes));
    }
  };
  await put((bytes) => bytes.map((byte, at) => (at === Math.floor(bytes.length / 2) ? byte ^ 1 : byte)));
  const torn = await fetch(false);
  expect(torn.lostResults).toEqual([sampleJob(0), sampleJob(1)]);
  expect(torn.log).toMatch(/-without2\.eval$/);
  expect(await samplesOf(torn.log ?? '')).toHaveLength(SAMPLES - 2);
  await put((bytes) => bytes);
  const again = await fetch(false);
  expect(again).toMatchObject({ lostResults: [], problems: [] });
  expect(again.log).not.toBe(torn.log);
  expect(await samplesOf(again.log ?? '')).toHaveLength(SAMPLES);
});

test('[SHR-21] what ends after there was a log of a cancelled round, as of a worker that was frozen, is in another log, once', async () => {
  const { submitted, shared, place, model, fetch: fetched } = await begun();
  const fetch = () => fetched(true);
  const frozen = await openZombie(submitted, { name: 'a', model });
  await frozen.work(sampleJob(0));
  await cancelRound(shared, place, { clock: systemClock, by: 'laptop' });
  const early = await fetch();
  await frozen.work(sampleJob(1));
  await frozen.close();
  const late = await fetch();
  expect([early.log, late.log]).toMatchObject([
    expect.stringMatching(/-partial\.eval$/),
    expect.stringMatching(/-partial-2\.eval$/),
  ]);
  const sizes = [(await samplesOf(early.log ?? '')).length, (await samplesOf(late.log ?? '')).length];
  expect([sizes, late.samples.completed]).toEqual([[1, 2], 2]);
  expect(await fetch()).toEqual(late);
  expect(logsIn('laptop')).toHaveLength(2);
});

test('[SHR-21] the account of a cancelled round names what a worker had that fell silent, until it comes back', async () => {
  const { shared, place, fetch } = await begun();
  const book = new LeaseBook(place, { run: shared.run, clock: systemClock });
  const taken = await book.take(sampleJob(3), { round: 1, worker: 'a', writer: 'w' });
  if (taken.kind !== 'taken') throw new Error('it was free');
  await cancelRound(shared, place, { clock: systemClock, by: 'laptop' });
  expect((await fetch(false)).lostLeases).toEqual([]);
  expect((await fetch(true)).lostLeases).toEqual([
    { job: sampleJob(3), n: 1, by: 'fetch', reason: expect.stringContaining('worker a gave no sign') },
  ]);
  await book.end(taken.lease, { status: 'returned', by: 'a', reason: 'it came back' });
  expect((await fetch(true)).lostLeases).toEqual([]);
});

test('a log is the same in whatever order the bucket names segments and leases', async () => {
  const submitted = await completed();
  const turned = (bucket: Bucket) =>
    withMethods(bucket, {
      async *list(folder) {
        yield* (await Array.fromAsync(bucket.list(folder))).reverse();
      },
    });
  const place = { ...submitted.place, bucket: turned(submitted.place.bucket) };
  const [one, other] = [
    await bringHome(submitted),
    await bringHome(atHome({ ...submitted, place }, 'elsewhere')),
  ];
  expect(await samplesOf(other.log ?? '')).toEqual(await samplesOf(one.log ?? ''));
  expect((await headerOf(other.log ?? '')).results).toEqual((await headerOf(one.log ?? '')).results);
});

test('samples of a shared run have the fields, and the values, of those of a local run', async () => {
  const shared = await bringHome(await completed());
  const harness = await createHarness();
  try {
    const local = await harness.run(twoTurns(SAMPLES), { model: countingModel().model });
    const [far, near] = [await samplesOf(shared.log ?? ''), await samplesOf(local.account.log ?? '')];
    expect(far.map(keysOf)).toEqual(near.map(keysOf));
    const told = ({ id, epoch, input, target, output, scores }: EvalSample) =>
      JSON.stringify({
        id,
        epoch,
        input,
        target,
        text: output.completion,
        scores: Object.keys(scores ?? {}),
      });
    expect(far.map(told)).toEqual(near.map(told));
    const kinds = ({ events }: EvalSample) => events?.map(({ event }) => event);
    expect(far.map(kinds)).toEqual(near.map(kinds));
  } finally {
    await harness.close();
  }
});

function keysOf(sample: EvalSample): readonly string[] {
  return Object.keys(sample).sort();
}

test('a run that was cancelled before anything was done says so, once nobody works on it', async () => {
  const { shared, place, fetch } = await begun();
  expect(await fetch(false)).not.toHaveProperty('isUndone');
  await cancelRound(shared, place, { clock: systemClock, by: 'laptop' });
  expect(await fetch(false)).not.toHaveProperty('isUndone');
  expect(await fetch(true)).toMatchObject({ isUndone: true, samples: { due: SAMPLES } });
});

test('[SHR-26] who fetches a run while it is removed is told that, and not that results are lost', async () => {
  const { shared, place, settings } = await completed();
  const { state, logs } = settings.places;
  const removing = withMethods(place.bucket, {
    list: (folder, options) => removed(folder, options),
  });
  async function* removed(folder: string, options?: ListOptions) {
    if (folder.includes('/segments')) {
      await place.bucket.create(`${place.prefix}removed/${shared.run}`, new Uint8Array());
      await place.bucket.remove(shared.keys.submission);
    }
    if (!folder.includes('/segments')) yield* place.bucket.list(folder, options);
  }
  const fetching = comeHome(shared, {
    ...{ disk: nodeDisk, clock: systemClock, place: { ...place, bucket: removing }, state, logs },
  });
  await expect(fetching).rejects.toMatchObject({ code: 'E_SHARED_REMOVED' });
});

test('what a submit left that died goes after a day; what was tried in it stays', async () => {
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  const { model } = countingModel();
  const submitted = await submit(bucket, { dir: dir.path, eval: twoTurns(SAMPLES), model });
  const { shared, place } = submitted;
  const { run } = shared;
  const sharedKeys = async () => (await Array.fromAsync(bucket.list(shared.keys.root))).map(({ key }) => key);
  await bucket.removeAll(await sharedKeys());
  const left = (days: number, of: string = run) =>
    leftBySubmit(place, {
      ...{ run: of, disk: nodeDisk, scratchDir: dir.path },
      nowMs: systemClock.nowMs() + days * 86_400_000,
    });
  expect(await left(0.5)).toBeUndefined();
  const collect = () =>
    collectRuns(place, {
      ...{ clock: systemClock, olderThanMs: 0, nowMs: systemClock.nowMs(), isDryRun: true },
      leftBy: (of) => left(2, of),
    });
  expect(await collect()).toMatchObject([{ run, isRemoved: true, reason: expect.stringContaining('died') }]);
  await createSubmission(place, shared.submission);
  const zombie = await openZombie(submitted, { name: 'a', model });
  await zombie.work(sampleJob(0));
  await zombie.close();
  await bucket.removeAll(await sharedKeys());
  expect(await left(2)).toBeUndefined();
});
