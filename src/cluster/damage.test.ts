/** [SHR-24] What is damaged never holds the rest hostage. */
import { describe, expect, test } from 'vitest';
import { countedReads } from '../../test/sim/counted-reads.ts';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import { systemRandom } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { KnownRuns } from './known-runs.ts';
import { beginRound, budgetOfRound, cancelRound, isUnwanted, writeCancelled } from './rounds.ts';
import { statusOf } from './run-status.ts';
import { beatKey, buildJob, type JobId, SharedKeys, sampleJob } from './shared-keys.ts';
import { SharedRun } from './shared-run.ts';
import { spentOnRun } from './spent-on-run.ts';
import { workOnJob } from './work-on-job.ts';
import { seeWorkers } from './workers-seen.ts';

type Fixture = ReturnType<typeof sharedFixture>;

const [S0, S1, S2] = [sampleJob(0), sampleJob(1), sampleJob(2)];
const BY = { by: 'laptop' };

/** Puts other bytes in the place of an object, as a disk does. */
async function overwrite(bucket: Bucket, key: string, bytes: Uint8Array): Promise<void> {
  const there = await bucket.readTagged(key);
  if (!there) throw new Error(`${key} is not there`);
  await bucket.replaceIf(key, { bytes, etag: there.etag });
}

/** Gives what it was. */
async function tear(bucket: Bucket, key: string): Promise<Uint8Array> {
  const whole = await bucket.read(key);
  if (!whole) throw new Error(`${key} is not there`);
  await overwrite(bucket, key, whole.slice(0, whole.length / 2));
  return whole;
}

async function endJob(fixture: Fixture, job: JobId, worker = 'a', round = 1): Promise<void> {
  await workOnJob(job, await fixture.ports(worker, { round }));
}

describe('[SHR-24] a record of a lease that is damaged', () => {
  test('costs its own sample this round: the run is complete without it, it is named, and nobody takes it', async () => {
    const record = Object.assign(Object.create(null), { identity: { eval: 'e', targetName: 't' } });
    const fixture = sharedFixture({ record });
    const { book, bucket } = fixture;
    await fixture.submit();
    for (const job of [S0, S1]) await endJob(fixture, job);
    await tear(bucket, book.keys.ended(S1, 1));
    const shared = await fixture.open();
    expect([...shared.due()]).toEqual([S2]);
    expect(shared.isComplete).toBe(false);
    await endJob(fixture, S2);
    await shared.refresh();
    expect(shared).toMatchObject({ isComplete: true, isSettled: false });
    expect(shared.damaged).toEqual([
      { key: book.keys.ended(S1, 1), job: S1, problem: expect.stringContaining('s1.0001.ended') },
    ]);
    const status = statusOf(shared, { workers: [], nowMs: undefined });
    expect(status).toMatchObject({ state: 'complete', inFlight: [], damaged: [{ job: S1 }] });
    expect(status.samples).toMatchObject({ planned: 3, completed: 2, damaged: 1, due: 0, running: 0 });
    expect(await workOnJob(S1, await fixture.ports('b'))).toMatchObject({
      kind: 'damaged',
      damaged: [{ job: S1 }],
    });
  });

  test('is gone past by the next round: its sample is due under the next number, and no other', async () => {
    const fixture = sharedFixture();
    const { book, bucket, place, clock } = fixture;
    await fixture.submit();
    for (const job of [S0, S1, S2]) await endJob(fixture, job);
    await tear(bucket, book.keys.ended(S1, 1));
    const shared = await fixture.open();
    await beginRound(shared, place, { clock, ...BY });
    expect(shared.damaged).toEqual([]);
    expect(shared.rounds[1]?.begun.goesPast).toEqual(['leases/0000/s1.0001.ended']);
    expect([...shared.due()]).toEqual([S1]);
    // Of the round before nobody takes it, late as the queue may be.
    expect(await book.take(S1, fixture.taker('b', 1))).toMatchObject({ kind: 'damaged' });
    expect(await book.take(S1, fixture.taker('b', 2))).toMatchObject({
      ...{ kind: 'taken', lease: { n: 2, round: 2 } },
      earlier: [{ begun: { worker: 'a', writer: 'writer of a' } }],
    });
  });

  test('costs nothing when the end of that lease is whole', async () => {
    const fixture = sharedFixture();
    const { book, bucket, place, clock } = fixture;
    await fixture.submit();
    for (const job of [S0, S1, S2]) await endJob(fixture, job);
    await tear(bucket, book.keys.begun(S1, 1));
    const shared = await fixture.open();
    expect(shared.endOf(S1)).toMatchObject({ status: 'completed', origin: 'a s1' });
    expect(shared).toMatchObject({ isComplete: true, damaged: [{ key: book.keys.begun(S1, 1) }] });
    expect(shared.leasesOf(S1)).toMatchObject([{ begun: { worker: 'unknown', writer: 'unknown' } }]);
    expect(await book.take(S1, fixture.taker('b'))).toMatchObject({ kind: 'over' });
    await beginRound(shared, place, { clock, ...BY });
    expect(shared).toMatchObject({ isComplete: true, damaged: [] });
  });

  test('of a lease that may be held: whoever takes the job in the next round ends it first, and the one that had it finds out', async () => {
    const fixture = sharedFixture();
    const { book, bucket, place, clock } = fixture;
    await fixture.submit();
    const first = await book.take(S1, fixture.taker('a'));
    if (first.kind !== 'taken') throw new Error('it was free');
    await tear(bucket, book.keys.begun(S1, 1));
    const shared = await fixture.open();
    expect(shared.isDamaged(S1)).toBe(true);
    expect(await book.take(S1, fixture.taker('b'))).toMatchObject({ kind: 'damaged' });
    await beginRound(shared, place, { clock, ...BY });
    expect(await book.take(S1, fixture.taker('b', 2))).toMatchObject({
      ...{ kind: 'taken', lease: { n: 2 } },
      earlier: [{ begun: { worker: 'unknown', writer: 'unknown' }, ended: { status: 'returned', by: 'b' } }],
    });
    const late = await book.end(first.lease, { status: 'completed', by: 'a', origin: 'late' });
    expect(late).toMatchObject({ status: 'returned', by: 'b' });
  });

  test('counts as what it says when whoever has it ends it meanwhile, or when it is restored', async () => {
    const fixture = sharedFixture();
    const { book, bucket } = fixture;
    await fixture.submit();
    await endJob(fixture, S0);
    const taken = await book.take(S1, fixture.taker('a'));
    if (taken.kind !== 'taken') throw new Error('it was free');
    await tear(bucket, book.keys.begun(S1, 1));
    const whole = await tear(bucket, book.keys.ended(S0, 1));
    const shared = await fixture.open();
    expect([shared.isDamaged(S0), shared.isDamaged(S1)]).toEqual([true, true]);
    await book.end(taken.lease, { status: 'completed', by: 'a', origin: 'o' });
    await overwrite(bucket, book.keys.ended(S0, 1), whole);
    await shared.refresh();
    expect([S0, S1].map((job) => shared.endOf(job)?.status)).toEqual(['completed', 'completed']);
    expect(shared.damaged).toMatchObject([{ key: book.keys.begun(S1, 1) }]);
    // What somebody took away says nothing any more.
    await bucket.remove(book.keys.begun(S1, 1));
    await shared.refresh();
    expect(shared.damaged).toEqual([]);
  });

  test('is found by whoever had read it whole, when it decides: nobody waits for ever for what nobody takes', async () => {
    const fixture = sharedFixture();
    const { book, bucket } = fixture;
    const shared = await fixture.submit();
    for (const job of [S0, S2]) await endJob(fixture, job);
    const taken = await book.take(S1, fixture.taker('a'));
    if (taken.kind !== 'taken') throw new Error('it was free');
    await shared.refresh();
    expect(shared.heldBy(S1)).toMatchObject({ worker: 'a' });
    await tear(bucket, book.keys.begun(S1, 1));
    await shared.refresh();
    expect(shared).toMatchObject({ isComplete: true, damaged: [{ job: S1 }] });
  });

  test('is not read again and again: a few of many with every look, and each in its turn', async () => {
    const fixture = sharedFixture({ samples: 100 });
    const { book, bucket } = fixture;
    await fixture.submit();
    const jobs = Array.from({ length: 40 }, (_, position) => sampleJob(position));
    for (const job of jobs) {
      await book.take(job, fixture.taker('a'));
      await tear(bucket, book.keys.begun(job, 1));
    }
    const counted = countedReads(bucket);
    const shared = await SharedRun.open({ ...fixture.place, bucket: counted.bucket }, RUN);
    const read = new Set<string>();
    for (let looks = 0; looks < 3; looks++) {
      counted.reset();
      await shared?.refresh();
      const again = counted.takeRead().filter((key) => key.includes('/leases/'));
      expect(again).toHaveLength(16);
      for (const key of again) read.add(key);
    }
    expect(read.size).toBe(40);
  });

  test('of a build: what needs it is handed out, and does not wait for it', async () => {
    const recipe = 'ab'.repeat(32);
    const build = { job: buildJob(recipe), unit: 'schema/shop', recipe, samples: '0', needs: [] };
    const fixture = sharedFixture({ samples: 1, builds: [build] });
    await fixture.submit();
    await endJob(fixture, build.job);
    await tear(fixture.bucket, fixture.book.keys.ended(build.job, 1));
    expect([...(await fixture.open()).due()]).toEqual([S0]);
    expect(await fixture.book.damageOf(build.job, 1)).toMatchObject([{ job: build.job }]);
  });

  test('ends the work under it: how it ended cannot be read, but it did', async () => {
    const fixture = sharedFixture();
    const { book, bucket, clock } = fixture;
    await fixture.submit();
    const begun = Promise.withResolvers<void>();
    const ports = await fixture.ports('a', {
      work: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          begun.resolve();
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    const working = workOnJob(S0, ports);
    await begun.promise;
    await bucket.create(book.keys.ended(S0, 1), Buffer.from('{"for'));
    await clock.advance(3_000);
    expect(await working).toMatchObject({ kind: 'damaged', damaged: [{ key: book.keys.ended(S0, 1) }] });
  });

  test('is not what a later version wrote: nobody goes on without that', async () => {
    const fixture = sharedFixture();
    await fixture.submit();
    await fixture.bucket.create(fixture.book.keys.begun(S0, 1), Buffer.from('{"version":2}'));
    await expect(fixture.open()).rejects.toMatchObject({ code: 'E_SHARED_VERSION' });
    await expect(fixture.book.take(S0, fixture.taker('a'))).rejects.toMatchObject({
      code: 'E_SHARED_VERSION',
    });
  });
});

describe('[SHR-24] other records that are damaged', () => {
  test('a round is there all the same, and nobody spends more than was said elsewhere', async () => {
    const fixture = sharedFixture();
    const { place, clock, bucket } = fixture;
    const shared = await fixture.submit();
    await beginRound(shared, place, { clock, ...BY, budgetUsd: 5 });
    await beginRound(shared, place, { clock, ...BY, budgetUsd: 50 });
    const { keys } = shared;
    const submission = { ...fixture.submission, work: { ...fixture.submission.work, budgetUsd: 20 } };
    expect(await budgetOfRound(place, submission, 3)).toBe(50);
    await tear(bucket, keys.round(3));
    const read = await fixture.open();
    expect(read).toMatchObject({ round: 3, budgetUsd: 5, damaged: [{ key: keys.round(3) }] });
    expect([...read.due()]).toHaveLength(3);
    expect(await budgetOfRound(place, submission, 3)).toBe(5);
    // Without any that can be read the submission has said the least.
    await tear(bucket, keys.round(2));
    expect(await budgetOfRound(place, submission, 3)).toBe(20);
    await beginRound(read, place, { clock, ...BY, budgetUsd: 60 });
    expect(await budgetOfRound(place, submission, 4)).toBe(60);
    expect(await fixture.open()).toMatchObject({ budgetUsd: 60, damaged: [{ key: keys.round(2) }] });
  });

  test('a round that cannot be read may have lowered the budget: what an earlier one raised it to does not hold', async () => {
    const fixture = sharedFixture();
    const { place, clock, bucket } = fixture;
    const shared = await fixture.submit();
    await beginRound(shared, place, { clock, ...BY, budgetUsd: 50 });
    await beginRound(shared, place, { clock, ...BY, budgetUsd: 5 });
    const submission = { ...fixture.submission, work: { ...fixture.submission.work, budgetUsd: 20 } };
    await tear(bucket, shared.keys.round(3));
    expect(await budgetOfRound(place, submission, 3)).toBe(20);
  });

  test('a cancellation cancels, and lets nothing finish', async () => {
    const fixture = sharedFixture();
    const { place, clock, bucket } = fixture;
    const shared = await fixture.submit();
    const { keys } = shared;
    await writeCancelled(place, { run: RUN, round: 1, clock, ...BY, letsFinish: true });
    expect(await isUnwanted(place, keys, 1)).toBe(false);
    const whole = await tear(bucket, keys.cancelled(1));
    expect(await isUnwanted(place, keys, 1)).toBe(true);
    const read = await fixture.open();
    expect(read).toMatchObject({ isCancelled: true, damaged: [{ key: keys.cancelled(1) }] });
    expect(read.cancelled).toMatchObject({ by: 'unknown', reason: expect.any(String) });
    // Whoever cancels it now is believed also when the other is restored.
    await cancelRound(read, place, { clock, ...BY });
    await overwrite(bucket, keys.cancelled(1), whole);
    expect(await isUnwanted(place, keys, 1)).toBe(true);
    await read.refresh();
    expect(read).toMatchObject({ damaged: [], cancelled: { by: 'laptop', letsFinish: true } });
  });

  test('a sign of life tells how old it is, and never that its worker ended', async () => {
    const fixture = sharedFixture();
    const { place, clock, bucket, book } = fixture;
    await fixture.submit();
    const [other, own] = [await fixture.ports('other'), await fixture.ports('own')];
    const taken = await book.take(S0, fixture.taker('other'));
    if (taken.kind !== 'taken') throw new Error('it was free');
    await other.signs.stop();
    await tear(bucket, beatKey('', 'other'));
    const isSilent = () => own.signs.isSilent(taken.lease, book.keys.begun(S0, 1));
    expect(await isSilent()).toBe(false);
    const seen = await seeWorkers(place, { random: systemRandom });
    expect(seen.workers).toMatchObject([
      { worker: 'other', state: 'live', problem: expect.stringContaining('workers/other') },
      { worker: 'own', state: 'live' },
    ]);
    for (let count = 0; count < 5; count++) {
      await clock.advance(2_000);
      await own.signs.give();
    }
    expect(await isSilent()).toBe(true);
  });

  test('a submission keeps no other run of its budget from counting what was spent', async () => {
    const { bucket, place } = sharedFixture();
    await bucket.create(new SharedKeys('', RUN).submission, Buffer.from('{'));
    expect(await spentOnRun(place, { run: RUN, runs: new KnownRuns(place) })).toEqual(new Map());
  });
});
