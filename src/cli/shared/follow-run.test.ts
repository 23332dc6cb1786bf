import { expect, test } from 'vitest';
import { RUN, sharedFixture } from '../../../test/sim/shared-fixture.ts';
import { withMethods } from '../../../test/sim/with-methods.ts';
import { type Bucket, bucketErrors } from '../../bucket/index.ts';
import { partKey } from '../../cluster/evidence-keys.ts';
import { encodePart } from '../../cluster/evidence-part.ts';
import {
  beginRound,
  cancelRound,
  type JobId,
  type LeaseBegun,
  SharedRun,
  SignsOfLife,
  sampleJob,
} from '../../cluster/index.ts';
import { writeCancelled } from '../../cluster/rounds.ts';
import { type RunNews, RunNewsReader } from './follow-run.ts';

/** One row in two epochs. */
const RECORD = {
  identity: { eval: 'e', targetName: 't' },
  start: { eval: { dataset: { sample_ids: ['rome'] } } },
};

/** Somebody follows a run in memory, and a worker lives. What is asked of the bucket can be kept from arriving, by key or folder. */
async function followed(sample?: string) {
  const fixture = sharedFixture({ samples: 2, record: Object.assign(Object.create(null), RECORD) });
  const { clock, book } = fixture;
  await fixture.submit();
  let away: RegExp | undefined;
  const ask = (key: string) => {
    if (away?.test(key)) throw bucketErrors.away('memory', new Error('no answer'));
  };
  const bucket: Bucket = withMethods<Bucket>(fixture.bucket, {
    async *list(folder, options) {
      ask(folder);
      yield* fixture.bucket.list(folder, options);
    },
    async read(key) {
      ask(key);
      return fixture.bucket.read(key);
    },
    async create(key, bytes) {
      ask(key);
      return fixture.bucket.create(key, bytes);
    },
  });
  const place = { bucket, prefix: '', url: 'memory', store: bucket };
  const shared = await SharedRun.open(place, RUN);
  if (!shared) throw new Error('nothing was submitted');
  const signs = new SignsOfLife(fixture.place, { worker: 'a', clock, slots: 1 });
  await signs.start();
  const [told, notes, stop]: [RunNews[], string[], AbortController] = [[], [], new AbortController()];
  const reader = await RunNewsReader.open(shared, place, { sample });
  let ended: string | undefined;
  const following = reader
    .follow({
      ...{ clock, signal: stop.signal },
      tell: (news) => told.push(news),
      note: (text) => notes.push(text),
    })
    .then((done) => {
      ended = done.end;
      return done;
    });
  // Whoever looks at it only later wants to see what it rejected with, then.
  following.catch(() => undefined);
  return {
    ...{ clock, shared, place: fixture.place, notes, following, signs, stop },
    goAway: (keys: RegExp | undefined) => {
      away = keys;
    },
    ended: () => ended,
    events: () => told.flatMap(({ events }) => events.map(({ kind }) => kind)),
    output: () => told.flatMap(({ output }) => output.map(({ text }) => text)),
    async take(job: JobId) {
      const taken = await book.take(job, fixture.taker('a'));
      if (taken.kind !== 'taken') throw new Error(taken.kind);
      return taken.lease;
    },
    end: (lease: LeaseBegun) => book.end(lease, { status: 'completed', by: 'a' }),
    async complete(job: JobId) {
      await this.end(await this.take(job));
    },
    async write(job: JobId, part: number, text: string) {
      const of = { job, n: 1, writer: 'w', part };
      const bytes = Buffer.from(text);
      const piece = { path: 'printed.stdout', kind: 'text', from: 0, to: bytes.length, bytes } as const;
      const encoded = encodePart({ ...of, run: RUN, at: '', pieces: [piece], leftOut: [] });
      await fixture.bucket.create(partKey(fixture.place, RUN, of), encoded);
    },
  };
}

test('a bucket that is away for a while is said once, and nothing that happens meanwhile stays untold', async () => {
  const run = await followed();
  await run.clock.advance(1_500);
  run.goAway(/./);
  await run.clock.advance(20_000);
  await run.complete(sampleJob(0));
  run.goAway(undefined);
  await run.clock.advance(1_500);
  await run.complete(sampleJob(1));
  await run.clock.advance(1_500);
  expect(await run.following).toMatchObject({ end: 'over', status: { state: 'complete' } });
  expect(run.notes).toEqual(['memory does not answer: no answer. It is asked again.', 'The bucket is back.']);
  expect(run.events()).toEqual(['submitted', 'round', 'begun', 'ended', 'begun', 'ended']);
});

test('one that is away for a minute ends it with its error, and not before', async () => {
  const run = await followed();
  run.goAway(/./);
  await run.clock.advance(59_000);
  expect(run.notes).toHaveLength(1);
  run.goAway(undefined);
  await run.clock.advance(2_000);
  run.goAway(/./);
  await run.clock.advance(62_000);
  await expect(run.following).rejects.toMatchObject({ code: 'E_BUCKET_AWAY' });
});

test.each([
  ['of one epoch, the second part', /evidence\/s0\/.*2$/],
  ['of the second epoch', /evidence\/s1\//],
])('what attempts wrote is told once it can be read, and once: %s was away', async (_, away) => {
  const run = await followed('rome');
  run.goAway(away);
  await run.write(sampleJob(0), 1, 'one');
  await run.write(sampleJob(0), 2, 'two');
  await run.write(sampleJob(1), 1, 'three');
  await run.clock.advance(3_000);
  expect(run.output()).toEqual([]);
  run.goAway(undefined);
  await run.clock.advance(3_000);
  expect(run.output()).toEqual(['one', 'two', 'three']);
  run.stop.abort();
  expect(await run.following).toMatchObject({ end: 'stopped' });
});

test('[SHR-10] what may end of a run that was cancelled is followed to its end', async () => {
  const run = await followed();
  const lease = await run.take(sampleJob(0));
  const words = { run: RUN, round: 1, clock: run.clock, by: 'a' };
  await writeCancelled(run.place, { ...words, letsFinish: true, because: 'budget' });
  await run.clock.advance(120_000);
  expect({ ended: run.ended(), told: run.events() }).toEqual({
    ended: undefined,
    told: ['submitted', 'round', 'cancelled', 'begun'],
  });
  await run.end(lease);
  await run.clock.advance(1_500);
  expect(await run.following).toMatchObject({ end: 'over', status: { state: 'cancelled', inFlight: [] } });
  expect(run.events().at(-1)).toBe('ended');
});

test('whoever cannot tell whether anybody lives follows a run that was cancelled for a minute, and says that nobody knows', async () => {
  const run = await followed();
  await run.take(sampleJob(0));
  // Whoever may not write cannot tell the time of the bucket.
  run.goAway(/^clock/);
  await cancelRound(run.shared, run.place, { clock: run.clock, by: 'laptop' });
  await run.clock.advance(58_000);
  expect(run.ended()).toBeUndefined();
  await run.clock.advance(5_000);
  expect(await run.following).toMatchObject({ end: 'unknown', status: { state: 'cancelled' } });
});

test('a run that was cancelled and goes on in another round is followed on', async () => {
  const run = await followed();
  await run.take(sampleJob(0));
  const words = { clock: run.clock, by: 'laptop' };
  await cancelRound(run.shared, run.place, words);
  await run.clock.advance(3_000);
  await beginRound(run.shared, run.place, words);
  await run.clock.advance(120_000);
  expect(run.ended()).toBeUndefined();
  expect(run.events()).toContain('cancelled');
  run.stop.abort();
  expect(await run.following).toMatchObject({ end: 'stopped', status: { round: 2 } });
});
