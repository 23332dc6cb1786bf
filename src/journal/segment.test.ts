import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import {
  infoEvent,
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { DamageError, digestOf } from '../base/index.ts';
import { type Bucket, directoryBucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { fenceWriterInBucket } from './fence.ts';
import { importWriter } from './import-writer.ts';
import type { JournalWriter } from './journal-writer.ts';
import { listWriters } from './list-segments.ts';
import { openRunJournals } from './run-journals.ts';
import { decodeSegment, encodeRow, encodeSegment, type SegmentHeader, segmentKey } from './segment.ts';
import type { SegmentShipper, ShipperOptions } from './shipper.ts';

const dir = useTempDir();
let bucket: Bucket;
const run = runRecord();
const W = 'w';

beforeEach(() => {
  bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
});

const writerOf = (writer = W, place = 'state') => newWriter(join(dir.path, place), run, { writer });
const shipperOf = (journal: JournalWriter, more: Partial<ShipperOptions> = {}): SegmentShipper =>
  journal.shipTo({ bucket, prefix: '', bytesMax: 2_000, ...more });
const keyOf = (seq: number, chain = W) => segmentKey('', { run: run.runId, chain, seq });

/** The bucket with another way to create. */
const withCreate = (create: Bucket['create']): Bucket => withMethods(bucket, { create });

async function fill(journal: JournalWriter, from: number, to: number): Promise<void> {
  for (let id = from; id < to; id++) {
    const attempt = journal.startAttempt(sampleStart(id));
    attempt.event(infoEvent(`${id} ${'x'.repeat(400)}`));
    await attempt.answer(someAnswer({ id, text: `NUL \0 and ${'y'.repeat(200)}` }), []);
    await attempt.finish('completed', sampleFields(id));
  }
}

/** Imports a writer into a new run directory, and reads it back. */
async function importAll(name: string, writer = W) {
  const runDir = join(dir.path, name);
  await nodeDisk.makeDir(runDir);
  const report = await importWriter({ disk: nodeDisk, bucket, prefix: '', run: run.runId, writer, runDir });
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  const [reader] = journals.readers;
  if (!reader) throw new Error('nothing was imported');
  const outline = [...reader.outline()];
  const result = {
    report,
    outline,
    run: reader.run(),
    damage: reader.damage(),
    answers: outline.flatMap(({ n }) => [...reader.answers(n)].map(({ value }) => value)),
    completed: outline.filter(({ status }) => status === 'completed').map(({ id }) => id),
  };
  journals.close();
  return result;
}

const ids = (count: number) => Array.from({ length: count }, (_, id) => id);

test('[SEG-1] [SEG-5] segments hold all of a journal, give it back, and its end says that nothing follows', async () => {
  const journal = await writerOf();
  const shipper = shipperOf(journal);
  await fill(journal, 0, 20);
  await shipper.ship();
  await fill(journal, 20, 25);
  await shipper.ship();
  expect((await importAll('a')).report.isComplete).toBe(false);
  await journal.end('finished');
  const back = await importAll('b');
  expect(back.run).toEqual(run);
  expect(back.completed).toEqual(ids(25));
  expect(back.answers[7]).toEqual({ id: 7, text: `NUL \0 and ${'y'.repeat(200)}` });
  expect(back.report).toMatchObject({ isComplete: true, problems: [] });
  expect(back.report.segments).toBeGreaterThan(3);
  expect(back.report.keys).toEqual(shipper.keys);
  expect(back.damage.sentences).toEqual([]);
  // What ended once is not ended again.
  await shipper.finish();
  expect(shipper.keys).toEqual(back.report.keys);
  journal.close();
});

test('[SEG-2] a missing or damaged segment in the middle is named; what is after it is kept, and attempts that lack rows are not completed', async () => {
  const journal = await writerOf();
  const shipper = shipperOf(journal);
  for (let id = 0; id < 20; id++) {
    await fill(journal, id, id + 1);
    await shipper.ship();
  }
  journal.close();
  await bucket.remove(keyOf(3));
  const bytes = (await bucket.read(keyOf(9))) ?? new Uint8Array();
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await bucket.remove(keyOf(9));
  await bucket.create(keyOf(9), bytes);
  const { report, completed, damage, outline, answers } = await importAll('back');
  expect(report.segments).toBe(shipper.segments - 2);
  expect(report.keys).not.toContain(keyOf(9));
  expect(report.problems.join('\n')).toMatch(/Segments 3 to 3 before .* are missing/);
  expect(report.problems.join('\n')).toContain(keyOf(9));
  expect(report.isComplete).toBe(false);
  expect(completed).toContain(19);
  expect(completed.length).toBeGreaterThan(10);
  expect(completed.length).toBeLessThan(20);
  // Every sample is completed and whole, or named as damaged, or its beginning is lost and that is named.
  const named = new Set(damage.attempts.keys());
  for (const { n, status } of outline) expect(status === 'completed', `attempt ${n}`).toBe(!named.has(n));
  for (const value of answers) expect(value).toMatchObject({ text: `NUL \0 and ${'y'.repeat(200)}` });
  // A run with such a writer goes on: the next writer ships again, and all of it comes home.
  const next = await newWriter(dir.path, run, { writer: 'next', generation: 2, after: [W] });
  await fill(next, 100, 103);
  await shipperOf(next).ship();
  next.close();
  expect((await importAll('again', 'next')).completed).toEqual([100, 101, 102]);
});

test('[SEG-2] a segment that was replaced by another whole one shows: the next does not follow it', async () => {
  const journal = await writerOf();
  const shipper = shipperOf(journal);
  await fill(journal, 0, 3);
  await shipper.ship();
  journal.close();
  const { header, rows } = decodeSegment((await bucket.read(keyOf(1))) ?? new Uint8Array(), keyOf(1));
  await bucket.remove(keyOf(1));
  await bucket.create(keyOf(1), encodeSegment({ ...header, last: true }, rows.map(encodeRow)));
  const { report } = await importAll('back');
  expect(report.problems).toEqual([
    `Segment ${keyOf(2)} does not follow the one before it: one of the two was changed.`,
  ]);
});

test('[SEG-3] a lost acknowledgement leads to no gap, no second copy and no second chain', async () => {
  const journal = await writerOf();
  let failures = 0;
  const deaf = withCreate(async (key, bytes) => {
    const isNew = await bucket.create(key, bytes);
    if (isNew && failures++ % 2 === 0) throw new Error('the acknowledgement was lost');
    return isNew;
  });
  const problems: unknown[] = [];
  const shipper = shipperOf(journal, { bucket: deaf, onProblem: (error) => problems.push(error) });
  for (let round = 0; round < 10; round++) {
    await fill(journal, round * 3, round * 3 + 3);
    await shipper.ship();
  }
  for (let round = 0; round < 120; round++) await shipper.ship();
  journal.close();
  const { report, completed } = await importAll('back');
  expect(problems.length).toBeGreaterThan(0);
  expect(report.problems).toEqual([]);
  expect(completed).toEqual(ids(30));
  expect(report.keys.every((key) => key.includes(`/${W}/`))).toBe(true);
  expect(shipper.keys).toEqual(report.keys);
});

test('[SEG-3] a segment that holds something else is left alone: the writer says so and goes on in a new chain, from its first row', async () => {
  // Another process with the same name wrote other rows: it has the same run and writer, and the same cursors.
  const zombie = await writerOf(W, 'zombie');
  await fill(zombie, 500, 504);
  const journal = await writerOf();
  await fill(journal, 0, 4);
  const problems: unknown[] = [];
  const shipper = shipperOf(journal, { onProblem: (error) => problems.push(error) });
  await shipperOf(zombie).ship();
  zombie.close();
  const before = (await bucket.read(keyOf(1))) ?? new Uint8Array();
  await shipper.ship();
  await fill(journal, 4, 8);
  await shipper.ship();
  await journal.end('finished');
  expect(problems).toMatchObject([
    { code: 'E_SEGMENT_CONFLICT', message: expect.stringContaining(keyOf(1)) },
  ]);
  expect(await bucket.read(keyOf(1))).toEqual(before);
  expect(shipper.keys.every((key) => key.includes(`/${W}~2/`))).toBe(true);
  expect(await listWriters(bucket, '', run.runId)).toEqual([W]);
  // What the first chain holds is not what this journal promises: it is named, stays, and nothing of ours is lost.
  const back = await importAll('back');
  expect(back.completed).toEqual(ids(8));
  expect(back.report.problems.join('\n')).toContain(
    `Row 1 of attempts in segment ${keyOf(2)} is another one`,
  );
  expect(back.report.keys.filter((key) => !key.includes(`/${W}~2/`) && key !== keyOf(1))).toEqual([]);
  journal.close();
});

test('[SEG-4] each segment begins where the one before it ended', async () => {
  const journal = await writerOf();
  const shipper = shipperOf(journal);
  await fill(journal, 0, 6);
  await shipper.ship();
  await fill(journal, 6, 9);
  await shipper.ship();
  journal.close();
  let cursors: SegmentHeader['from'];
  let digest: string | null = null;
  for (const key of shipper.keys) {
    const bytes = (await bucket.read(key)) ?? new Uint8Array();
    const { header, rows } = decodeSegment(bytes, key);
    if (cursors) expect(header.from).toEqual(cursors);
    expect(header.previous).toBe(digest);
    for (const { table, n } of rows) {
      expect(n).toBeGreaterThan(header.from?.[table] ?? 0);
      expect(n).toBeLessThanOrEqual(header.cursors[table] ?? 0);
    }
    cursors = header.cursors;
    digest = digestOf(bytes);
  }
});

test('[SEG-6] while the bucket is away the run goes on, and the journal keeps what is not shipped', async () => {
  const journal = await writerOf();
  let isAway = true;
  const moody = withCreate((key, bytes) =>
    isAway ? Promise.reject(new Error('away')) : bucket.create(key, bytes),
  );
  const problems: unknown[] = [];
  const shipper = shipperOf(journal, { bucket: moody, onProblem: (error) => problems.push(error) });
  await fill(journal, 0, 5);
  await shipper.ship();
  expect(problems).toHaveLength(1);
  await journal.end('interrupted');
  expect(problems).toHaveLength(2);
  isAway = false;
  await shipper.ship();
  journal.close();
  const back = await importAll('back');
  expect(back.completed).toEqual(ids(5));
  expect(back.report.isComplete).toBe(true);
});

test('[SEG-7] chains of one writer make a union, whatever was shipped twice; two writers are two journals', async () => {
  const one = await writerOf('one');
  await fill(one, 0, 6);
  await shipperOf(one).ship();
  // A second shipper of the same journal finds all of it there, and adds nothing.
  const again = shipperOf(one);
  await again.ship();
  expect(again.segments).toBe((await importAll('count', 'one')).report.segments);
  one.close();
  const two = await writerOf('two');
  await fill(two, 0, 3);
  await shipperOf(two).ship();
  two.close();
  expect(await listWriters(bucket, '', run.runId)).toEqual(['one', 'two']);
  const runDir = join(dir.path, 'home');
  await nodeDisk.makeDir(runDir);
  for (const writer of ['two', 'one']) {
    const report = await importWriter({ disk: nodeDisk, bucket, prefix: '', run: run.runId, writer, runDir });
    expect(report.problems).toEqual([]);
    expect(report.keys.every((key) => key.includes(`/${writer}/`))).toBe(true);
  }
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  expect(journals.writers().map(({ writer }) => writer)).toEqual(['one', 'two']);
  expect([...journals.outline()]).toHaveLength(9);
  expect(journals.attemptsAt(2, 1).map(({ origin }) => origin)).toEqual([
    `${run.runId}/one/3`,
    `${run.runId}/two/3`,
  ]);
  expect(journals.damage.sentences).toEqual([]);
  journals.close();
});

test('[SEG-7] a row whose checksum is wrong is left out and named', async () => {
  const journal = await writerOf();
  await fill(journal, 0, 2);
  const shipper = shipperOf(journal, { bytesMax: 1_000_000 });
  await shipper.ship();
  journal.close();
  const bytes = (await bucket.read(keyOf(1))) ?? new Uint8Array();
  const { header, rows } = decodeSegment(bytes, keyOf(1));
  const changed = rows.map(({ table, n, values }) => {
    const cells = values.map((value) =>
      value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
    );
    if (table === 'answers' && n === 1) cells[2] = 'another digest';
    return JSON.stringify([table, n, ...cells]);
  });
  await bucket.remove(keyOf(1));
  await bucket.create(keyOf(1), encodeSegment(header, changed));
  const back = await importAll('back');
  expect(back.report.problems).toEqual([expect.stringContaining('Row 1 of answers')]);
  expect(back.completed).toEqual([1]);
  expect(back.damage.attempts.get(1)).toContain('answers');
});

test('[SEG-8] any bytes give a segment or a DamageError', () => {
  const header = {
    format: 'holdfast-segment',
    version: 2,
    run: 'r',
    writer: 'w',
    chain: 'w',
    seq: 1,
    previous: null,
    from: {},
    cursors: {},
    last: false,
  } as const;
  const whole = encodeSegment(header, ['["events",1,1,"{}",5]', '["contents",1,"h",{"base64":"AAE="},5]']);
  expect(decodeSegment(whole, 's').rows).toEqual([
    { table: 'events', n: 1, values: [1, '{}', 5] },
    { table: 'contents', n: 1, values: ['h', Uint8Array.of(0, 1), 5] },
  ]);
  for (const row of [
    '["events",1,1,5,5]',
    '["events",1,1]',
    '["secrets",1]',
    '{}',
    '["contents",1,"h","t",5]',
  ])
    expect(() => decodeSegment(encodeSegment(header, [row]), 's')).toThrow(
      expect.objectContaining({ code: 'E_SEGMENT_DAMAGED' }),
    );
  const future = { ...header, version: 3 as 2 };
  expect(() => decodeSegment(encodeSegment(future, []), 's')).toThrow(
    expect.objectContaining({ code: 'E_SEGMENT_VERSION' }),
  );
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

test('[SEG-10] [JRN-13] a writer that is fenced in the bucket ships nothing more and acknowledges nothing more', async () => {
  const journal = await writerOf();
  const problems: unknown[] = [];
  const shipper = shipperOf(journal, { onProblem: (error) => problems.push(error) });
  await fill(journal, 0, 2);
  await shipper.ship();
  const shipped = shipper.segments;
  await fenceWriterInBucket(bucket, { prefix: '', run: run.runId, writer: W });
  await fill(journal, 2, 3);
  await shipper.ship();
  expect(problems).toMatchObject([{ code: 'E_WRITER_FENCED' }]);
  expect(shipper.segments).toBe(shipped);
  expect(journal.onFailure.aborted).toBe(true);
  await expect(fill(journal, 3, 4)).rejects.toMatchObject({ code: 'E_WRITER_FENCED' });
  await shipper.ship();
  expect((await importAll('back')).report.segments).toBe(shipped);
  journal.close();
});

test('[SEG-9] a writer knows which segments are its own, and an import which it read', async () => {
  const one = await writerOf('one');
  const two = await writerOf('two');
  const [first, second] = [shipperOf(one), shipperOf(two)];
  await fill(one, 0, 3);
  await fill(two, 0, 3);
  await first.ship();
  await second.ship();
  const report = (await importAll('home', 'one')).report;
  await fill(one, 3, 4);
  await first.ship();
  expect(first.keys.slice(0, report.keys.length)).toEqual(report.keys);
  expect(first.keys.length).toBeGreaterThan(report.keys.length);
  expect(first.keys.filter((key) => second.keys.includes(key))).toEqual([]);
  one.close();
  two.close();
});
