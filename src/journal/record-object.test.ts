import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { makeTempDir, type TempDir } from '../../test/sim/temp-dir.ts';
import { type Bucket, directoryBucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { importWriter } from './import-writer.ts';
import type { JournalWriter } from './journal-writer.ts';
import { listSegmentedRuns, listWriters } from './list-segments.ts';
import { openRunJournals } from './run-journals.ts';
import { segmentKey } from './segment.ts';
import { segmentKeysOf } from './segment-keys.ts';

const W = 'w';
const run = runRecord();
const record = `${run.runId}/records/${W}`;
const firstKey = segmentKey('', { run: run.runId, chain: W, seq: 1 });

let dir: TempDir;
let bucket: Bucket;
let journal: JournalWriter;
beforeEach(async () => {
  dir = await makeTempDir();
  bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  journal = await newWriter(join(dir.path, 'state'), run, { writer: W });
  // The first segment holds the records and nothing else.
  const shipper = journal.shipTo({ bucket, prefix: '', bytesMax: 2_000 });
  await shipper.ship();
  for (const id of [0, 1, 2]) await complete(id);
  await shipper.ship();
});
afterEach(async () => {
  journal.close();
  await dir[Symbol.asyncDispose]();
});

async function complete(id: number): Promise<void> {
  const attempt = journal.startAttempt(sampleStart(id));
  await attempt.answer(someAnswer(`answer ${id} ${'y'.repeat(200)}`), []);
  await attempt.finish('completed', sampleFields(id));
}

/** Brings the writer home into a directory of its own. */
async function bringHome(name: string) {
  const runDir = join(dir.path, name);
  await nodeDisk.makeDir(runDir);
  const report = await importWriter({
    disk: nodeDisk,
    bucket,
    prefix: '',
    run: run.runId,
    writer: W,
    runDir,
  });
  return { report, journals: await openRunJournals({ disk: nodeDisk, runDir }) };
}

async function replace(key: string, change: (byte: number, at: number) => number): Promise<void> {
  const bytes = (await bucket.read(key)) ?? new Uint8Array();
  await bucket.remove(key);
  await bucket.create(key, bytes.map(change));
}

test('[SEG-11] a chain whose first segment is missing or damaged is still read: its records are in the bucket too', async () => {
  expect(await listSegmentedRuns(bucket, '')).toEqual([run.runId]);
  expect(await listWriters(bucket, '', run.runId)).toEqual([W]);
  for (const harm of ['damaged', 'missing']) {
    if (harm === 'damaged') await replace(firstKey, (byte) => byte ^ 1);
    else await bucket.remove(firstKey);
    const { report, journals } = await bringHome(harm);
    expect(report.problems.length).toBeGreaterThan(0);
    expect(journals.run()).toEqual(run);
    expect(journals.writers()).toEqual([journal.record]);
    expect([...journals.outline()].map(({ id, status }) => [id, status])).toEqual(
      [0, 1, 2].map((id) => [id, 'completed']),
    );
    journals.close();
  }
});

test('[SEG-11] without its records such a chain is named, and not taken for a shell', async () => {
  await bucket.remove(firstKey);
  await bucket.remove(record);
  const { journals } = await bringHome('home');
  expect(journals.readers).toEqual([]);
  expect(journals.damage.sentences).toEqual([expect.stringContaining('for which $0.7500 had been paid')]);
  journals.close();
});

test('[SEG-11] records go with the last segment of their writer, and never before', async () => {
  const { journals } = await bringHome('home');
  const from = { disk: nodeDisk, bucket, prefix: '' };
  expect(await segmentKeysOf(journals, from)).toContain(record);
  await complete(3);
  await journal.shipTo({ bucket, prefix: '' }).ship();
  expect(await segmentKeysOf(journals, from)).not.toContain(record);
  journals.close();
  const own = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, 'state', run.runId) });
  expect(await segmentKeysOf(own, from)).toContain(record);
  own.close();
});

test('[SEG-11] records that are damaged are named and left out', async () => {
  await replace(record, (byte, at) => (at === 30 ? byte ^ 1 : byte));
  const { report, journals } = await bringHome('home');
  expect(report.problems).toEqual([expect.stringContaining(record)]);
  expect([...journals.outline()]).toHaveLength(3);
  journals.close();
});
