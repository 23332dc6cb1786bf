import { expect, test } from 'vitest';
import { countedReads } from '../../test/sim/counted-reads.ts';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import { systemRandom } from '../base/index.ts';
import { bucketErrors } from '../bucket/index.ts';
import type { JobQueue, QueuedJob } from './job-queue.ts';
import { KnownRuns } from './known-runs.ts';
import { buildJob, type JobId, sampleJob } from './shared-keys.ts';
import { SignsOfLife } from './signs-of-life.ts';
import { Worker } from './worker.ts';
import { WorkersWatch } from './workers-seen.ts';

const LOOK_MS = 10_000;

/** A worker that is never handed anything, on a bucket that counts; what it found due is told. */
async function idleWorker(fixture: ReturnType<typeof sharedFixture>) {
  const counted = countedReads(fixture.bucket);
  const place = { ...fixture.place, bucket: counted.bucket };
  const stop = new AbortController();
  const added: QueuedJob[] = [];
  const queue: JobQueue = {
    add: async (jobs) => void added.push(...jobs),
    count: async () => 0,
    serve: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    close: async () => undefined,
  };
  const { clock } = fixture;
  const signs = new SignsOfLife(fixture.place, { worker: 'w', clock, slots: 1 });
  const worker = new Worker({
    ...{ worker: 'w', place, queue, signs, clock, slots: 1, signal: stop.signal },
    openSession: async () => undefined,
  });
  const served = worker.serve();
  await clock.advance(0);
  return {
    counted,
    /** What the next look finds due, and which objects it reads for that. */
    async look() {
      added.splice(0);
      counted.reset();
      await clock.advance(LOOK_MS);
      return { due: added.map(({ job }) => job), read: counted.takeRead() };
    },
    async stop() {
      stop.abort(new Error('enough'));
      await served;
    },
  };
}

async function endJob(
  { book, taker }: ReturnType<typeof sharedFixture>,
  job: JobId,
  status: 'completed' | 'errored' = 'completed',
) {
  const taken = await book.take(job, taker('a'));
  if (taken.kind !== 'taken') throw new Error(`${job} is ${taken.kind}`);
  await book.end(taken.lease, { status, by: 'a', origin: 'o' });
}

test('a worker with nothing to do reads of a run what is new since it last looked, and nothing twice', async () => {
  const fixture = sharedFixture({ samples: 4 });
  await fixture.submit();
  await endJob(fixture, sampleJob(0));
  const worker = await idleWorker(fixture);
  const first = await worker.look();
  expect(first.due).toEqual(['s1', 's2', 's3']);
  expect(first.read).toContain(`${RUN}/shared/submission`);
  expect(await worker.look()).toEqual({ due: ['s1', 's2', 's3'], read: [] });
  await endJob(fixture, sampleJob(1));
  const third = await worker.look();
  expect(third.due).toEqual(['s2', 's3']);
  expect(third.read.map((key) => key.split('/').at(-1))).toEqual(['s1.0001.begun', 's1.0001.ended']);
  await worker.stop();
});

test('of a run whose samples have their results in order only what may have news is listed again', async () => {
  const fixture = sharedFixture({ samples: 2_500, lent: '3-990,1000-1999' });
  const shared = await fixture.submit();
  const counted = countedReads(fixture.bucket);
  const runs = new KnownRuns({ ...fixture.place, bucket: counted.bucket });
  for (const position of [0, 1, 2, 991, 992, 993, 994, 995, 996, 997, 998])
    await endJob(fixture, sampleJob(position));
  await endJob(fixture, sampleJob(999), 'errored');
  await endJob(fixture, sampleJob(2_000));
  await runs.look(RUN);
  counted.reset();
  await runs.look(RUN);
  // One of the first thousand failed: another round may run it again.
  expect(counted.takeListed().filter((key) => key.includes('/leases/0000/'))).toHaveLength(24);
  await endJob({ ...fixture, taker: (worker) => fixture.taker(worker, 2) }, sampleJob(999));
  await runs.look(RUN);
  counted.reset();
  const known = await runs.look(RUN);
  expect(counted.takeListed().filter((key) => key.includes('/leases/'))).toEqual([
    `${RUN}/shared/leases/0002/s2000.0001.begun`,
    `${RUN}/shared/leases/0002/s2000.0001.ended`,
  ]);
  await shared.refresh();
  expect([...(known?.due() ?? [])]).toEqual([...shared.due()]);
  expect(known?.leasesOf(sampleJob(999))).toEqual(shared.leasesOf(sampleJob(999)));
});

test('[SHR-24] an idle worker sees that what was damaged is whole again, although all else of the round is over', async () => {
  const fixture = sharedFixture({ samples: 2 });
  const { book, bucket } = fixture;
  await fixture.submit();
  await endJob(fixture, sampleJob(0));
  const taken = await book.take(sampleJob(1), fixture.taker('a'));
  if (taken.kind !== 'taken') throw new Error('it was free');
  await book.end(taken.lease, { status: 'returned', by: 'a' });
  const key = book.keys.ended(sampleJob(1), 1);
  const whole = await bucket.readTagged(key);
  if (!whole) throw new Error('it was ended');
  const etag = await bucket.replaceIf(key, { bytes: whole.bytes.slice(0, 20), etag: whole.etag });
  const worker = await idleWorker(fixture);
  expect((await worker.look()).due).toEqual([]);
  expect(await worker.look()).toEqual({ due: [], read: [key] });
  await bucket.replaceIf(key, { bytes: whole.bytes, etag: etag ?? '' });
  expect((await worker.look()).due).toEqual(['s1']);
  await worker.stop();
});

test('builds are listed however many samples are over', async () => {
  const recipe = 'cd'.repeat(32);
  const job = buildJob(recipe);
  const fixture = sharedFixture({
    samples: 1,
    builds: [{ job, unit: 'schema/shop', recipe, samples: '', needs: [] }],
  });
  await fixture.submit();
  const runs = new KnownRuns(fixture.place);
  await endJob(fixture, sampleJob(0));
  expect(await runs.look(RUN)).toMatchObject({ isComplete: false });
  await endJob(fixture, job);
  expect(await runs.look(RUN)).toMatchObject({ isComplete: true });
});

test('a run that could not be read is read by the next who asks; what was read before stays', async () => {
  const fixture = sharedFixture({ samples: 2 });
  await fixture.submit();
  await endJob(fixture, sampleJob(0));
  const counted = countedReads(fixture.bucket);
  let isAway = true;
  const bucket = new Proxy(counted.bucket, {
    get(target, name) {
      if (isAway && name === 'list') throw bucketErrors.away('memory', new Error('the cable is cut'));
      return Reflect.get(target, name);
    },
  });
  const runs = new KnownRuns({ ...fixture.place, bucket });
  await expect(runs.look(RUN)).rejects.toMatchObject({ code: 'E_BUCKET_AWAY' });
  isAway = false;
  await runs.look(RUN);
  isAway = true;
  await expect(runs.look(RUN)).rejects.toMatchObject({ code: 'E_BUCKET_AWAY' });
  isAway = false;
  counted.reset();
  const [one, other] = await Promise.all([runs.look(RUN), runs.look(RUN)]);
  expect(counted.takeRead()).toEqual([]);
  expect(one).toBe(other);
  expect(await runs.look('another')).toBeUndefined();
});

test('signs of life of workers that are gone are not read with every look, and one that comes back is seen', async () => {
  const fixture = sharedFixture();
  const { clock } = fixture;
  const counted = countedReads(fixture.bucket);
  const watch = new WorkersWatch({ ...fixture.place, bucket: counted.bucket }, { random: systemRandom });
  const signs = async (worker: string) => (await fixture.ports(worker)).signs;
  const [ended, frozen, alive] = [await signs('ended'), await signs('frozen'), await signs('alive')];
  await ended.stop();
  await clock.advance(61_000);
  await alive.give();
  const look = async () => {
    counted.reset();
    const { workers } = await watch.look();
    return {
      states: workers.map(({ worker, state }) => `${worker} ${state}`),
      read: counted.takeRead().map((key) => key.split('/').at(-1)),
    };
  };
  const states = ['alive live', 'ended ended', 'frozen silent'];
  expect(await look()).toEqual({ states, read: ['alive', 'ended', 'frozen'] });
  expect(await look()).toEqual({ states, read: ['alive'] });
  await frozen.give();
  const later: string[][] = [];
  for (let count = 0; count < 9; count++) later.push((await look()).states);
  expect(later.at(-1)).toEqual(['alive live', 'ended ended', 'frozen live']);
});
