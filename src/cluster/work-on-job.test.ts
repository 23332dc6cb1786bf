import { describe, expect, test, vi } from 'vitest';
import { settle } from '../../test/sim/manual-clock.ts';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { ActionableError } from '../base/index.ts';
import { bucketErrors } from '../bucket/index.ts';
import { LeaseBook } from './lease-book.ts';
import { sampleJob } from './shared-keys.ts';
import { type JobResult, workOnJob } from './work-on-job.ts';

const JOB = sampleJob(0);

test('a job is taken, done and ended', async () => {
  const { ports, book } = sharedFixture();
  const outcome = await workOnJob(JOB, await ports('a'));
  expect(outcome).toMatchObject({ kind: 'ended', isOwn: true, end: { status: 'completed', origin: 'a s0' } });
  expect(await workOnJob(JOB, await ports('b'))).toMatchObject({ kind: 'over', end: { by: 'a' } });
  expect(await book.ofJob(JOB)).toHaveLength(1);
});

test('[SHR-6] a worker that gives signs of life is not lost, whatever the engine says', async () => {
  const fixture = sharedFixture();
  const a = await fixture.ports('a');
  await fixture.book.take(JOB, fixture.taker('a'));
  await fixture.clock.advance(60_000);
  await a.signs.give();
  await fixture.clock.advance(6_000);
  const work = vi.fn();
  expect(await workOnJob(JOB, await fixture.ports('b', { work }))).toMatchObject({
    kind: 'held',
    by: { worker: 'a' },
  });
  expect(work).not.toHaveBeenCalled();
});

test('[SHR-6] a worker that is silent for longer than is allowed is lost, and its job goes on elsewhere', async () => {
  const fixture = sharedFixture();
  await fixture.ports('a');
  await fixture.book.take(JOB, fixture.taker('a'));
  await fixture.clock.advance(7_001);
  const outcome = await workOnJob(JOB, await fixture.ports('b'));
  expect(outcome).toMatchObject({ kind: 'ended', end: { n: 2, by: 'b' } });
  expect(await fixture.book.ofJob(JOB)).toMatchObject([
    { ended: { status: 'lost', by: 'b', reason: 'worker a gave no sign of life any more' } },
    { ended: { status: 'completed' } },
  ]);
});

test('[SHR-6] whoever was not heard itself waits before it declares anybody lost: a bucket that was away was so for all', async () => {
  const fixture = sharedFixture();
  const a = await fixture.ports('a');
  const b = await fixture.ports('b');
  await fixture.book.take(JOB, fixture.taker('a'));
  await fixture.clock.advance(20_000);
  expect(await workOnJob(JOB, b)).toMatchObject({ kind: 'held', by: { worker: 'a' } });
  await a.signs.give();
  for (let count = 0; count < 2; count++) {
    await fixture.clock.advance(4_000);
    await b.signs.give();
  }
  expect(await workOnJob(JOB, b)).toMatchObject({ kind: 'ended', end: { n: 2, by: 'b' } });
});

test('[SHR-6] a worker that said good-bye is lost at once', async () => {
  const fixture = sharedFixture();
  const a = await fixture.ports('a');
  await fixture.book.take(JOB, fixture.taker('a'));
  await a.signs.stop();
  expect(await workOnJob(JOB, await fixture.ports('b'))).toMatchObject({ kind: 'ended', end: { n: 2 } });
});

test('[SHR-6] a wrong clock of a worker decides nothing', async () => {
  const fixture = sharedFixture();
  await fixture.ports('a');
  await fixture.book.take(JOB, fixture.taker('a'));
  const fast = { ...fixture.clock, nowMs: () => fixture.clock.nowMs() + 3_600_000 };
  expect(await workOnJob(JOB, await fixture.ports('b', { clock: fast }))).toMatchObject({ kind: 'held' });
});

test('[SHR-8] a job that lost as many workers as it may is set aside, and names them', async () => {
  const fixture = sharedFixture();
  for (const worker of ['a', 'b', 'c']) {
    const taken = await fixture.book.take(JOB, fixture.taker(worker));
    if (taken.kind !== 'taken') throw new Error('it was free');
    await fixture.book.end(taken.lease, { status: 'lost', by: 'd', reason: `worker ${worker} died` });
  }
  const work = vi.fn();
  const outcome = await workOnJob(JOB, await fixture.ports('d', { work }));
  expect(outcome).toMatchObject({
    kind: 'ended',
    end: {
      status: 'aside',
      n: 4,
      reason: '3 workers did not come back from it: worker a died; worker b died; worker c died',
    },
  });
  expect(work).not.toHaveBeenCalled();
  expect(await workOnJob(JOB, await fixture.ports('d', { round: 2 }))).toMatchObject({
    end: { status: 'completed' },
  });
});

test('[SHR-8] workers that a job lost in an earlier round are not held against it in the next', async () => {
  const fixture = sharedFixture();
  for (const worker of ['a', 'b', 'c']) {
    const taken = await fixture.book.take(JOB, fixture.taker(worker));
    if (taken.kind !== 'taken') throw new Error('it was free');
    await fixture.book.end(taken.lease, { status: 'lost', by: 'd', reason: `worker ${worker} died` });
  }
  const outcome = await workOnJob(JOB, await fixture.ports('d', { round: 2 }));
  expect(outcome).toMatchObject({ kind: 'ended', end: { status: 'completed', n: 4, round: 2 } });
});

test('[SHR-10] nothing is taken of a round that was cancelled', async () => {
  const fixture = sharedFixture();
  const outcome = await workOnJob(JOB, await fixture.ports('a', { isCancelled: async () => true }));
  expect(outcome).toEqual({ kind: 'cancelled' });
  expect(await fixture.book.ofJob(JOB)).toEqual([]);
});

test('[SHR-10] what is under way when its round is cancelled is stopped and returned', async () => {
  const fixture = sharedFixture();
  let isCancelled = false;
  const working = workOnJob(
    JOB,
    await fixture.ports('a', {
      isCancelled: async () => isCancelled,
      work: (_, { signal }) =>
        fixture.clock.sleep(1e9, signal).then((): JobResult => ({ status: 'completed' })),
    }),
  );
  await settle();
  isCancelled = true;
  await fixture.clock.advance(3_000);
  expect(await working).toMatchObject({ end: { status: 'returned', reason: 'The run was cancelled' } });
});

test('a worker that was declared lost stops soon after, and its word does not count', async () => {
  const fixture = sharedFixture();
  const working = workOnJob(
    JOB,
    await fixture.ports('a', {
      work: (_, { signal }) =>
        fixture.clock.sleep(1e9, signal).then((): JobResult => ({ status: 'completed' })),
    }),
  );
  await settle();
  const [lease] = await fixture.book.ofJob(JOB);
  if (!lease) throw new Error('it was taken');
  await fixture.book.end(lease.begun, { status: 'lost', by: 'b', reason: 'silent' });
  await fixture.clock.advance(3_000);
  expect(await working).toMatchObject({ kind: 'ended', isOwn: false, end: { status: 'lost', by: 'b' } });
});

test('a worker that fails at a job says so, and the job is due again', async () => {
  const fixture = sharedFixture();
  const problems: unknown[] = [];
  const failing = await fixture.ports('a', {
    work: () => Promise.reject(new Error('the disk is full')),
    onProblem: (error) => problems.push(error),
  });
  expect(await workOnJob(JOB, failing)).toMatchObject({
    end: { status: 'lost', reason: 'worker a failed: the disk is full' },
  });
  expect(problems).toHaveLength(1);
  expect(await workOnJob(JOB, await fixture.ports('b'))).toMatchObject({
    end: { status: 'completed', n: 2 },
  });
});

test('[SHR-8] a bucket that is away while a job is done is not held against the job', async () => {
  const fixture = sharedFixture();
  const cut = await fixture.ports('a', {
    work: () => Promise.reject(bucketErrors.away('memory', new Error('the cable is cut'))),
  });
  expect(await workOnJob(JOB, cut)).toMatchObject({
    end: { status: 'returned', reason: expect.stringContaining('the cable is cut') },
  });
});

test('[SHR-2] a lease whose end could not be stored is ended by its worker, when the job is handed to it again', async () => {
  const fixture = sharedFixture();
  const { book } = fixture;
  let isFull = true;
  const end: typeof book.end = async (lease, words) => {
    if (isFull)
      throw new ActionableError({ code: 'E_DISK_FULL', message: 'the disk is full.', hint: 'make room' });
    return await book.end(lease, words);
  };
  const ports = await fixture.ports('a', { book: withMethods(book, { end }) });
  await expect(workOnJob(JOB, ports)).rejects.toMatchObject({ code: 'E_DISK_FULL' });
  isFull = false;
  // A process of its own has a journal of its own.
  const again = await fixture.ports('a', {
    session: async () => ({
      writer: 'another',
      work: async () => ({ status: 'completed', origin: 'another/1' }),
    }),
  });
  expect(await workOnJob(JOB, again)).toMatchObject({ kind: 'ended', end: { status: 'completed', n: 2 } });
  expect((await book.ofJob(JOB))[0]?.ended).toMatchObject({ status: 'returned', by: 'a' });
});

test('[SHR-5] whoever had no answer for long right after it began a lease looks whether it still has it, before it buys anything', async () => {
  const fixture = sharedFixture();
  const { book, clock } = fixture;
  const isRunThere = async () => {
    const [lease] = await book.ofJob(JOB);
    if (!lease) throw new Error('it was taken');
    await clock.advance(20_000);
    await book.end(lease.begun, { status: 'lost', by: 'b', reason: 'silent' });
    return true;
  };
  const work = vi.fn();
  const ports = await fixture.ports('a', { book: withMethods(book, { isRunThere }), work });
  expect(await workOnJob(JOB, ports)).toMatchObject({
    ...{ kind: 'ended', isOwn: false },
    end: { status: 'lost', by: 'b' },
  });
  expect(work).not.toHaveBeenCalled();
});

test('[SHR-26] whoever takes a job while its run is removed finds that out, and leaves nothing behind', async () => {
  const fixture = sharedFixture();
  const { bucket, clock } = fixture;
  const ports = await fixture.ports('a');
  const taken = await fixture.book.take(JOB, fixture.taker('b'));
  if (taken.kind !== 'taken') throw new Error('it was free');
  await fixture.book.end(taken.lease, { status: 'lost', by: 'a', reason: 'silent' });
  const keysOfRun = async () => (await Array.fromAsync(bucket.list(`${RUN}/`))).map(({ key }) => key);
  const going = withMethods(bucket, {
    // It was listed, and goes before it is read.
    read: async (key) => {
      if (key.endsWith('.begun')) await bucket.removeAll(await keysOfRun());
      return await bucket.read(key);
    },
  });
  const book = new LeaseBook({ bucket: going, prefix: '' }, { run: RUN, clock });
  expect(await workOnJob(JOB, { ...ports, book })).toEqual({ kind: 'cancelled' });
  expect(await keysOfRun()).toEqual([]);
});

test('[SHR-8] whoever must go when it has just begun a lease ends it as well', async () => {
  const fixture = sharedFixture();
  const { book } = fixture;
  const stop = new AbortController();
  let looks = 0;
  const isRunThere = async () => {
    stop.abort(new Error('preempted'));
    if (looks++ === 0) throw bucketErrors.away('memory', new Error('the cable is cut'));
    return true;
  };
  const ports = await fixture.ports('a', {
    ...{ book: withMethods(book, { isRunThere }), signal: stop.signal },
    work: async (_, { signal }) => {
      signal.throwIfAborted();
      return { status: 'completed' };
    },
  });
  const working = workOnJob(JOB, ports);
  await settle();
  await fixture.clock.advance(60_000);
  expect(await working).toMatchObject({ kind: 'ended', end: { status: 'returned', reason: 'preempted' } });
});

describe('[SHR-8] a job that lost a worker before', () => {
  /** One job is under way, and another that lost so many workers is handed out; tells who did what, as far as that is begun. */
  async function beside(
    lost: number,
    { hasApart, refuses }: { readonly hasApart: boolean; readonly refuses?: boolean },
  ) {
    const fixture = sharedFixture();
    for (let n = 0; n < lost; n++) {
      const taken = await fixture.book.take(JOB, fixture.taker('a'));
      if (taken.kind !== 'taken') throw new Error('it was free');
      await fixture.book.end(taken.lease, { status: 'lost', by: 'b', reason: 'it died' });
    }
    const { promise, resolve } = Promise.withResolvers<JobResult>();
    const begun: string[] = [];
    const sessionOf = (writer: string) => async () => ({
      writer,
      work: ({ job }: { readonly job: string }): Promise<JobResult> => {
        begun.push(`${job} by ${writer}`);
        return job === JOB ? Promise.resolve({ status: 'completed' }) : promise;
      },
    });
    let tries = 0;
    const open = async () => {
      tries++;
      if (refuses) throw new Error('its port is taken');
      return await sessionOf('its own')();
    };
    const problems: string[] = [];
    const ports = await fixture.ports('b', {
      ...{ session: sessionOf('all'), apart: hasApart ? open : undefined },
      onProblem: (error) => problems.push(String(error)),
    });
    const other = workOnJob(sampleJob(1), ports);
    await settle();
    const suspect = workOnJob(JOB, ports);
    await settle();
    const finish = async () => {
      resolve({ status: 'completed' });
      await Promise.all([other, suspect]);
    };
    return {
      ...{ begun, finish, suspect, problems, leases: () => fixture.book.ofJob(JOB) },
      get tries() {
        return tries;
      },
    };
  }

  test('is done in a process of its own, and waits for nobody', async () => {
    const { begun, finish } = await beside(1, { hasApart: true });
    expect(begun).toEqual(['s1 by all', `${JOB} by its own`]);
    await finish();
  });

  test('is done alone in the process of all when it can have none of its own, which is said', async () => {
    const { begun, finish, leases, problems } = await beside(1, { hasApart: true, refuses: true });
    expect([begun, problems]).toEqual([['s1 by all'], ['Error: its port is taken']]);
    expect(await leases()).toHaveLength(1);
    await finish();
    expect(begun).toEqual(['s1 by all', `${JOB} by all`]);
  });

  test('is set aside at once when it may lose no more: it waits for nobody, and no process is started for it', async () => {
    const seen = await beside(3, { hasApart: true });
    expect(await seen.suspect).toMatchObject({ kind: 'ended', end: { status: 'aside' } });
    expect([seen.begun, seen.tries]).toEqual([['s1 by all'], 0]);
    await seen.finish();
  });

  test.each([
    ['and may lose no other', 2, true],
    ['where no process can be had', 1, false],
  ])(
    '%s is done when nothing else is done beside it, and waits without a lease',
    async (_, lost, hasApart) => {
      const { begun, finish, leases } = await beside(lost, { hasApart });
      expect(begun).toEqual(['s1 by all']);
      expect(await leases()).toHaveLength(lost);
      await finish();
      expect(begun).toEqual(['s1 by all', `${JOB} by ${hasApart ? 'its own' : 'all'}`]);
    },
  );
});
