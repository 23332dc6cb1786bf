import { expect, test } from 'vitest';
import { FaultyBucket } from '../../test/sim/faulty-bucket.ts';
import { LocalQueue } from '../../test/sim/local-queue.ts';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import type { Bucket } from '../bucket/index.ts';
import { enqueueDue } from './reconcile.ts';
import { beginRound, cancelRound, createSubmission } from './rounds.ts';
import { statusOf } from './run-status.ts';
import { buildJob, parseJob, SharedKeys, sampleJob } from './shared-keys.ts';
import { SharedRun } from './shared-run.ts';
import { workOnJob } from './work-on-job.ts';

const RECIPE = 'ab'.repeat(32);
const BUILD = { job: buildJob(RECIPE), unit: 'schema/shop', recipe: RECIPE, samples: '0-1', needs: [] };

test('what was never submitted is not there', async () => {
  const { place } = sharedFixture();
  expect(await SharedRun.open(place, 'another')).toBeUndefined();
});

test('[SHR-9] a run is complete when every job is over in its latest round', async () => {
  const fixture = sharedFixture({ samples: 2 });
  const shared = await fixture.submit();
  expect(shared).toMatchObject({ round: 1, isComplete: false });
  await workOnJob(sampleJob(0), await fixture.ports('a'));
  const gone = await fixture.ports('a', { work: () => Promise.reject(new Error('it broke')) });
  await workOnJob(sampleJob(1), gone);
  await shared.refresh();
  // What lost its worker is due, and not over.
  expect(shared).toMatchObject({ isComplete: false });
  expect([...shared.due()]).toEqual(['s1']);
  await workOnJob(
    sampleJob(1),
    await fixture.ports('a', { work: async () => ({ status: 'errored', origin: 'o' }) }),
  );
  await shared.refresh();
  expect(shared.isComplete).toBe(true);
  await beginRound(shared, fixture.place, { clock: fixture.clock, by: 'laptop' });
  expect(shared).toMatchObject({ round: 2, isComplete: false });
  expect([...shared.due()]).toEqual(['s1']);
});

test('[SHR-9] the leases of many samples are all read, those of a sample that had several the first one first', async () => {
  const samples = 700;
  const fixture = sharedFixture({ samples });
  const shared = await fixture.submit();
  const { book } = fixture;
  for (let position = 0; position < samples; position++) {
    const taken = await book.take(sampleJob(position), fixture.taker('a'));
    if (taken.kind === 'taken') await book.end(taken.lease, { status: 'completed', by: 'a', origin: 'o' });
  }
  await shared.refresh();
  expect(shared.isComplete).toBe(true);
  const other = sharedFixture({ samples: 1 });
  const one = await other.submit();
  for (const worker of ['a', 'b', 'c']) {
    const taken = await other.book.take(sampleJob(0), other.taker(worker));
    if (taken.kind === 'taken') await other.book.end(taken.lease, { status: 'returned', by: worker });
    await one.refresh();
  }
  expect(one.leasesOf(sampleJob(0)).map(({ begun, ended }) => [begun.n, begun.worker, ended?.by])).toEqual([
    [1, 'a', 'a'],
    [2, 'b', 'b'],
    [3, 'c', 'c'],
  ]);
});

test('a submission without a round is not complete, and nothing of it is due', async () => {
  const fixture = sharedFixture({ samples: 0 });
  const { createSubmission } = await import('./rounds.ts');
  await createSubmission(fixture.place, fixture.submission);
  const shared = await fixture.open();
  expect(shared).toMatchObject({ round: 0, isComplete: false });
  expect(await enqueueDue(shared, new LocalQueue(fixture.clock))).toBe(0);
});

test('samples are due when the builds that they need are over, all of them together', async () => {
  const fixture = sharedFixture({ builds: [BUILD] });
  const shared = await fixture.submit();
  const queue = new LocalQueue(fixture.clock);
  expect([...shared.due()]).toEqual([BUILD.job, 's2']);
  expect(await enqueueDue(shared, queue)).toBe(2);
  await workOnJob(BUILD.job, await fixture.ports('a'));
  await shared.refresh();
  expect([...shared.due()]).toEqual(['s0', 's1', 's2']);
  expect(await enqueueDue(shared, queue)).toBe(3);
  // What was waiting is not there twice.
  expect(await queue.count('run')).toBe(4);
});

test('[SHR-11] a build is due when what it is made of is over, and not before', async () => {
  const recipe = 'cd'.repeat(32);
  const second = { job: buildJob(recipe), unit: 'knowledge/shop', recipe, samples: '0', needs: [BUILD.job] };
  const fixture = sharedFixture({ samples: 1, builds: [{ ...BUILD, samples: '' }, second] });
  const shared = await fixture.submit();
  expect([...shared.due()]).toEqual([BUILD.job]);
  await workOnJob(
    BUILD.job,
    await fixture.ports('a', { work: async () => ({ status: 'errored', reason: 'it fails' }) }),
  );
  await shared.refresh();
  expect([...shared.due()]).toEqual([second.job]);
  await workOnJob(second.job, await fixture.ports('a'));
  await shared.refresh();
  expect([...shared.due()]).toEqual(['s0']);
});

test('samples that other logs lend are no jobs', async () => {
  const shared = await sharedFixture({ samples: 4, lent: '1-2' }).submit();
  expect([...shared.jobs()]).toEqual(['s0', 's3']);
});

test('of two who resume at once one begins the round, and both see it', async () => {
  const fixture = sharedFixture();
  await fixture.submit();
  const [one, other] = [await fixture.open(), await fixture.open()];
  const options = { clock: fixture.clock, by: 'somebody' };
  const begun = await Promise.all([one, other].map((shared) => beginRound(shared, fixture.place, options)));
  expect(begun.map(({ round }) => round)).toEqual([2, 2]);
  expect(begun.filter(({ isOwn }) => isOwn)).toHaveLength(1);
});

test('[SHR-10] nothing of a cancelled round is handed out, and the next round takes it up', async () => {
  const fixture = sharedFixture();
  const shared = await fixture.submit();
  const options = { clock: fixture.clock, by: 'somebody' };
  await cancelRound(shared, fixture.place, options);
  expect(shared.isCancelled).toBe(true);
  expect(await enqueueDue(shared, new LocalQueue(fixture.clock))).toBe(0);
  await beginRound(shared, fixture.place, options);
  expect(shared.isCancelled).toBe(false);
  expect(await enqueueDue(shared, new LocalQueue(fixture.clock))).toBe(3);
});

/** A submission without a round, as somebody sees it who submits it, and somebody who cancels it. */
async function beforeItsRound(wrap = (bucket: Bucket) => bucket) {
  const identity = { eval: 'e', targetName: 't' };
  const fixture = sharedFixture({ record: Object.assign(Object.create(null), { identity }) });
  await createSubmission(fixture.place, fixture.submission);
  const place = { ...fixture.place, bucket: wrap(fixture.bucket) };
  const canceller = await SharedRun.open(place, RUN);
  if (!canceller) throw new Error('it was submitted');
  const options = { clock: fixture.clock, by: 'somebody' };
  return {
    ...fixture,
    options,
    submitter: await fixture.open(),
    cancel: () => cancelRound(canceller, place, options),
  };
}

test('[SHR-10] a run that has no round is cancelled all the same, and the next round takes it up', async () => {
  const { cancel, open, place, options } = await beforeItsRound();
  await cancel();
  const shared = await open();
  expect(statusOf(shared, { workers: [], nowMs: undefined })).toMatchObject({ round: 1, state: 'cancelled' });
  await beginRound(shared, place, options);
  expect(shared).toMatchObject({ round: 2, isCancelled: false });
});

test.each([
  ['is there', (bucket: Bucket) => bucket],
  [
    'could not be begun',
    (bucket: Bucket) => new FaultyBucket(bucket, [{ on: 'create', kind: 'timeout', at: /rounds/ }]),
  ],
])(
  '[SHR-10] whoever submits a run that somebody cancelled meanwhile hands out nothing: its round %s',
  async (_, wrap) => {
    const { cancel, submitter, place, options, clock } = await beforeItsRound(wrap);
    await cancel().catch((error) => expect(error).toMatchObject({ code: 'E_BUCKET_AWAY' }));
    await beginRound(submitter, place, options);
    expect(submitter).toMatchObject({ round: 1, isCancelled: true });
    expect(await enqueueDue(submitter, new LocalQueue(clock))).toBe(0);
  },
);

test('[SHR-26] nothing is left of the cancellation of a run that was withdrawn meanwhile', async () => {
  const { cancel, submitter, bucket } = await beforeItsRound();
  await bucket.remove(submitter.keys.submission);
  await expect(cancel()).rejects.toMatchObject({ code: 'E_SHARED_REMOVED' });
  expect(await Array.fromAsync(bucket.list(''))).toEqual([]);
});

test.each([
  ['is no JSON', '{', 'E_SHARED_DAMAGED'],
  ['lacks what it must have', '{"format":"holdfast-submission","version":1}', 'E_SHARED_DAMAGED'],
  ['is of a newer version', '{"format":"holdfast-submission","version":2}', 'E_SHARED_VERSION'],
])('a submission that %s is not taken for an absent one', async (_, text, code) => {
  const { place, bucket } = sharedFixture();
  await bucket.create(new SharedKeys('', 'run').submission, Buffer.from(text));
  await expect(SharedRun.open(place, 'run')).rejects.toMatchObject({ code });
});

test('jobs have names, and nothing else is taken for one', () => {
  expect(parseJob('s12')).toEqual({ kind: 'sample', position: 12 });
  expect(parseJob(buildJob(RECIPE))).toEqual({ kind: 'build', recipe: RECIPE.slice(0, 16) });
  for (const text of ['', 's', 's01', 's-1', 'b12', 'x3', 's1/2', 'bABABABABABABABAB'])
    expect(parseJob(text)).toBeUndefined();
});
