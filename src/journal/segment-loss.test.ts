/** Segments that are not what they should be: nothing is put on top of them, and what is left out is named and stays. */
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import {
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { digestOf } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { findRuns } from './find-runs.ts';
import { importWriter } from './import-writer.ts';
import { listWriters } from './list-segments.ts';
import { openRunJournals } from './run-journals.ts';
import { decodeSegment, encodeRow, encodeSegment, segmentKey } from './segment.ts';

const dir = useTempDir();
let bucket: Bucket;
const run = runRecord();
beforeEach(() => {
  bucket = memoryBucket();
});

const keyOf = (seq: number, chain = 'w') => segmentKey('', { run: run.runId, chain, seq });

/** A writer with some samples, shipped in segments of about so many bytes. */
async function shipped(writer: string, samples: number, bytesMax: number): Promise<readonly string[]> {
  const journal = await newWriter(join(dir.path, 'away'), run, { writer });
  for (let id = 0; id < samples; id++) {
    const attempt = journal.startAttempt(sampleStart(id));
    await attempt.answer(someAnswer({ id, text: 'y'.repeat(300) }), []);
    await attempt.finish('completed', sampleFields(id));
  }
  const shipper = journal.shipTo({ bucket, prefix: '', bytesMax });
  await journal.end('finished');
  journal.close();
  return shipper.keys;
}

async function replace(key: string, bytes: Uint8Array): Promise<void> {
  await bucket.remove(key);
  await bucket.create(key, bytes);
}

const runDir = () => join(dir.path, 'home', run.runId);

async function bring(writer = 'w') {
  await nodeDisk.makeDir(runDir());
  const from = { disk: nodeDisk, bucket, prefix: '', run: run.runId };
  const report = await importWriter({ ...from, writer, runDir: runDir() });
  const journals = await openRunJournals({ disk: nodeDisk, runDir: runDir() });
  const completed = [...journals.outline()].filter(({ status }) => status === 'completed').length;
  const { sentences, lost } = journals.damage;
  journals.close();
  return { report, completed, sentences, lost };
}

test('[SEG-5] the end is said once, with the last rows', async () => {
  const keys = await shipped('w', 6, 500);
  const said: boolean[] = [];
  for (const key of keys)
    said.push(decodeSegment((await bucket.read(key)) ?? new Uint8Array(), key).header.last);
  expect(said.length).toBeGreaterThan(3);
  expect(said).toEqual(keys.map((_, index) => index === keys.length - 1));
  expect(await bring()).toMatchObject({ completed: 6, report: { isComplete: true, problems: [] } });
});

test('[SEG-2] damage is named once: neither is a damaged segment missing, nor does the one after it not follow', async () => {
  const keys = await shipped('w', 6, 500);
  const harmed = keys[2] ?? '';
  const bytes = (await bucket.read(harmed)) ?? new Uint8Array();
  for (const damaged of [bytes.map((byte, at) => (at === 30 ? byte ^ 1 : byte)), bytes.subarray(0, 40)]) {
    await replace(harmed, damaged);
    const { report } = await bring();
    expect(report.problems).toEqual([expect.stringContaining(`Segment ${harmed} is damaged`)]);
    await nodeDisk.removeTree(runDir());
  }
  await bucket.remove(harmed);
  expect((await bring()).report.problems).toEqual([
    expect.stringMatching(/^Segments 3 to 3 before .* are missing/),
  ]);
});

test('[SEG-8] a segment whose text does not have the digest that it says is damaged', async () => {
  await shipped('w', 1, 1_000_000);
  const text = zstdDecompressSync((await bucket.read(keyOf(1))) ?? new Uint8Array()).toString('utf8');
  const changed = zstdCompressSync(text.replace('"completed"', '"errored"'));
  expect(() => decodeSegment(changed, 's')).toThrow(
    expect.objectContaining({ code: 'E_SEGMENT_DAMAGED', message: expect.stringContaining('digest') }),
  );
});

test('[SEG-3] a segment with our own rows that does not follow ours is not adopted: a new chain begins with the first row', async () => {
  const journal = await newWriter(join(dir.path, 'away'), run, { writer: 'w' });
  const problems: unknown[] = [];
  const ship = { prefix: '', bytesMax: 1, onProblem: (error: unknown) => problems.push(error) };
  const shipper = journal.shipTo({ ...ship, bucket });
  await shipper.ship();
  const before = shipper.segments;
  await journal.startAttempt(sampleStart('a')).finish('completed', sampleFields('a'));
  // The very next segment, but for what it says to come after.
  const elsewhere = memoryBucket();
  await journal.shipTo({ ...ship, bucket: elsewhere }).ship();
  const next = keyOf(before + 1);
  const { header, rows } = decodeSegment((await elsewhere.read(next)) ?? new Uint8Array(), next);
  await bucket.create(next, encodeSegment({ ...header, previous: digestOf('another') }, rows.map(encodeRow)));
  await journal.end('finished');
  journal.close();
  expect(problems).toMatchObject([{ code: 'E_SEGMENT_CONFLICT' }]);
  const chain = shipper.keys.slice(before);
  expect(chain[0]).toBe(keyOf(1, 'w~2'));
  for (let seq = 1; seq <= before + 1; seq++) await bucket.remove(keyOf(seq));
  expect(await bring()).toMatchObject({ completed: 1, report: { isComplete: true, problems: [] } });
});

test('[SEG-7] a segment of another writer in the place of one of ours is left out, and named', async () => {
  await shipped('w', 2, 1_000_000);
  const [foreign = ''] = await shipped('other', 2, 1_000_000);
  await bucket.create(keyOf(2), (await bucket.read(foreign)) ?? new Uint8Array());
  const { report, completed } = await bring();
  expect(report.keys).toEqual([keyOf(1)]);
  expect(report.problems).toEqual([expect.stringMatching(/00000002\.zst .* writer other: it was left out/)]);
  expect(completed).toBe(2);
});

test('[SEG-9] a segment of which a row was left out does not count as read', async () => {
  await shipped('w', 2, 1_000_000);
  const { header, rows } = decodeSegment((await bucket.read(keyOf(1))) ?? new Uint8Array(), keyOf(1));
  const lines = rows.map((row) =>
    encodeRow(
      row.table === 'answers' && row.n === 1 ? { ...row, values: [1, 'model', 'x', 0, '{}', 0] } : row,
    ),
  );
  await replace(keyOf(1), encodeSegment(header, lines));
  const { report, completed } = await bring();
  expect(report.problems).toHaveLength(1);
  expect(report.keys).toEqual([]);
  expect(completed).toBe(1);
});

test('[JRN-3] a writer whose first segment and record are gone is no empty shell: the others say what run it is, and what is whole is read', async () => {
  await shipped('w', 2, 1_000_000);
  for (const key of await shipped('other', 6, 500)) {
    const { rows } = decodeSegment((await bucket.read(key)) ?? new Uint8Array(), key);
    if (rows.some(({ table }) => table === 'meta')) await bucket.remove(key);
  }
  // So is the copy of its records: nothing says whose journal it is.
  for await (const { key } of bucket.list('')) if (key.includes('/records/other')) await bucket.remove(key);
  await bring();
  const { report, completed, sentences } = await bring('other');
  expect(report.problems.join()).toContain('are missing');
  expect(completed).toBe(2);
  expect(sentences.length).toBeGreaterThan(0);
  for (const sentence of sentences) expect(sentence).toContain(join('other', 'journal.db'));
  const { found, unreadable } = await findRuns(nodeDisk, join(dir.path, 'home'));
  expect(unreadable).toEqual([]);
  expect(found).toMatchObject([{ run, writers: [{ writer: 'other' }, { writer: 'w' }] }]);
});

test('[JRN-11] answers and results in a segment that is gone or damaged are counted as lost, with their price', async () => {
  const keys = await shipped('w', 6, 500);
  const withAnswers: string[] = [];
  for (const key of keys) {
    const { rows, header } = decodeSegment((await bucket.read(key)) ?? new Uint8Array(), key);
    const count = rows.filter(({ table }) => table === 'answers').length;
    if (count > 0) withAnswers.push(key);
    expect(header.usd).toBeCloseTo(0.25 * (header.cursors.answers ?? 0));
  }
  const [gone = '', torn = ''] = withAnswers;
  await bucket.remove(gone);
  await replace(torn, new Uint8Array(100));
  const { lost, completed } = await bring();
  expect(lost?.answers).toBeGreaterThanOrEqual(2);
  expect(lost?.usd).toBeCloseTo(0.25 * (lost?.answers ?? 0));
  expect(completed).toBe(6 - (lost?.answers ?? 0));
});

test('[SEG-11] a writer whose record is there while its segments are gone is missed', async () => {
  await shipped('w', 2, 1_000_000);
  for (const key of await shipped('other', 2, 1_000_000)) await bucket.remove(key);
  expect(await listWriters(bucket, '', run.runId)).toEqual(['other', 'w']);
  const { report } = await bring('other');
  expect(report.problems).toEqual([expect.stringContaining('its segments are gone')]);
});
