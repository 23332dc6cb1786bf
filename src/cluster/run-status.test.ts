import { expect, test } from 'vitest';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { seededRandom } from '../base/index.ts';
import { LeaseBook } from './lease-book.ts';
import { cancelRound, createSubmission } from './rounds.ts';
import { statusOf } from './run-status.ts';
import { sampleJob } from './shared-keys.ts';
import { SignsOfLife } from './signs-of-life.ts';
import { workOnJob } from './work-on-job.ts';
import { seeWorkers } from './workers-seen.ts';

const RECORD = { identity: { eval: 'e', targetName: 't' } };

function fixtureWith(samples: number) {
  const fixture = sharedFixture({ samples, record: Object.assign(Object.create(null), RECORD) });
  const state = async (place = fixture.place) => {
    const shared = await fixture.open();
    return statusOf(shared, await seeWorkers(place, { random: seededRandom(1) }));
  };
  return { ...fixture, state };
}

test('[SHR-9] the state of a run follows from what is stored and from signs of life: queued, running, stalled, complete', async () => {
  const run = fixtureWith(2);
  await run.submit();
  expect(await run.state()).toMatchObject({ state: 'queued', samples: { planned: 2, due: 2 } });
  const a = await run.ports('a');
  expect(await run.state()).toMatchObject({ state: 'queued', workers: [{ worker: 'a', state: 'live' }] });
  await run.book.take(sampleJob(0), run.taker('a'));
  expect(await run.state()).toMatchObject({
    state: 'running',
    samples: { running: 1, due: 1 },
    inFlight: [{ job: 's0', worker: 'a', n: 1, state: 'live' }],
  });
  await run.clock.advance(8_000);
  expect(await run.state()).toMatchObject({ state: 'stalled', inFlight: [{ state: 'silent' }] });
  await a.signs.give();
  expect(await run.state()).toMatchObject({ state: 'running' });
  await run.book.end((await run.book.ofJob(sampleJob(0)))[0]?.begun as never, {
    status: 'completed',
    by: 'a',
    usd: 0.5,
  });
  await workOnJob(sampleJob(1), await run.ports('a'));
  expect(await run.state()).toMatchObject({ state: 'complete', usd: 0.5, samples: { completed: 2, due: 0 } });
});

test('[SHR-9] where the time of the bucket cannot be told a worker is unknown, not dead', async () => {
  const run = fixtureWith(1);
  await run.submit();
  await run.ports('a');
  await run.book.take(sampleJob(0), run.taker('a'));
  await run.clock.advance(60_000);
  const bucket = withMethods(run.bucket, { create: () => Promise.reject(new Error('read only')) });
  expect(await run.state({ ...run.place, bucket })).toMatchObject({
    state: 'unknown',
    inFlight: [{ state: 'unknown', ageMs: null }],
  });
});

test.each([
  ['an hour ahead', 3_600_000],
  ['right', 0],
  ['an hour behind', -3_600_000],
])(
  'how long a worker has had something is told by the clock of the bucket: its own is %s',
  async (_, aheadMs) => {
    const run = fixtureWith(1);
    await run.submit();
    const clock = { ...run.clock, nowMs: () => run.clock.nowMs() + aheadMs };
    const signs = new SignsOfLife(run.place, { worker: 'a', clock, slots: 1 });
    await signs.give();
    await new LeaseBook(run.place, { run: RUN, clock }).take(sampleJob(0), run.taker('a'));
    await run.clock.advance(5_000);
    await signs.give();
    await run.clock.advance(2_000);
    expect(await run.state()).toMatchObject({ state: 'running', inFlight: [{ ageMs: 7_000 }] });
  },
);

test('[SHR-24] of a worker whose sign of life cannot be read nobody tells how long it has had something', async () => {
  const run = fixtureWith(1);
  await run.submit();
  await run.ports('a');
  await run.book.take(sampleJob(0), run.taker('a'));
  const [sign] = await Array.fromAsync(run.bucket.list('workers'));
  await run.bucket.remove(sign?.key ?? '');
  await run.bucket.create(sign?.key ?? '', Buffer.from('{"x'));
  expect(await run.state()).toMatchObject({ inFlight: [{ state: 'live', ageMs: null }] });
});

test('a run without its first round, one whose workers went, and one that was cancelled say so', async () => {
  const run = fixtureWith(2);
  await createSubmission(run.place, run.submission);
  expect(await run.state()).toMatchObject({ state: 'interrupted', round: 0 });
  const shared = await run.submit();
  const a = await run.ports('a', { work: async () => ({ status: 'returned' }) });
  await workOnJob(sampleJob(0), a);
  await a.signs.stop();
  expect(await run.state()).toMatchObject({ state: 'interrupted', samples: { due: 2 } });
  await cancelRound(shared, run.place, { clock: run.clock, by: 'laptop' });
  expect(await run.state()).toMatchObject({ run: RUN, state: 'cancelled' });
});

test('a worker that refuses a run does not count as one that is there', async () => {
  const run = fixtureWith(1);
  await run.submit();
  const a = await run.ports('a', { work: async () => ({ status: 'returned' }) });
  await workOnJob(sampleJob(0), a);
  a.signs.refuse(RUN, 'other packages');
  await a.signs.give();
  expect(await run.state()).toMatchObject({
    state: 'interrupted',
    workers: [{ worker: 'a', refuses: [{ run: RUN, reason: 'other packages' }] }],
  });
  // What one that went could not do says nothing of who is there.
  const b = await run.ports('b');
  await a.signs.stop();
  expect((await run.state()).workers).toMatchObject([{ worker: 'b', state: 'live', refuses: [] }]);
  b.signs.refuse(RUN, 'no key');
  await b.signs.give();
  const c = await run.ports('c');
  await run.clock.advance(8_000);
  await c.signs.give();
  expect((await run.state()).workers).toMatchObject([{ worker: 'c', refuses: [] }]);
});
