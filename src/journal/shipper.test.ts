import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  filledJournal,
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
import { besideJournal, journalPath } from './layout.ts';
import { listSegmentedRuns, listWriters } from './list-segments.ts';
import { openRunJournals } from './run-journals.ts';
import { chainName, decodeSegment, encodeRow, encodeSegment, segmentKey } from './segment.ts';
import { segmentKeysOf } from './segment-keys.ts';

let dir: TempDir;
let bucket: Bucket;
beforeEach(async () => {
  dir = await makeTempDir();
  bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
});
afterEach(() => dir[Symbol.asyncDispose]());

/** The bucket with one method of another kind. */
const withMethod = (changed: Partial<Bucket>): Bucket =>
  new Proxy(bucket, {
    get(target, name) {
      const value: unknown = Reflect.get(changed, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

async function segmentsOf({ run }: JournalWriter): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list(`${run.runId}/segments/`)) keys.push(key);
  return keys;
}

test('[SEG-5] nothing follows a last segment, also when its acknowledgement was lost', async () => {
  const writer = await filledJournal(dir.path);
  let isLost = false;
  const forgetful = withMethod({
    async create(key, bytes) {
      const isNew = await bucket.create(key, bytes);
      if (!isLost && key.includes('/segments/')) {
        isLost = true;
        throw new Error('the acknowledgement was lost');
      }
      return isNew;
    },
  });
  const shipper = writer.shipTo({ bucket: forgetful, prefix: '' });
  await writer.end('finished');
  expect(await segmentsOf(writer)).toHaveLength(1);
  for (let round = 0; round < 3; round++) await shipper.ship();
  expect(await segmentsOf(writer)).toHaveLength(1);
  expect(shipper.keys).toEqual(await segmentsOf(writer));
  writer.close();
});

test('[SEG-4] a round ends although rows keep coming: what came meanwhile is in the next one', async () => {
  const writer = await filledJournal(dir.path);
  let creates = 0;
  const busy = withMethod({
    async create(key, bytes) {
      // Like other samples, which do not wait for the bucket.
      if (creates++ < 20) writer.startAttempt(sampleStart(`more ${creates}`));
      await writer.flush();
      return bucket.create(key, bytes);
    },
  });
  const shipper = writer.shipTo({ bucket: busy, prefix: '' });
  await shipper.ship();
  expect(shipper.segments).toBe(1);
  await shipper.ship();
  expect(shipper.segments).toBe(2);
  writer.close();
});

test('[SEG-9] a list of segments that cannot be read names none, and nothing is removed', async () => {
  const writer = await filledJournal(dir.path);
  await writer.shipTo({ bucket, prefix: '' }).ship();
  writer.close();
  const [run, name] = [writer.run.runId, writer.record.writer];
  const runDir = join(dir.path, 'home');
  await nodeDisk.makeDir(runDir);
  await importWriter({ disk: nodeDisk, bucket, prefix: '', run, writer: name, runDir });
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  const from = { disk: nodeDisk, bucket, prefix: '' };
  expect(await segmentKeysOf(journals, from)).toEqual(
    expect.arrayContaining([...(await segmentsOf(writer))]),
  );
  writeFileSync(besideJournal(journalPath(runDir, name)).segments, '["torn');
  expect(await segmentKeysOf(journals, from)).toEqual([]);
  journals.close();
});

test('runs and writers are found without listing what they shipped', async () => {
  const run = runRecord();
  for (const name of ['a', 'b']) {
    const writer = await newWriter(dir.path, run, { writer: name });
    await writer.shipTo({ bucket, prefix: 'here/' }).ship();
    writer.close();
    for (let n = 0; n < 50; n++)
      await bucket.create(`here/${run.runId}/segments/${name}/x${n}`, new Uint8Array(1));
  }
  await bucket.create(`here/${runRecord().runId}/fenced/c`, new Uint8Array(0));
  await bucket.create('here/some.eval', new Uint8Array(1));
  let listed = 0;
  const counting = withMethod({
    async *list(folder, options) {
      for await (const object of bucket.list(folder, options)) {
        listed++;
        yield object;
      }
    },
  });
  expect(await listSegmentedRuns(counting, 'here/')).toEqual([run.runId]);
  expect(await listWriters(counting, 'here/', run.runId)).toEqual(['a', 'b']);
  // One segment to know the run by, and the record of each writer.
  expect(listed).toBe(3);
});

test('[SEG-6] who asks for a round while another one fails gets one of its own', async () => {
  const writer = await filledJournal(dir.path);
  const held = Promise.withResolvers<void>();
  let tries = 0;
  const moody = withMethod({
    async create(key, bytes) {
      if (++tries > 1) return await bucket.create(key, bytes);
      await held.promise;
      throw new Error('away');
    },
  });
  const shipper = writer.shipTo({ bucket: moody, prefix: '' });
  const first = shipper.ship();
  const second = shipper.ship();
  held.resolve();
  await Promise.all([first, second]);
  expect(await segmentsOf(writer)).toHaveLength(1);
  writer.close();
});

test('[SEG-7] the word of the last of more than nine chains comes first', async () => {
  const run = runRecord();
  const fill = async (place: string, from: number) => {
    const writer = await newWriter(join(dir.path, place), run, { writer: 'w' });
    for (let id = from; id < from + 3; id++) {
      const attempt = writer.startAttempt(sampleStart(id));
      await attempt.answer(someAnswer({ id }), []);
      await attempt.finish('completed', sampleFields(id));
    }
    return writer;
  };
  // A process with the same name has written something else wherever this one begins.
  const zombie = await fill('zombie', 500);
  const [key = ''] = await shippedBy(zombie, directoryBucket(nodeDisk, join(dir.path, 'elsewhere')));
  for (let number = 1; number <= 9; number++) {
    const chain = chainName('w', number);
    const { header, rows } = decodeSegment(await elsewhere(key), key);
    const bytes = encodeSegment({ ...header, chain }, rows.map(encodeRow));
    await bucket.create(segmentKey('', { run: run.runId, chain, seq: 1 }), bytes);
  }
  const writer = await fill('state', 0);
  const [own] = await shippedBy(writer, bucket);
  expect(own).toContain('/w~10/');
  const runDir = join(dir.path, 'home');
  await nodeDisk.makeDir(runDir);
  await importWriter({ disk: nodeDisk, bucket, prefix: '', run: run.runId, writer: 'w', runDir });
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  expect([...journals.outline()].map(({ id }) => id)).toEqual([0, 1, 2]);
  journals.close();
});

async function shippedBy(writer: JournalWriter, into: Bucket): Promise<readonly string[]> {
  const shipper = writer.shipTo({ bucket: into, prefix: '' });
  await shipper.ship();
  writer.close();
  return shipper.keys;
}

async function elsewhere(key: string): Promise<Uint8Array> {
  return (await nodeDisk.read(join(dir.path, 'elsewhere', key))) ?? new Uint8Array();
}
