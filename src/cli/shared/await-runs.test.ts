import { expect, test } from 'vitest';
import { RUN, sharedFixture } from '../../../test/sim/shared-fixture.ts';
import { withMethods } from '../../../test/sim/with-methods.ts';
import { systemClock } from '../../base/index.ts';
import type { Bucket } from '../../bucket/index.ts';
import {
  cancelRound,
  type JobId,
  type LeaseBegun,
  type RunStatus,
  type SeenWorker,
  SharedRun,
  sampleJob,
} from '../../cluster/index.ts';
import { EXIT } from '../exit-code.ts';
import { exitOfWait, type WaitEnd, type WaitFlags, waitForRun } from './await-runs.ts';
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
