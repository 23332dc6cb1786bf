import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DamageError, type Digest, newRunId, systemClock, systemRandom } from '../base/index.ts';
import { type Bucket, directoryBucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { importSegments } from './import-segments.ts';
import { adoptJournal, createJournal, type Journal } from './journal.ts';
import { readJournal } from './reader.ts';
import type { RunRecord } from './records.ts';
import { type Cursors, decodeSegment, encodeSegment, segmentKey } from './segment.ts';

let dir = '';
let bucket: Bucket;
const ports = { disk: nodeDisk, clock: systemClock };
const run: RunRecord = {
  runId: newRunId(0, systemRandom),
  writer: 'w',
  created: '2026-01-01T00:00:00+00:00',
  start: {} as RunRecord['start'],
  identity: {
    eval: 'e',
    version: '0',
    targetName: 't',
    target: 't' as Digest,
    definition: 'd' as Digest,
    plan: 'p' as Digest,
  },
  planned: 1,
  logName: 'e.eval',
};

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'segment-'));
  bucket = directoryBucket(nodeDisk, join(dir, 'bucket'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const shipperOf = (journal: Journal, into = bucket, bytesMax = 2_000) =>
  journal.shipTo({ bucket: into, prefix: '', run: run.runId, writer: 'w', bytesMax });

/** The bucket with another way to create. */
const withCreate = (create: Bucket['create']): Bucket => ({
  url: bucket.url,
  create,
  replaceIf: (key, replacement) => bucket.replaceIf(key, replacement),
  createFromFile: (key, path) => bucket.createFromFile(key, path),
  read: (key) => bucket.read(key),
  readTagged: (key) => bucket.readTagged(key),
  readRange: (key, range) => bucket.readRange(key, range),
  download: (key, path) => bucket.download(key, path),
  stat: (key) => bucket.stat(key),
  list: (prefix) => bucket.list(prefix),
  listFolder: (folder) => bucket.listFolder(folder),
  remove: (key) => bucket.remove(key),
  removeAll: (keys) => bucket.removeAll(keys),
});

async function fill(journal: Journal, from: number, to: number): Promise<void> {
  for (let id = from; id < to; id++) {
    const attempt = journal.startAttempt({
      id,
      epoch: 1,
      key: `k${id}` as Digest,
      uuid: 'u',
      startedAt: '2026-01-01T00:00:00+00:00',
      sample: { input: 'hi', target: 'ho', metadata: {} },
    });
    attempt.event({
      event: 'info',
      timestamp: '2026-01-01T00:00:00+00:00',
      data: `${id} ${'x'.repeat(400)}`,
    });
    await attempt.answer({ kind: 'model', digest: 'q' as Digest, occurrence: 0, value: { id } }, []);
  }
}

async function importAll(name: string) {
  const into = join(dir, name);
  const report = await importSegments({ bucket, prefix: '', run: run.runId, writer: 'w', into, isNew: true });
  const reader = readJournal(into);
  const events = [...reader.outline()].flatMap(({ n }) => [...reader.events(n)]);
  const answers = [...reader.outline()].flatMap(({ n }) => [...reader.answers(n)].map((row) => row.value));
  const runFound = reader.run();
  reader.close();
  return { report, events, answers, run: runFound };
}

test('[SEG-1] segments hold all of a journal, and give it back', async () => {
  const journal = await createJournal(join(dir, 'run'), run, ports);
  const shipper = shipperOf(journal);
  await fill(journal, 0, 20);
  await shipper.ship();
  await fill(journal, 20, 25);
  await shipper.finish();
  const back = await importAll('back.db');
  expect(back.run).toEqual(run);
  expect(back.answers).toEqual(Array.from({ length: 25 }, (_, id) => ({ id })));
  expect(back.events).toHaveLength(25);
  expect(back.report).toMatchObject({ isComplete: true, problems: [] });
  expect(back.report.segments).toBeGreaterThan(3);
  journal.close();
});

test('[SEG-2] a missing or changed segment is named; all others are read', async () => {
  const journal = await createJournal(join(dir, 'run'), run, ports);
  const shipper = shipperOf(journal);
  await fill(journal, 0, 20);
  await shipper.ship();
  journal.close();
  const count = shipper.segments;
  await bucket.remove(segmentKey('', { run: run.runId, writer: 'w', seq: 3 }));
  const damagedKey = segmentKey('', { run: run.runId, writer: 'w', seq: 5 });
  const bytes = (await bucket.read(damagedKey)) ?? new Uint8Array();
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await bucket.remove(damagedKey);
  await bucket.create(damagedKey, bytes);
  const { report } = await importAll('back.db');
  expect(report.segments).toBe(count - 2);
  expect(report.problems.join('\n')).toMatch(/Segments 3 to 3 before .* are missing/);
  expect(report.problems.join('\n')).toContain(damagedKey);
  expect(report.isComplete).toBe(false);
});

test('[SEG-3] a lost acknowledgement leads to no gap and no second copy', async () => {
  const journal = await createJournal(join(dir, 'run'), run, ports);
  let failures = 0;
  const deaf = withCreate(async (key, bytes) => {
    const isNew = await bucket.create(key, bytes);
    if (isNew && failures++ % 2 === 0) throw new Error('the acknowledgement was lost');
    return isNew;
  });
  const problems: unknown[] = [];
  const shipper = journal.shipTo({
    bucket: deaf,
    prefix: '',
    run: run.runId,
    writer: 'w',
    bytesMax: 2_000,
    onProblem: (error) => problems.push(error),
  });
  for (let round = 0; round < 10; round++) {
    await fill(journal, round * 3, round * 3 + 3);
    await shipper.ship();
  }
  for (let round = 0; round < 80; round++) await shipper.ship();
  journal.close();
  const { report, answers } = await importAll('back.db');
  expect(problems.length).toBeGreaterThan(0);
  expect(report.problems).toEqual([]);
  expect(answers).toEqual(Array.from({ length: 30 }, (_, id) => ({ id })));
});

test('[SEG-4] after a crash the next session ships exactly what was not shipped', async () => {
  const first = await createJournal(join(dir, 'run'), run, ports);
  await fill(first, 0, 8);
  await shipperOf(first).ship();
  await fill(first, 8, 12);
  first.close();
  const second = await adoptJournal(join(dir, 'run'), ports);
  await fill(second, 12, 15);
  await shipperOf(second).ship();
  second.close();
  const { report, answers } = await importAll('back.db');
  expect(report.problems).toEqual([]);
  expect(answers).toEqual(Array.from({ length: 15 }, (_, id) => ({ id })));
});

test('[SEG-5] only a writer that ended in good order says that nothing follows', async () => {
  const journal = await createJournal(join(dir, 'run'), run, ports);
  const shipper = shipperOf(journal);
  await fill(journal, 0, 2);
  await shipper.ship();
  expect((await importAll('a.db')).report.isComplete).toBe(false);
  await shipper.finish();
  expect((await importAll('b.db')).report.isComplete).toBe(true);
  journal.close();
});

test('[SEG-6] while the bucket is away the run goes on, and the journal keeps what is not shipped', async () => {
  const journal = await createJournal(join(dir, 'run'), run, ports);
  let isAway = true;
  const moody = withCreate((key, bytes) =>
    isAway ? Promise.reject(new Error('away')) : bucket.create(key, bytes),
  );
  const problems: unknown[] = [];
  const shipper = journal.shipTo({
    bucket: moody,
    prefix: '',
    run: run.runId,
    writer: 'w',
    onProblem: (error) => problems.push(error),
  });
  await fill(journal, 0, 5);
  await shipper.ship();
  expect(problems).toHaveLength(1);
  isAway = false;
  await shipper.ship();
  journal.close();
  expect((await importAll('back.db')).answers).toHaveLength(5);
});

test('[SEG-7] a journal and its segments make a union, in any order and any number of times', async () => {
  const journal = await createJournal(join(dir, 'run'), run, ports);
  await fill(journal, 0, 6);
  await shipperOf(journal).ship();
  journal.close();
  const into = join(dir, 'run', 'journal.db');
  for (let time = 0; time < 2; time++) {
    await importSegments({ bucket, prefix: '', run: run.runId, writer: 'w', into, isNew: false });
  }
  const reader = readJournal(into);
  expect([...reader.outline()]).toHaveLength(6);
  expect([...reader.outline()].flatMap(({ n }) => [...reader.events(n)])).toHaveLength(6);
  reader.close();
});

test('[SEG-8] any bytes give a segment or a DamageError', () => {
  const whole = encodeSegment(
    {
      format: 'holdfast-segment',
      version: 1,
      run: 'r',
      writer: 'w',
      seq: 1,
      previous: null,
      cursors: {} as Cursors,
      last: false,
    },
    ['["events",1,1,"{}"]'],
  );
  expect(decodeSegment(whole, 's').rows).toEqual([['events', 1, 1, '{}']]);
  const mutated = fc.tuple(fc.nat(whole.length - 1), fc.nat(255)).map(([at, value]) => {
    const bytes = Uint8Array.from(whole);
    bytes[at] = value;
    return bytes;
  });
  const cut = fc.nat(whole.length - 1).map((length) => whole.subarray(0, length));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), mutated, cut), (bytes) => {
      try {
        decodeSegment(bytes, 's');
      } catch (error) {
        expect(error).toBeInstanceOf(DamageError);
      }
    }),
    { numRuns: 500 },
  );
});
