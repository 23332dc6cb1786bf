import { expect, test } from 'vitest';
import { sharedFixture } from '../../test/sim/shared-fixture.ts';
import { cancelRound } from './rounds.ts';
import { eventName, eventsOf } from './run-events.ts';
import { sampleJob } from './shared-keys.ts';

test('all that happened is told by time: rounds, leases with worker and reason, who cancelled; and each once', async () => {
  const fixture = sharedFixture({ at: '2020-01-01T00:00:00.000+00:00' });
  const { book, clock, place, taker } = fixture;
  const shared = await fixture.submit();
  const take = async (job: number, worker: string) => {
    await clock.advance(1_000);
    const taken = await book.take(sampleJob(job), taker(worker));
    if (taken.kind !== 'taken') throw new Error(taken.kind);
    return taken.lease;
  };
  const first = await take(0, 'a');
  const other = await take(1, 'b');
  await clock.advance(1_000);
  await book.end(first, { status: 'lost', by: 'b', reason: 'worker a gave no sign of life any more' });
  await book.end(other, { status: 'completed', by: 'b', usd: 0.5, evidence: { parts: 1, bytes: 9 } });
  await take(0, 'b');
  await clock.advance(1_000);
  await cancelRound(shared, place, { clock, by: 'laptop' });
  await shared.refresh();
  const events = eventsOf(shared);
  expect(events.map(eventName)).toEqual([
    ...['submitted', 'round 1', 'begun s0.1', 'begun s1.1', 'ended s0.1', 'ended s1.1', 'begun s0.2'],
    'cancelled 1',
  ]);
  expect(events[4]).toMatchObject({
    ...{ kind: 'ended', status: 'lost', job: 's0', n: 1, round: 1, worker: 'a', by: 'b' },
    reason: 'worker a gave no sign of life any more',
  });
  expect(events[5]).toMatchObject({ usd: 0.5, evidence: { parts: 1, bytes: 9 } });
  expect(events.at(-1)).toMatchObject({ kind: 'cancelled', round: 1, by: 'laptop' });
  const ofA = eventsOf(shared, { worker: 'a', job: sampleJob(0) });
  expect(ofA.map(eventName)).toEqual(['submitted', 'round 1', 'begun s0.1', 'ended s0.1', 'cancelled 1']);
});
