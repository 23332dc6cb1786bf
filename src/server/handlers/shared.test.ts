/** The pages of shared runs, over a bucket in memory whose clock the test moves. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  makeSharedRuns,
  recipeOfUnit,
  type SharedStore,
  sharedStore,
  submitRun,
} from '../../../test/sim/studio/shared-runs.ts';
import { ask, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { withMethods } from '../../../test/sim/with-methods.ts';
import { ActionableError, systemRandom } from '../../base/index.ts';
import { buildJob, type JobQueue, type SharedPlace, sampleJob } from '../../cluster/index.ts';
import { SharedRuns } from '../shared/shared-runs.ts';
import type { Studio } from '../studio.ts';
import { shared, sharedFailures, sharedLeases, sharedQueue, sharedRun, sharedWorkers } from './shared.ts';

const URL = 's3://team/evals';
let store: SharedStore;
beforeEach(() => {
  store = sharedStore();
});

async function studioOn(
  { clock, place }: SharedStore,
  more: { readonly place?: SharedPlace; readonly queue?: () => Promise<JobQueue> } = {},
): Promise<Studio> {
  const open = async () => more.place ?? place;
  const options = { url: URL, open, clock, random: systemRandom };
  const runs = new SharedRuns(more.queue ? { ...options, openQueue: more.queue } : options);
  return { ...(await studioOfLogs({})), clock, shared: runs };
}

/** After this everything is looked at again. */
const later = () => store.clock.advance(60_000);

describe('the list of shared runs', () => {
  test('says what to set where no bucket is named, and is no error', async () => {
    const page = await ask(await studioOfLogs({}), 'shared', shared);
    expect(page).toMatchObject({ bucket: null, runs: [], total: 0 });
    expect(page.whyNone?.hint).toContain('--bucket');
  });

  test('has all runs, the latest first, each with its state, counts and money', async () => {
    await makeSharedRuns(store);
    const page = await ask(await studioOn(store), 'shared', shared);
    expect(page.runs.map((run) => [run.eval, run.state])).toEqual([
      ['text-to-sql', 'running'],
      ['swe-lite', 'cancelled'],
      ['word-problems', 'complete'],
    ]);
    expect(page.runs[2]?.samples).toMatchObject({ planned: 30, completed: 29, errored: 1, due: 0 });
    expect(page.runs[2]?.usd).toBeCloseTo(0.59);
    expect(page.bucket).toBe(URL);
  });

  test('a run that cannot be read is one row that says so, and hides no other', async () => {
    await submitRun(store, { number: 1 });
    const bad = await submitRun(store, { number: 2 });
    await store.place.bucket.removeAll([bad.shared.keys.submission]);
    await store.place.bucket.create(bad.shared.keys.submission, Buffer.from('no JSON'));
    const lost = await submitRun(store, { number: 3 });
    await store.place.bucket.remove(lost.shared.keys.submission);
    const page = await ask(await studioOn(store), 'shared', shared);
    expect(page.runs).toHaveLength(1);
    expect(page.damaged).toMatchObject([
      { run: lost.run, problem: { code: 'E_SHARED_DAMAGED', message: expect.stringContaining('is gone') } },
      { run: bad.run, problem: { code: 'E_SHARED_DAMAGED' } },
    ]);
  });

  test('comes in pages', async () => {
    for (let number = 1; number <= 5; number++) await submitRun(store, { number });
    const page = await ask(await studioOn(store), 'shared', shared, { query: { offset: 1, limit: 2 } });
    expect([page.runs.length, page.total, page.offset]).toEqual([2, 5, 1]);
  });
});

describe('a shared run', () => {
  test('tells its state, its workers, what each has and for how long, and who refuses', async () => {
    const { running } = await makeSharedRuns(store);
    const studio = await studioOn(store);
    const params = { run: running.run };
    const view = await ask(studio, 'sharedRun', sharedRun, { params });
    expect(view.row).toMatchObject({
      state: 'running',
      eval: 'text-to-sql',
      round: 1,
      workers: { live: 5, refusing: 1, silent: 1 },
    });
    expect(view.row.samples).toMatchObject({ planned: 360, reused: 20, errored: 4, aside: 1, running: 13 });
    expect(view.said).toMatch(
      /^\d+ of 360 samples done, 4 failed, 1 set aside; 14 jobs under way on 5 workers\.$/,
    );
    const { workers, total } = await ask(studio, 'sharedWorkers', sharedWorkers, { params });
    expect(total).toBe(7);
    const [silent, refusing] = workers;
    expect(silent).toMatchObject({
      worker: 'w-dead',
      state: 'silent',
      has: [{ job: 's20', sample: { id: 'question-0020', epoch: 1 } }],
    });
    expect(refusing).toMatchObject({
      worker: 'w-old',
      state: 'live',
      refuses: expect.stringContaining('Node 22.4.0'),
    });
    expect(
      workers.find(({ worker }) => worker === 'w-03')?.has.map(({ unit, sample }) => unit ?? sample?.id),
    ).toContain('knowledge/european_football');
    for (const { has } of workers) for (const { ageMs } of has) expect(ageMs).toBeGreaterThan(0);
  });

  test('lists leases in flight, the oldest first, in pages', async () => {
    const { running } = await makeSharedRuns(store);
    const studio = await studioOn(store);
    const asked = { params: { run: running.run }, query: { offset: 0, limit: 5 } };
    const { leases, total } = await ask(studio, 'sharedLeases', sharedLeases, asked);
    expect(total).toBe(14);
    expect(leases).toHaveLength(5);
    expect(leases[0]).toMatchObject({ job: 's20', worker: 'w-dead', state: 'silent', n: 1 });
    expect(leases.map(({ since }) => since)).toEqual(leases.map(({ since }) => since).toSorted());
  });

  test('lists what failed with its reason, and says what was mended by another lease', async () => {
    const run = await submitRun(store, { samples: 4 });
    await (await run.begin('a', sampleJob(0))).end({ status: 'errored', reason: 'bad SQL', usd: 0.5 });
    await store.clock.advance(1_000);
    await (await run.begin('a', sampleJob(1))).end({ status: 'lost', reason: 'no sign' });
    await (await run.begin('b', sampleJob(1))).end({ status: 'completed', usd: 0.1 });
    await store.clock.advance(1_000);
    await (await run.begin('b', sampleJob(2))).end({ status: 'aside', reason: 'three were lost' });
    const { failures } = await ask(await studioOn(store), 'sharedFailures', sharedFailures, {
      params: { run: run.run },
    });
    expect(failures.map(({ job, is, reason, isMended }) => [job, is, reason, isMended])).toEqual([
      ['s2', 'aside', 'three were lost', false],
      ['s1', 'lost', 'no sign', true],
      ['s0', 'errored', 'bad SQL', false],
    ]);
  });

  test('tells what ended and what was spent in each interval; together they are all of it', async () => {
    const { running } = await makeSharedRuns(store);
    const { rates, row } = await ask(await studioOn(store), 'sharedRun', sharedRun, {
      params: { run: running.run },
    });
    const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
    expect(sum(rates.completed)).toBe(row.samples.completed);
    expect(sum(rates.failed)).toBe(row.samples.errored + row.samples.aside + row.builds.errored);
    expect(sum(rates.builds)).toBe(row.builds.completed);
    expect(sum(rates.lost)).toBe(row.lostLeases);
    expect(sum(rates.usd)).toBeCloseTo(row.usd);
    expect(rates.completed.length).toBeLessThanOrEqual(90);
    expect(rates.startMs + rates.completed.length * rates.stepMs).toBeGreaterThan(store.clock.nowMs());
  });

  test('counts the money of a build that was begun again once: its end says what all have cost', async () => {
    const run = await submitRun(store, { samples: 2, builds: [{ unit: 'knowledge/x', samples: '0-1' }] });
    const job = buildJob(recipeOfUnit('knowledge/x'));
    await (await run.begin('a', job)).end({ status: 'returned', usd: 2 });
    await (await run.begin('b', job)).end({ status: 'completed', usd: 3 });
    await (await run.begin('b', sampleJob(0))).end({ status: 'lost' });
    const { row } = await ask(await studioOn(store), 'sharedRun', sharedRun, { params: { run: run.run } });
    expect(row.usd).toBe(3);
    expect(row.unpriced).toBe(1);
  });

  test('names its builds: under way, failed, due and built, with who reads them', async () => {
    const { running } = await makeSharedRuns(store);
    const { builds } = await ask(await studioOn(store), 'sharedRun', sharedRun, {
      params: { run: running.run },
    });
    expect(builds.map(({ unit, state, samples }) => [unit, state, samples])).toEqual([
      ['knowledge/european_football', 'running', 60],
      ['knowledge/debit_card', 'errored', 60],
      ['knowledge/financial', 'due', 60],
      ['knowledge/california_schools', 'completed', 60],
      ['knowledge/card_games', 'completed', 60],
      ['knowledge/codebase_community', 'completed', 60],
    ]);
    expect(builds[0]).toMatchObject({ worker: 'w-03', ageMs: expect.any(Number) });
  });

  test('names its rounds with who began and who cancelled them, and commands with the bucket', async () => {
    const run = await submitRun(store);
    await run.cancel();
    await later();
    await run.resume();
    const view = await ask(await studioOn(store), 'sharedRun', sharedRun, { params: { run: run.run } });
    expect(view.rounds).toMatchObject([
      { n: 1, by: 'ada@laptop', cancelled: { by: 'grace@desk' } },
      { n: 2, by: 'grace@desk' },
    ]);
    expect(view.rounds[1]).not.toHaveProperty('cancelled');
    const commands = view.commands.map(({ command }) => command);
    for (const word of ['wait', 'fetch', 'cancel', 'resume'])
      expect(commands).toContain(`holdfast runs ${word} ${run.run} --bucket ${URL}`);
    expect(commands).toContain(`holdfast worker --bucket ${URL}`);
  });

  test('unknown is unknown, never dead: where the bucket may only be read, nobody is called silent', async () => {
    const run = await submitRun(store);
    await run.begin('a', sampleJob(0));
    await later();
    const refuse = async (): Promise<never> => {
      throw new ActionableError({
        code: 'E_BUCKET_DENIED',
        message: 'Nothing may be written.',
        hint: 'Ask.',
      });
    };
    const bucket = withMethods(store.place.bucket, { create: refuse });
    const studio = await studioOn(store, { place: { ...store.place, bucket } });
    const params = { run: run.run };
    const view = await ask(studio, 'sharedRun', sharedRun, { params });
    expect(view.row).toMatchObject({ state: 'unknown', workers: { unknown: 1, silent: 0 } });
    const { leases } = await ask(studio, 'sharedLeases', sharedLeases, { params });
    expect(leases).toMatchObject([{ state: 'unknown', ageMs: null }]);
    const { workers } = await ask(studio, 'sharedWorkers', sharedWorkers, { params });
    expect(workers).toMatchObject([{ state: 'unknown', silentMs: null, has: [{ ageMs: null }] }]);
  });

  test('is found by a part of its id, and refused in words where there is none', async () => {
    const run = await submitRun(store);
    const studio = await studioOn(store);
    const view = await ask(studio, 'sharedRun', sharedRun, { params: { run: run.run.slice(0, 12) } });
    expect(view.row.run).toBe(run.run);
    for (const name of ['nothing', '..', 'a/b', ''])
      await expect(ask(studio, 'sharedRun', sharedRun, { params: { run: name } })).rejects.toMatchObject({
        code: 'E_SHARED_UNKNOWN',
      });
    await expect(
      ask(await studioOfLogs({}), 'sharedRun', sharedRun, { params: { run: 'x' } }),
    ).rejects.toMatchObject({
      code: 'E_SHARED_BUCKET',
      hint: expect.stringContaining('--bucket'),
    });
  });
});

describe('reading a shared run', () => {
  test('reads only what is new, and once for all who ask in the same moment', async () => {
    const run = await submitRun(store, { samples: 50 });
    for (let n = 0; n < 20; n++)
      await (await run.begin('a', sampleJob(n))).end({ status: 'completed', usd: 0.1 });
    const read: string[] = [];
    const bucket = withMethods(store.place.bucket, {
      read: (key: string) => {
        read.push(key);
        return store.place.bucket.read(key);
      },
    });
    const studio = await studioOn(store, { place: { ...store.place, bucket } });
    const look = () => ask(studio, 'sharedRun', sharedRun, { params: { run: run.run } });
    await Promise.all([look(), look(), look()]);
    const leases = () => read.filter((key) => key.includes('/leases/')).length;
    expect(leases()).toBe(40);
    await look();
    expect(leases()).toBe(40);
    await (await run.begin('a', sampleJob(20))).end({ status: 'completed', usd: 0.1 });
    expect((await look()).row.samples.completed).toBe(20);
    await later();
    expect((await look()).row.samples.completed).toBe(21);
    expect(leases()).toBe(42);
  });

  test('a thousand workers with ten thousand samples in flight are told in pages, soon', async () => {
    const run = await submitRun(store, { samples: 12_000 });
    for (let n = 0; n < 10_000; n++) {
      const { bucket } = store.place;
      const lease = { format: 'holdfast-lease', version: 1, run: run.run, job: sampleJob(n), n: 1, round: 1 };
      const words = {
        worker: `w${n % 1_000}`,
        writer: 'w',
        at: new Date(store.clock.nowMs() - n).toISOString(),
      };
      await bucket.create(
        run.shared.keys.begun(sampleJob(n), 1),
        Buffer.from(JSON.stringify({ ...lease, ...words })),
      );
    }
    for (let n = 0; n < 1_000; n++) await run.worker(`w${n}`, 10);
    const studio = await studioOn(store);
    const params = { run: run.run };
    const startMs = performance.now();
    const { leases, total } = await ask(studio, 'sharedLeases', sharedLeases, { params });
    expect([leases.length, total]).toEqual([200, 10_000]);
    const seen = await ask(studio, 'sharedWorkers', sharedWorkers, { params });
    expect([seen.workers.length, seen.total]).toEqual([200, 1_000]);
    expect(performance.now() - startMs).toBeLessThan(100_000);
  });
});

describe('the queue', () => {
  const queueOf = (count: () => Promise<number>): JobQueue => ({
    add: async () => undefined,
    count,
    serve: async () => undefined,
    close: async () => undefined,
  });

  test('is said to be unknown where none is named, counted where one is, and away where it does not answer', async () => {
    const run = await submitRun(store);
    const asked = { params: { run: run.run } };
    const none = await ask(await studioOn(store), 'sharedQueue', sharedQueue, asked);
    expect(none).toMatchObject({ is: 'none', hint: expect.stringContaining('--queue') });
    const some = await studioOn(store, { queue: async () => queueOf(async () => 17) });
    expect(await ask(some, 'sharedQueue', sharedQueue, asked)).toEqual({ is: 'known', atMost: 17 });
    const away = await studioOn(store, {
      queue: async () => {
        throw new ActionableError({
          code: 'E_QUEUE_AWAY',
          message: 'It does not answer.',
          hint: 'Start it.',
        });
      },
    });
    expect(await ask(away, 'sharedQueue', sharedQueue, asked)).toMatchObject({
      is: 'away',
      problem: { code: 'E_QUEUE_AWAY' },
    });
  });
});
