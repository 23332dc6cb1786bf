import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import type { Bucket } from '../../src/bucket/index.ts';
import { comeHome, sampleJob } from '../../src/cluster/index.ts';
import { type Disk, nodeDisk } from '../../src/disk/index.ts';
import {
  importWriter,
  listSegments,
  openRunJournals,
  RunJournals,
  StateDir,
} from '../../src/journal/index.ts';
import { readRecordObject } from '../../src/journal/record-object.ts';
import { decodeSegment, segmentKey } from '../../src/journal/segment.ts';
import { directoryLogStore } from '../../src/log/index.ts';
import { countingModel } from '../interrupted-run.ts';
import { isolatedRun } from './isolated-bucket.ts';
import { headerOf, samplesOf } from './read-log.ts';
import { openShared, type Submitted } from './shared-machines.ts';
import { makeTempDir } from './temp-dir.ts';
import { useTempDir } from './use-temp-dir.ts';
import { withMethods } from './with-methods.ts';

/** More than the journals that may be open at a time. */
const WRITERS = 90;
/** Those that are read, and a few that are being put together. */
const OPEN_MAX = 70;

const dir = useTempDir();
let run: Submitted;

beforeAll(async () => {
  const made = await makeTempDir();
  run = await isolatedRun(made.path, WRITERS);
  return () => made[Symbol.asyncDispose]();
}, 120_000);

interface Watched {
  readonly bucket?: Bucket;
  readonly disk?: Disk;
  readonly onProgress?: () => void;
}

function home({ bucket = run.place.bucket, disk = nodeDisk, onProgress }: Watched = {}) {
  const logDir = join(dir.path, 'logs');
  const place = { ...run.place, bucket };
  const about = { state: StateDir.of(logDir), logs: directoryLogStore(nodeDisk, logDir) };
  return comeHome(run.shared, { disk, clock: systemClock, place, onProgress, ...about });
}

/** Where the system tells: on Linux. */
const canLook = process.platform === 'linux';

function openJournals(): number {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // It was closed between the two looks.
      return '';
    }
  });
  return targets.filter((target) => target.endsWith('journal.db')).length;
}

test.skipIf(!canLook)(
  'of many journals only some are open at a time, and each sample comes home (needs Linux)',
  async () => {
    let most = 0;
    const look = () => {
      most = Math.max(most, openJournals());
    };
    const bucket = withMethods(run.place.bucket, {
      read(key, signal) {
        look();
        return run.place.bucket.read(key, signal);
      },
    });
    const report = await home({ bucket, onProgress: look });
    expect(report).toMatchObject({ isComplete: true, lostResults: [], problems: [], writers: WRITERS + 1 });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(OPEN_MAX);
    const samples = await samplesOf(report.log ?? '');
    expect(samples).toHaveLength(WRITERS);
    expect(new Set(samples.map(({ uuid }) => uuid)).size).toBe(WRITERS);
  },
  60_000,
);

test('the bucket is asked once for the segments of all writers, and each is read once', async () => {
  const { prefix } = run.place;
  const segments = `${prefix}${run.shared.run}/segments/`;
  const asked: string[] = [];
  const read: string[] = [];
  const { bucket } = run.place;
  const counted = withMethods(bucket, {
    list(folder, options) {
      asked.push(folder);
      return bucket.list(folder, options);
    },
    listFolder(folder, options) {
      asked.push(folder);
      return bucket.listFolder(folder, options);
    },
    read(key, signal) {
      read.push(key);
      return bucket.read(key, signal);
    },
  });
  await home({ bucket: counted });
  expect(asked.filter((folder) => folder.startsWith(segments))).toEqual([segments]);
  const keys = read.filter((key) => key.startsWith(segments));
  expect(keys.length).toBeGreaterThan(WRITERS);
  expect(new Set(keys).size).toBe(keys.length);
  // The first segment of each has them already.
  expect(read.filter((key) => key.includes('/records/'))).toEqual([]);
}, 60_000);

test('[JRN-18] a writer of one sample names no other sample, so that the bucket does not grow with their square; the log names all', async () => {
  const { bucket, prefix } = run.place;
  const writers = Array.from({ length: WRITERS }, (_, position) => {
    const [lease] = run.shared.leasesOf(sampleJob(position));
    return lease?.begun.writer ?? '';
  });
  expect(new Set(writers).size).toBe(WRITERS);
  for (const [position, writer] of writers.entries()) {
    const of = { run: run.shared.run, writer };
    const record = await readRecordObject({ bucket, prefix }, of);
    expect(record?.run).toMatchObject({ isBrief: true, planned: WRITERS });
    const key = segmentKey(prefix, { run: of.run, chain: writer, seq: 1 });
    const { rows } = decodeSegment((await bucket.read(key)) ?? new Uint8Array(), key);
    const text = JSON.stringify([record, rows]);
    for (const other of [position - 1, position + 1]) expect(text).not.toContain(`"q${other}"`);
  }
  // Nobody else who names them is left but the submission.
  const ofOthers = withMethods(bucket, {
    async *list(folder, options) {
      for await (const entry of bucket.list(folder, options))
        if (!/\/(segments|records)\//.test(entry.key) || writers.some((writer) => entry.key.includes(writer)))
          yield entry;
    },
  });
  const report = await home({ bucket: ofOthers });
  expect(report).toMatchObject({ writers: WRITERS, samples: { completed: WRITERS } });
  const { dataset } = (await headerOf(report.log ?? '')).eval;
  expect(dataset.sample_ids).toEqual(Array.from({ length: WRITERS }, (_, n) => `q${n}`));
}, 60_000);

test('what is put together to be sealed is not synced, and the log is', async () => {
  const synced: string[] = [];
  const disk = withMethods(nodeDisk, {
    async syncDir(path) {
      synced.push(path);
      await nodeDisk.syncDir(path);
    },
    async open(path, mode) {
      const file = await nodeDisk.open(path, mode);
      return withMethods(file, {
        async sync() {
          synced.push(path);
          await file.sync();
        },
      });
    },
  });
  const { log } = await home({ disk });
  expect(log).toEqual(expect.any(String));
  const scratch = StateDir.of(join(dir.path, 'logs')).incomingDir(run.shared.run);
  expect(synced.filter((path) => path.startsWith(scratch) && path !== scratch)).toEqual([]);
}, 60_000);

test('of many journals only those are asked for a sample that have an attempt at it', async () => {
  const runDir = join(dir.path, 'journals');
  const { place, shared } = run;
  for (const [writer, chains] of await listSegments({ ...place, run: shared.run }))
    await importWriter({
      ...{ disk: nodeDisk, ...place, run: shared.run },
      writer,
      chains,
      runDir,
      isScratch: true,
    });
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  onTestFinished(() => journals.close());
  const asked: string[] = [];
  const readers = journals.readers.map((reader) =>
    withMethods(reader, {
      attemptNumbersAt(id, epoch) {
        asked.push(reader.writer().writer);
        return reader.attemptNumbersAt(id, epoch);
      },
    }),
  );
  const counted = new RunJournals(readers, { runDir, unreadable: [] });
  for (const position of [0, 7, WRITERS - 1]) {
    const [lease] = shared.leasesOf(sampleJob(position));
    expect(counted.answersAt(`q${position}`, 1)).toHaveLength(2);
    expect(asked.splice(0)).toEqual([lease?.begun.writer]);
    expect(counted.attemptsAt(`q${position}`, 1)).toHaveLength(1);
  }
  expect(counted.answersAt('nobody', 1)).toEqual([]);
}, 60_000);

test('whoever goes on with a sample reads the segments of those who had it, and asks for no others', async () => {
  const { bucket } = run.place;
  const touched: string[] = [];
  const note = (key: string) => void touched.push(key);
  const counted = withMethods(bucket, {
    async *list(folder, options) {
      for await (const entry of bucket.list(folder, options)) {
        note(entry.key);
        yield entry;
      }
    },
    read(key, signal) {
      note(key);
      return bucket.read(key, signal);
    },
  });
  const { model, asked } = countingModel();
  const [lease] = run.shared.leasesOf(sampleJob(0));
  const writer = lease?.begun.writer ?? '';
  const options = { ...run.options, dir: dir.path };
  const one = await openShared(
    { ...run, options, place: { ...run.place, bucket: counted } },
    { name: 'next', model },
  );
  touched.splice(0);
  const { damage } = await one.runSample({
    position: 0,
    earlier: [writer],
    signal: new AbortController().signal,
  });
  expect(damage).toEqual([]);
  const others = touched.filter(
    (key) => key.includes('/segments/') && !key.includes(writer) && !key.includes(one.writer),
  );
  expect(touched.some((key) => key.includes(`/segments/${writer}/`))).toBe(true);
  expect(others).toEqual([]);
  // All that it was answered is replayed.
  expect(asked).toEqual([]);
  await one.close();
}, 60_000);
