import { expect, test } from 'vitest';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import { type CollectOptions, collectRuns, noteFetched } from './collect-runs.ts';
import { LeaseBook } from './lease-book.ts';
import { joinPurse } from './purse.ts';
import { beginRound, cancelRound, createSubmission } from './rounds.ts';
import { sampleJob } from './shared-keys.ts';
import type { Submission } from './shared-records.ts';
import { SharedRun } from './shared-run.ts';
import { workOnJob } from './work-on-job.ts';

const DAY_MS = 86_400_000;

/** A run of two samples that is over, with `errored` ends for the second if that is wanted. */
async function over({
  isFailed = false,
  ...more
}: Partial<Submission> & { readonly isFailed?: boolean } = {}) {
  const fixture = sharedFixture({ samples: 2, ...more });
  const shared = await fixture.submit();
  await workOnJob(sampleJob(0), await fixture.ports('a'));
  const failing = { work: async () => ({ status: 'errored' as const, origin: 'x' }) };
  await workOnJob(sampleJob(1), await fixture.ports('a', isFailed ? failing : {}));
  await shared.refresh();
  const collect = (more: Partial<CollectOptions> = {}) =>
    collectRuns(fixture.place, {
      ...{ clock: fixture.clock, olderThanMs: 0, isDryRun: false, nowMs: fixture.clock.nowMs() },
      ...more,
    });
  const fetch = (isMerged = true) =>
    noteFetched(shared, fixture.place, { clock: fixture.clock, by: 'laptop', isMerged });
  const keys = async () => (await Array.fromAsync(fixture.bucket.list(`${RUN}/`))).map(({ key }) => key);
  return { ...fixture, shared, collect, fetch, keys };
}

test('what is complete, home and merged goes, whole; what was fetched a short while ago stays', async () => {
  const run = await over();
  await run.fetch();
  await run.clock.advance(DAY_MS);
  expect(await run.collect({ olderThanMs: 2 * DAY_MS })).toMatchObject([{ isRemoved: false }]);
  expect(await run.collect({ isDryRun: true })).toMatchObject([{ run: RUN, isRemoved: true }]);
  expect(await SharedRun.open(run.place, RUN)).toBeDefined();
  expect(await run.collect()).toMatchObject([{ run: RUN, isRemoved: true }]);
  expect(await run.keys()).toEqual([]);
  expect(await run.collect()).toEqual([]);
});

test('what is not fetched, not merged, failed, cancelled or not complete stays, with the reason', async () => {
  const unfetched = await over();
  expect(await unfetched.collect()).toMatchObject([{ isRemoved: false, reason: 'not fetched' }]);
  await unfetched.fetch(false);
  expect(await unfetched.collect()).toMatchObject([
    { isRemoved: false, reason: 'not all its artifacts and evidence are home' },
  ]);
  const failed = await over({ isFailed: true });
  await failed.fetch();
  expect(await failed.collect()).toMatchObject([
    { isRemoved: false, reason: '1 of its jobs failed: it can be resumed' },
  ]);
  const fixture = sharedFixture();
  const shared = await fixture.submit();
  const collect = () =>
    collectRuns(fixture.place, {
      ...{ clock: fixture.clock, olderThanMs: 0, isDryRun: false, nowMs: fixture.clock.nowMs() },
    });
  expect(await collect()).toMatchObject([{ isRemoved: false, reason: 'not complete: it can be resumed' }]);
  await cancelRound(shared, fixture.place, { clock: fixture.clock, by: 'laptop' });
  expect(await collect()).toMatchObject([{ isRemoved: false, reason: 'cancelled: it can be resumed' }]);
});

test('a run of which something cannot be read stays, is named with the problem, and keeps nobody from the others', async () => {
  const run = await over();
  await run.fetch();
  await run.bucket.create('broken/shared/submission', Buffer.from('{"format":'));
  await run.clock.advance(DAY_MS);
  expect(await run.collect()).toMatchObject([
    {
      ...{ run: 'broken', isRemoved: false, isDamaged: true },
      reason: expect.stringContaining('broken/shared/submission'),
    },
    { run: RUN, isRemoved: true },
  ]);
  expect(await run.bucket.stat('broken/shared/submission')).toBeDefined();
});

test('hints where to look go with their run, and those of others stay', async () => {
  const run = await over();
  await run.fetch();
  const other = 'active/run-2.0001';
  await run.bucket.create(other, new Uint8Array());
  await run.collect();
  const hints = (await Array.fromAsync(run.bucket.list('active/'))).map(({ key }) => key);
  expect(hints).toEqual([other]);
});

test('a run that was cancelled when all of it was done is complete, and goes', async () => {
  const run = await over();
  await cancelRound(run.shared, run.place, { clock: run.clock, by: 'laptop' });
  await run.fetch();
  expect(await run.collect()).toMatchObject([{ run: RUN, isRemoved: true }]);
});

test('a run whose budget another has as well stays as long as that one can be resumed: it counts what was spent', async () => {
  const run = await over({ purse: 'p' });
  await run.fetch();
  for (const one of [RUN, 'other']) await joinPurse(run.place, { purse: 'p', run: one });
  await createSubmission(run.place, { ...run.submission, run: 'other', samples: 1 });
  const other = await SharedRun.open(run.place, 'other');
  if (!other) throw new Error('it was submitted');
  await beginRound(other, run.place, { clock: run.clock, by: 'laptop' });
  const book = new LeaseBook(run.place, { run: 'other', clock: run.clock });
  const taken = await book.take(sampleJob(0), { round: 1, worker: 'a', writer: 'w' });
  if (taken.kind !== 'taken') throw new Error('it was free');
  await book.end(taken.lease, { status: 'errored', by: 'a', origin: 'x' });
  const kept = { run: RUN, isRemoved: false, reason: 'it has one budget with other, which can be resumed' };
  expect(await run.collect()).toContainEqual(kept);
});

test('a run whose budget another has as well stays until that one is complete, and one that somebody else needs stays', async () => {
  const run = await over({ purse: 'p' });
  await run.fetch();
  const other = { ...run.submission, run: 'other' };
  for (const one of [RUN, 'other']) await joinPurse(run.place, { purse: 'p', run: one });
  await createSubmission(run.place, other);
  const kept = { run: RUN, isRemoved: false, reason: 'it has one budget with other, which can be resumed' };
  expect(await run.collect()).toContainEqual(kept);
  await run.bucket.remove('other/shared/submission');
  const launched = { ...kept, reason: 'workers' };
  expect(await run.collect({ reasonOf: async () => 'workers' })).toContainEqual(launched);
  expect(await run.collect()).toMatchObject([{ run: RUN, isRemoved: true }]);
});
