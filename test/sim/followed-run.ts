import { type Bucket, bucketErrors } from '../../src/bucket/index.ts';
import { type RunNews, RunNewsReader } from '../../src/cli/shared/follow-run.ts';
import { partKey } from '../../src/cluster/evidence-keys.ts';
import { encodePart } from '../../src/cluster/evidence-part.ts';
import { type JobId, type LeaseBegun, SharedRun, SignsOfLife } from '../../src/cluster/index.ts';
import { writeCancelled } from '../../src/cluster/rounds.ts';
import { RUN, sharedFixture } from './shared-fixture.ts';
import { withMethods } from './with-methods.ts';

/** One row in two epochs. */
const RECORD = {
  identity: { eval: 'e', targetName: 't' },
  start: { eval: { dataset: { sample_ids: ['rome'] } } },
};

/** Somebody follows a run in memory, and a worker lives. What is asked of the bucket can be kept from arriving, by key or folder. */
export async function followedRun(sample?: string) {
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
    /** Its budget is spent: what is under way may end. */
    letFinish: () =>
      writeCancelled(fixture.place, {
        ...{ run: RUN, round: 1, clock, by: 'a', letsFinish: true, because: 'budget' },
      }),
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
