import { expect, test } from 'vitest';
import { RUN, sharedFixture } from '../../../test/sim/shared-fixture.ts';
import { withMethods } from '../../../test/sim/with-methods.ts';
import { systemClock } from '../../base/index.ts';
import { type Bucket, bucketErrors } from '../../bucket/index.ts';
import {
  cancelRound,
  type JobId,
  type LeaseBegun,
  type RunStatus,
  type SeenWorker,
  SharedRun,
  SignsOfLife,
  type Submission,
  sampleJob,
} from '../../cluster/index.ts';
import { EXIT } from '../exit-code.ts';
import { exitOfWait, type WaitEnd, type Waited, type WaitFlags, waitForRun } from './await-runs.ts';
import { unservedText } from './status-lines.ts';

const RECORD = { identity: { eval: 'e', targetName: 't' } };

/** A run in memory, somebody who waits for it, and a worker that lives. */
async function waitedFor(samples: number, flags: WaitFlags, wrap = (bucket: Bucket) => bucket) {
  const fixture = sharedFixture({ samples, record: Object.assign(Object.create(null), RECORD) });
  await fixture.submit();
  const place = { ...fixture.place, bucket: wrap(fixture.bucket) };
  const shared = await SharedRun.open(place, RUN);
  if (!shared) throw new Error('nothing was submitted');
  const { signs } = await fixture.ports('a');
  const said: string[] = [];
  const waiting = waitForRun(shared, {
    place: { ...place, url: 'memory', store: fixture.bucket },
    ...{ queue: undefined, flags, signal: new AbortController().signal },
    note: (text) => said.push(text),
  });
  const take = async (job: JobId) => {
    const taken = await fixture.book.take(job, fixture.taker('a'));
    if (taken.kind !== 'taken') throw new Error(`${job} is ${taken.kind}`);
    return taken.lease;
  };
  const end = (lease: LeaseBegun, status: 'completed' | 'returned') =>
    fixture.book.end(lease, { status, by: 'a' });
  const complete = async (job: JobId) => void (await end(await take(job), 'completed'));
  return { waiting, complete, take, end, signs, said, shared, place: fixture.place };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('what is slow is waited for: each job that ends begins the time of --no-progress anew', async () => {
  const run = await waitedFor(3, { progress: 10_000 });
  for (let position = 0; position < 3; position++) {
    await sleep(4_000);
    await run.complete(sampleJob(position));
  }
  expect(await run.waiting).toMatchObject({ end: 'complete' });
});

test('a run of which nothing ends is given up after --no-progress, however much its workers live', async () => {
  const run = await waitedFor(1, { progress: 1_500, timeout: 60_000 });
  const beats = setInterval(() => void run.signs.give(), 200);
  try {
    expect(await run.waiting).toMatchObject({ end: 'no-progress', status: { state: 'queued' } });
  } finally {
    clearInterval(beats);
  }
});

/** The same on a clock that only the test moves; the worker beats until it is told to stop. */
async function timed(flags: WaitFlags = {}, more: Partial<Submission> = {}) {
  const record = Object.assign(Object.create(null), RECORD);
  const fixture = sharedFixture({ samples: 2, ...more, record });
  const { clock, book } = fixture;
  await fixture.submit();
  let isAway = false;
  const bucket = withMethods<Bucket>(fixture.bucket, {
    async *list(folder, options) {
      if (isAway) throw bucketErrors.away('memory', new Error('no answer'));
      yield* fixture.bucket.list(folder, options);
    },
  });
  const place = { bucket, prefix: '', url: 'memory', store: bucket };
  const shared = await SharedRun.open(place, RUN);
  if (!shared) throw new Error('nothing was submitted');
  const worker = async (name: string) => {
    const signs = new SignsOfLife(fixture.place, { worker: name, clock, slots: 1 });
    await signs.start();
    return signs;
  };
  const signs = await worker('a');
  const said: string[] = [];
  let ended: Waited | undefined;
  const waiting = waitForRun(shared, {
    ...{ place, queue: undefined, flags: { quiet: true, ...flags }, clock },
    ...{ signal: new AbortController().signal, note: (text) => said.push(text) },
  }).then((waited) => {
    ended = waited;
    return waited;
  });
  const take = async (job: JobId) => {
    const taken = await book.take(job, fixture.taker('a'));
    if (taken.kind !== 'taken') throw new Error(`${job} is ${taken.kind}`);
    return taken.lease;
  };
  return {
    ...{ clock, waiting, take, said, signs, another: async () => void (await worker('b')) },
    ended: () => ended?.end,
    goAway: (now: boolean) => {
      isAway = now;
    },
    end: (lease: LeaseBegun, status: 'completed' | 'errored' | 'returned') =>
      book.end(lease, { status, by: 'a' }),
  };
}

type Timed = Awaited<ReturnType<typeof timed>>;

/** What makes a run look bad, and what makes it look well again. */
const DOUBTS: readonly (readonly [
  WaitEnd,
  string,
  { readonly bad: (run: Timed) => Promise<void>; readonly good: (run: Timed) => Promise<void> },
])[] = [
  [
    'unknown',
    'its bucket is away',
    { bad: async (run) => run.goAway(true), good: async (run) => run.goAway(false) },
  ],
  [
    'stalled',
    'who has something of it says that nothing follows (stalled)',
    {
      bad: async (run) => {
        await run.take(sampleJob(0));
        await run.signs.stop();
      },
      good: (run) => run.another(),
    },
  ],
  [
    'stalled',
    'nobody has anything of it, and nobody is there (interrupted)',
    {
      bad: async (run) => {
        await run.end(await run.take(sampleJob(0)), 'returned');
        await run.signs.stop();
      },
      good: (run) => run.another(),
    },
  ],
];

test.each(DOUBTS)(
  'whoever waits ends with %s after a minute, and not before: %s',
  async (end, _, { bad }) => {
    const run = await timed();
    await run.clock.advance(5_000);
    await bad(run);
    await run.clock.advance(59_000);
    expect(run.ended()).toBeUndefined();
    await run.clock.advance(3_000);
    expect(await run.waiting).toMatchObject({ end });
    expect(exitOfWait(await run.waiting, [])).toBe(end === 'unknown' ? EXIT.unknown : EXIT.stalled);
  },
);

test.each(DOUBTS)(
  'what looks well again within the minute is waited for, and the next minute is a whole one (%s: %s)',
  async (_end, _what, { bad, good }) => {
    const run = await timed();
    await run.clock.advance(5_000);
    await bad(run);
    await run.clock.advance(50_000);
    await good(run);
    await run.clock.advance(30_000);
    expect(run.ended()).toBeUndefined();
    run.goAway(true);
    await run.clock.advance(50_000);
    expect(run.ended()).toBeUndefined();
    await run.clock.advance(12_000);
    expect(await run.waiting).toMatchObject({ end: 'unknown' });
  },
);

test.each(['completed', 'errored'] as const)('a build that ended %s is progress', async (status) => {
  const recipe = 'ab'.repeat(32);
  const build = {
    job: `b${recipe.slice(0, 16)}` as JobId,
    unit: 'schema/shop',
    recipe,
    samples: '0-1',
    needs: [],
  };
  const run = await timed({ progress: 20_000 }, { builds: [build] });
  const lease = await run.take(build.job);
  await run.clock.advance(15_000);
  await run.end(lease, status);
  await run.clock.advance(15_000);
  expect(run.ended()).toBeUndefined();
  await run.clock.advance(8_000);
  expect(await run.waiting).toMatchObject({ end: 'no-progress' });
});

interface Ended {
  readonly errored?: number;
  readonly aside?: number;
  readonly missed?: string[];
  readonly scorersFailed?: Readonly<Record<string, number>>;
}

const ENDS: readonly (readonly [WaitEnd, Ended, number])[] = [
  ['complete', {}, EXIT.ok],
  ['complete', { errored: 1 }, EXIT.samplesFailed],
  ['complete', { aside: 1 }, EXIT.samplesFailed],
  ['complete', { missed: ['accuracy'] }, EXIT.failed],
  ['complete', { scorersFailed: { judge: 1 } }, EXIT.failed],
  ['complete', { errored: 1, scorersFailed: { judge: 1 } }, EXIT.samplesFailed],
  ['cancelled', {}, EXIT.cancelled],
  ['stalled', {}, EXIT.stalled],
  ['unknown', {}, EXIT.unknown],
  ['timed-out', {}, EXIT.timedOut],
  ['no-progress', {}, EXIT.timedOut],
  ['interrupted', {}, EXIT.interrupted],
];
test('a bucket that takes its time is asked for a tenth of the time at most, and nobody waits longer for that than was said', async () => {
  let looks = 0;
  const slow = (bucket: Bucket) =>
    withMethods(bucket, {
      async *list(folder, options) {
        await sleep(200);
        if (folder.includes('/leases/')) looks++;
        yield* bucket.list(folder, options);
      },
    });
  const run = await waitedFor(1, { timeout: 4_000 }, slow);
  looks = 0;
  const startedMs = performance.now();
  expect(await run.waiting).toMatchObject({ end: 'timed-out' });
  expect(looks).toBeLessThanOrEqual(2);
  expect(performance.now() - startedMs).toBeLessThan(30_000);
});

test.each(ENDS)('the exit code says what became of it: %s %j ends with %i', async (end, counts, exit) => {
  const { errored = 0, aside = 0, missed = [], scorersFailed = {} } = counts;
  const run = await waitedFor(0, {});
  const { status } = await run.waiting;
  expect(
    exitOfWait(
      { end, status: { ...status, scorersFailed, samples: { ...status.samples, errored, aside } } },
      missed,
    ),
  ).toBe(exit);
});

test('what was cancelled is waited for until nobody has anything of it, and then it is left', async () => {
  const run = await waitedFor(2, {});
  const beats = setInterval(() => void run.signs.give(), 200);
  try {
    const held = await run.take(sampleJob(0));
    await cancelRound(run.shared, run.place, { clock: systemClock, by: 'somebody' });
    const first = await Promise.race([run.waiting, sleep(2_500)]);
    expect(first).toBeUndefined();
    await run.end(held, 'returned');
    expect(await run.waiting).toMatchObject({ end: 'cancelled', status: { inFlight: [] } });
  } finally {
    clearInterval(beats);
  }
});

test('a run that nobody will begin says so, and why', async () => {
  const run = await waitedFor(0, {});
  const { status } = await run.waiting;
  const worker: SeenWorker = {
    ...{ worker: 'a', state: 'live', slots: 1, busy: [], silentMs: 0, refuses: [] },
  };
  const refusing = { ...worker, refuses: [{ run: status.run, reason: 'it lacks a key' }] };
  const said = (workers: RunStatus['workers']) => unservedText({ ...status, state: 'queued', workers });
  expect(said([])).toContain('no worker serves this bucket');
  expect(said([refusing])).toContain('all workers refuse it (1): it lacks a key');
  expect(said([refusing, worker])).toBeUndefined();
  expect(said([{ ...worker, state: 'ended' }])).toContain('no worker serves');
});
