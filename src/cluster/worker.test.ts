import { expect, test } from 'vitest';
import { RUN, runInMemory as submitted } from '../../test/sim/run-in-memory.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { shortId, systemClock, systemRandom } from '../base/index.ts';
import { bucketErrors } from '../bucket/index.ts';
import { cancelIfFailing } from './failing-runs.ts';
import { LeaseBook } from './lease-book.ts';
import { beginRound, cancelRound, writeCancelled } from './rounds.ts';
import { type JobId, sampleJob } from './shared-keys.ts';
import type { SharedRun } from './shared-run.ts';
import { SignsOfLife } from './signs-of-life.ts';
import type { RunSession, WorkerOptions } from './worker.ts';

/** Dies, with everything that it has in hand, when it gets the poison. */
function mortalSession(
  { place, lostMax }: { readonly place: WorkerOptions['place']; readonly lostMax: number },
  poison: JobId,
): RunSession {
  const death = Promise.withResolvers<never>();
  death.promise.catch(() => undefined);
  let isGone = false;
  return {
    ...{ book: new LeaseBook(place, { run: RUN, clock: systemClock }), writer: 'x', lostMax },
    get isGone() {
      return isGone;
    },
    async work({ job }) {
      if (isGone) throw new Error('the process ended');
      await systemClock.sleep(20);
      if (job === poison) {
        isGone = true;
        death.reject(new Error('the process ended'));
      }
      return await Promise.race([
        death.promise,
        systemClock.sleep(20).then(() => ({ status: 'completed' as const, origin: job })),
      ]);
    },
  };
}

async function untilComplete(shared: SharedRun): Promise<void> {
  while (!shared.isComplete) {
    await systemClock.sleep(20);
    await shared.refresh();
  }
}

test('[SHR-8] what a job does to its process is not held against a job that was waiting for its place', async () => {
  const run = await submitted(4, 2);
  const poison = sampleJob(0);
  const worker = run.serve({ openSession: async () => mortalSession(run, poison) });
  await untilComplete(run.shared);
  await worker.stop();
  const ends = [0, 1, 2, 3].map((position) => run.shared.endOf(sampleJob(position))?.status);
  expect(ends).toEqual(['aside', 'completed', 'completed', 'completed']);
});

test('[SHR-8] what takes a machine and all processes of its samples with it is set aside, and no other sample', async () => {
  const run = await submitted(4, 3);
  const poison = sampleJob(0);
  const running = new Set<(reason: Error) => void>();
  const alone = async (): Promise<RunSession> => {
    const death = Promise.withResolvers<never>();
    death.promise.catch(() => undefined);
    let isGone = false;
    const die = (reason: Error) => {
      isGone = true;
      death.reject(reason);
    };
    return {
      ...{ book: new LeaseBook(run.place, { run: RUN, clock: systemClock }), lostMax: 3 },
      writer: shortId(systemRandom),
      get isGone() {
        return isGone;
      },
      async work({ job }) {
        running.add(die);
        try {
          await Promise.race([death.promise, systemClock.sleep(200)]);
          if (job === poison) for (const one of running) one(new Error('out of memory'));
          await Promise.race([death.promise, systemClock.sleep(200)]);
          return { status: 'completed', origin: job };
        } finally {
          running.delete(die);
        }
      },
    };
  };
  const book = new LeaseBook(run.place, { run: RUN, clock: systemClock });
  const worker = run.serve({ slots: 4, openSession: async () => ({ book, lostMax: 3, alone }) });
  await untilComplete(run.shared);
  await worker.stop();
  const ends = [0, 1, 2, 3].map((position) => run.shared.endOf(sampleJob(position))?.status);
  expect(ends).toEqual(['aside', 'completed', 'completed', 'completed']);
});

test('a worker that cannot open a run says so with its sign of life, and the job is there for others', async () => {
  const run = await submitted(1, 2);
  const worker = run.serve({ openSession: () => Promise.reject(new Error('other packages')) });
  let refuses: unknown;
  while (refuses === undefined) {
    await systemClock.sleep(50);
    const beat = JSON.parse(Buffer.from((await run.place.bucket.read('workers/w')) ?? []).toString() || '{}');
    refuses = beat.refuses;
  }
  expect(refuses).toEqual([{ run: RUN, reason: 'other packages', round: 1 }]);
  await worker.stop();
  expect(await run.queue.count(RUN)).toBe(1);
  expect(run.shared.leasesOf(sampleJob(0))).toEqual([]);
});

test('[SHR-8] what breaks a session is not held against its jobs: they are returned, others have them, and the worker says why', async () => {
  const run = await submitted(6, 1);
  const problems: string[] = [];
  let opened = 0;
  const sick = run.serve({
    ...{
      worker: 'sick',
      signs: new SignsOfLife(run.place, { worker: 'sick', clock: systemClock, slots: 2 }),
    },
    openSession: async () => {
      opened++;
      let failure: Error | undefined;
      return {
        ...{ book: new LeaseBook(run.place, { run: RUN, clock: systemClock }), writer: 's', lostMax: 1 },
        get isGone() {
          return failure !== undefined;
        },
        get failure() {
          return failure;
        },
        async work() {
          failure = new Error('the disk is full');
          return { status: 'returned', reason: failure.message };
        },
      };
    },
    onProblem: (error) => problems.push(String(error)),
  });
  while (problems.length === 0) await systemClock.sleep(20);
  const well = run.serve({ openSession: async () => mortalSession(run, sampleJob(99)) });
  await untilComplete(run.shared);
  await sick.stop();
  await well.stop();
  expect(opened).toBe(1);
  expect(new Set(problems)).toEqual(new Set(['Error: the disk is full']));
  const leases = [...run.shared.jobs()].flatMap((job) => run.shared.leasesOf(job));
  const sickly = leases.filter(({ begun }) => begun.worker === 'sick').map(({ ended }) => ended);
  expect(sickly.length).toBeGreaterThan(0);
  for (const ended of sickly) expect(ended).toMatchObject({ status: 'returned', reason: 'the disk is full' });
  expect([...run.shared.jobs()].map((job) => run.shared.endOf(job)?.status)).toEqual(
    Array.from({ length: 6 }, () => 'completed'),
  );
  const beat = JSON.parse(Buffer.from((await run.place.bucket.read('workers/sick')) ?? []).toString());
  expect(beat.refuses).toEqual([{ run: RUN, reason: 'the disk is full', round: 1 }]);
});

test('a worker that refuses all that it is handed leaves a long queue to others, who have it promptly', async () => {
  const run = await submitted(400, 2);
  let refusals = 0;
  const refusing = run.serve({
    ...{ worker: 'r', signs: new SignsOfLife(run.place, { worker: 'r', clock: systemClock, slots: 2 }) },
    openSession: () => Promise.reject(new Error('other packages')),
    onProblem: () => refusals++,
  });
  await systemClock.sleep(2_500);
  const startedMs = systemClock.monotonicMs();
  const able = run.serve({ slots: 20, openSession: async () => mortalSession(run, sampleJob(999)) });
  await untilComplete(run.shared);
  expect(systemClock.monotonicMs() - startedMs).toBeLessThan(60_000);
  await refusing.stop();
  await able.stop();
  expect(refusals).toBeLessThan(12);
  expect(refusals).toBeGreaterThan(2);
});

test('a worker goes by itself when there was nothing to do for as long as it may, and not before', async () => {
  const run = await submitted(3, 2);
  const startedMs = systemClock.monotonicMs();
  const worker = run.serve({ idleExitMs: 300, openSession: async () => mortalSession(run, sampleJob(99)) });
  await worker.served;
  await run.shared.refresh();
  expect(run.shared.isComplete).toBe(true);
  expect(systemClock.monotonicMs() - startedMs).toBeGreaterThan(300);
});

test('a session of which nothing more comes is closed with its worker', async () => {
  const run = await submitted(2, 2);
  let closed = 0;
  const worker = run.serve({
    openSession: async () => ({
      ...mortalSession(run, sampleJob(99)),
      isGone: false,
      close: async () => void closed++,
    }),
  });
  await untilComplete(run.shared);
  expect(closed).toBe(0);
  await worker.stop();
  expect(closed).toBe(1);
});

test('[SHR-6] a worker that the bucket does not hear lets others have its jobs, goes on with them, and takes no other', async () => {
  const run = await submitted(2, 2);
  const { bucket } = run.place;
  let isCut = false;
  const request = async <T>(ask: () => Promise<T>) => {
    if (isCut) throw bucketErrors.away(bucket.url, new Error('the cable is cut'));
    return ask();
  };
  const place = {
    ...run.place,
    bucket: withMethods(bucket, {
      create: (key, bytes) => request(() => bucket.create(key, bytes)),
      replaceIf: (key, replacement) => request(() => bucket.replaceIf(key, replacement)),
      read: (key) => request(() => bucket.read(key)),
      readTagged: (key) => request(() => bucket.readTagged(key)),
      stat: (key) => request(() => bucket.stat(key)),
    }),
  };
  const signsOf = (worker: string, at: WorkerOptions['place']) =>
    new SignsOfLife(at, { worker, clock: systemClock, slots: 1, intervalMs: 50, silenceMs: 400 });
  const begun: string[] = [];
  const released = Promise.withResolvers<void>();
  const session = (worker: string, at: WorkerOptions['place']): RunSession => ({
    ...{ book: new LeaseBook(at, { run: RUN, clock: systemClock }), writer: worker, lostMax: 2 },
    async work({ job }) {
      begun.push(`${worker} ${job}`);
      if (worker === 'far') await released.promise;
      return { status: 'completed', origin: `${worker} ${job}` };
    },
  });
  const far = run.serve({
    ...{ worker: 'far', slots: 1, place, signs: signsOf('far', place) },
    openSession: async () => session('far', place),
  });
  while (begun.length === 0) await systemClock.sleep(10);
  isCut = true;
  // Long enough for it to let go of what it has: it could have the other job by now.
  await systemClock.sleep(2_000);
  const near = run.serve({
    ...{ worker: 'near', slots: 1, signs: signsOf('near', run.place) },
    openSession: async () => session('near', run.place),
  });
  await untilComplete(run.shared);
  expect(begun).toEqual(['far s0', 'near s1', 'near s0']);
  released.resolve();
  isCut = false;
  await far.stop();
  await near.stop();
  await run.shared.refresh();
  expect(run.shared.leasesOf(sampleJob(0))).toMatchObject([
    { begun: { worker: 'far' }, ended: { status: 'lost', by: 'near' } },
    { begun: { worker: 'near' }, ended: { status: 'completed', origin: 'near s0' } },
  ]);
});

test.each([
  ['[SHR-10] what is under way of a round that was cancelled is returned', { isSpent: false }, 'returned'],
  [
    '[SHR-18] but not when the money is spent: it buys nothing more, and may end',
    { isSpent: true },
    'completed',
  ],
  [
    '[SHR-10] unless a person cancels as well: then it is returned',
    { isSpent: true, isCancelled: true },
    'returned',
  ],
] as const)('%s', async (_name, { isSpent, ...more }, status) => {
  const run = await submitted(1, 2);
  const begun = Promise.withResolvers<void>();
  const session: RunSession = {
    ...mortalSession(run, sampleJob(99)),
    async work(_lease, { signal }) {
      begun.resolve();
      await systemClock.sleep(4_500, signal);
      return { status: 'completed', origin: 'x' };
    },
  };
  const worker = run.serve({ openSession: async () => session });
  await begun.promise;
  const words = { run: RUN, round: 1, clock: systemClock, by: 'w', reason: 'enough' };
  await writeCancelled(run.place, isSpent ? { ...words, letsFinish: true } : words);
  if ('isCancelled' in more) await cancelRound(run.shared, run.place, { clock: systemClock, by: 'somebody' });
  const endOf = () => run.shared.leasesOf(sampleJob(0))[0]?.ended;
  for (; !endOf(); await systemClock.sleep(50)) await run.shared.refresh();
  await worker.stop();
  expect(endOf()?.status).toBe(status);
  expect(run.shared.cancelled?.reason).toBe('enough');
});

/** Every second job fails: s0, s2, s4 … */
function failingSession(
  { place, lostMax }: { readonly place: WorkerOptions['place']; readonly lostMax: number },
  failOnError: boolean | number,
): RunSession {
  return {
    ...{ book: new LeaseBook(place, { run: RUN, clock: systemClock }), writer: 'x', lostMax, failOnError },
    async work({ job }) {
      await systemClock.sleep(20);
      return { status: Number(job.slice(1)) % 2 === 0 ? 'errored' : 'completed', origin: job };
    },
  };
}

test.each([
  ['at the first', true, 1],
  ['at a count', 3, 3],
  ['beyond a share of all', 0.1, 3],
] as const)(
  '[SHR-20] a round of which too many fail is cancelled with the reason: %s',
  async (_name, failOnError, failed) => {
    const run = await submitted(20, 2, { failOnError });
    const worker = run.serve({ slots: 1, openSession: async () => failingSession(run, failOnError) });
    for (; !run.shared.isCancelled && !run.shared.isComplete; await systemClock.sleep(20))
      await run.shared.refresh();
    await worker.stop();
    await run.shared.refresh();
    expect(run.shared.cancelled).toMatchObject({
      ...{ by: 'w', because: 'errors', letsFinish: true },
      reason: expect.stringContaining('failed'),
    });
    const ends = [...run.shared.jobs()].map((job) => run.shared.endOf(job)?.status);
    expect(ends.filter((status) => status === 'errored')).toHaveLength(failed);
    // The next round begins its count anew: what failed in this one is due again.
    await beginRound(run.shared, run.place, { clock: systemClock, by: 'laptop' });
    await cancelIfFailing(run.shared, run.place, { clock: systemClock, by: 'laptop' });
    expect(run.shared.isCancelled).toBe(false);
  },
);

test('[SHR-20] two workers count together', async () => {
  const run = await submitted(40, 2, { failOnError: 6 });
  const [a, b] = ['a', 'b'].map((name) =>
    run.serve({
      ...{ worker: name, slots: 1, openSession: async () => failingSession(run, 6) },
      signs: new SignsOfLife(run.place, { worker: name, clock: systemClock, slots: 1 }),
    }),
  );
  for (; !run.shared.isCancelled && !run.shared.isComplete; await systemClock.sleep(20))
    await run.shared.refresh();
  await a?.stop();
  await b?.stop();
  await run.shared.refresh();
  const errored = [...run.shared.jobs()].filter((job) => run.shared.endOf(job)?.status === 'errored');
  // One more may have been under way in the other.
  expect([6, 7]).toContain(errored.length);
});
