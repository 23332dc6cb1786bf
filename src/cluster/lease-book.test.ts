import { describe, expect, test } from 'vitest';
import { FaultyBucket } from '../../test/sim/faulty-bucket.ts';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import { LeaseBook } from './lease-book.ts';
import { endOfJob } from './lease-standing.ts';
import { sampleJob } from './shared-keys.ts';

const JOB = sampleJob(7);

test('[SHR-1] of many workers that take a job at once one gets it, and the others see who has it', async () => {
  const { book, taker } = sharedFixture();
  const names = Array.from({ length: 10 }, (_, index) => `w${index}`);
  const taken = await Promise.all(names.map((name) => book.take(JOB, taker(name))));
  const winners = taken.flatMap((one) => (one.kind === 'taken' ? one.lease : []));
  expect(winners).toMatchObject([{ job: JOB, n: 1 }]);
  for (const one of taken)
    if (one.kind !== 'taken') expect(one).toMatchObject({ kind: 'held', by: { worker: winners[0]?.worker } });
});

test('[SHR-1] [SHR-3] a job is taken again only when its last lease has ended, under the next number', async () => {
  const { book, taker } = sharedFixture();
  const first = await book.take(JOB, taker('a'));
  expect(await book.take(JOB, taker('b'))).toMatchObject({ kind: 'held', by: { worker: 'a', n: 1 } });
  if (first.kind !== 'taken') throw new Error('it was free');
  await book.end(first.lease, { status: 'lost', by: 'b', reason: 'silent' });
  expect(await book.take(JOB, taker('b'))).toMatchObject({
    kind: 'taken',
    lease: { n: 2, worker: 'b' },
    earlier: [{ begun: { worker: 'a' }, ended: { status: 'lost' } }],
  });
});

test('[SHR-2] a lease ends once: whoever comes second is given the word of the first', async () => {
  const { book, taker } = sharedFixture();
  const taken = await book.take(JOB, taker('a'));
  if (taken.kind !== 'taken') throw new Error('it was free');
  const lost = await book.end(taken.lease, { status: 'lost', by: 'b', reason: 'silent' });
  expect(await book.end(taken.lease, { status: 'completed', by: 'a', origin: 'o' })).toEqual(lost);
  expect(await book.readEnd(JOB, 1)).toEqual(lost);
});

test('a worker whose acknowledgement was lost has what it took', async () => {
  const { bucket, clock, taker } = sharedFixture();
  using faulty = new FaultyBucket(bucket, [{ on: 'create', kind: 'lostAcknowledgement' }]);
  const book = new LeaseBook({ bucket: faulty, prefix: '' }, { run: RUN, clock });
  await expect(book.take(JOB, taker('a'))).rejects.toMatchObject({ code: 'E_BUCKET_AWAY' });
  expect(await book.take(JOB, taker('a'))).toMatchObject({ kind: 'taken', lease: { n: 1 }, earlier: [] });
});

describe('[SHR-7] a job is over', () => {
  const about = { format: 'holdfast-lease-end', version: 1, run: RUN, job: JOB, by: 'a', at: '' } as const;
  const begun = {
    format: 'holdfast-lease',
    version: 1,
    run: RUN,
    job: JOB,
    worker: 'a',
    writer: 'w',
    at: '',
  } as const;
  const lease = (
    n: number,
    round: number,
    status?: 'completed' | 'errored' | 'returned' | 'lost' | 'aside',
  ) => ({
    begun: { ...begun, n, round },
    ...(status ? { ended: { ...about, n, round, status } } : {}),
  });

  test.each([
    ['completed in any round', [lease(1, 1, 'completed')], 2, 'completed'],
    ['errored in this round', [lease(1, 1, 'lost'), lease(2, 1, 'errored')], 1, 'errored'],
    ['set aside in this round', [lease(1, 1, 'aside')], 1, 'aside'],
    ['set aside in a later round', [lease(1, 1, 'lost'), lease(2, 2, 'aside')], 1, 'aside'],
    [
      'completed although it failed before',
      [lease(1, 1, 'errored'), lease(2, 2, 'completed')],
      2,
      'completed',
    ],
  ] as const)('when it %s', (_, leases, round, status) => {
    expect(endOfJob(leases, round)?.status).toBe(status);
  });

  test.each([
    ['errored in an earlier round', [lease(1, 1, 'errored')], 2],
    ['set aside in an earlier round', [lease(1, 1, 'aside')], 2],
    ['returned', [lease(1, 1, 'returned')], 1],
    ['lost', [lease(1, 1, 'lost')], 1],
    ['open', [lease(1, 1)], 1],
    ['never taken', [], 1],
  ] as const)('but not when it was %s', (_, leases, round) => {
    expect(endOfJob(leases, round)).toBeUndefined();
  });
});

test('a lease that lies under the key of another is damage, and not believed', async () => {
  const { book, bucket, taker } = sharedFixture();
  await book.take(JOB, taker('a'));
  const bytes = await bucket.read(book.keys.begun(JOB, 1));
  await bucket.create(book.keys.begun(JOB, 2), bytes ?? new Uint8Array());
  expect(await book.ofJob(JOB)).toMatchObject([{ begun: { n: 1 } }]);
  expect(await book.take(JOB, taker('b'))).toMatchObject({
    ...{ kind: 'damaged', damaged: [{ key: book.keys.begun(JOB, 2), job: JOB }] },
  });
});

test('the leases of a job are told from those of jobs whose names begin alike', async () => {
  const { book, taker } = sharedFixture();
  for (const position of [1, 10, 11, 100]) await book.take(sampleJob(position), taker('a'));
  expect(await book.ofJob(sampleJob(1))).toMatchObject([{ begun: { job: 's1', n: 1 } }]);
});
