import { isUtf8 } from 'node:buffer';
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type BucketFault, FaultyBucket } from '../../test/sim/faulty-bucket.ts';
import { manualClock } from '../../test/sim/manual-clock.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { systemClock } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { EVIDENCE_LIMITS, type EvidenceLimits } from './evidence-collector.ts';
import { decodePart } from './evidence-part.ts';
import { EvidenceFiles, listEvidence, readPart } from './evidence-read.ts';
import { EvidenceShipper } from './evidence-shipper.ts';
import { sampleJob } from './shared-keys.ts';
import { type LeaseBegun, SHARED_VERSION } from './shared-records.ts';

const dir = useTempDir();

const lease: LeaseBegun = {
  ...{ format: 'holdfast-lease', version: SHARED_VERSION, run: 'run', job: sampleJob(3), n: 2, round: 1 },
  ...{ worker: 'worker', writer: 'writer', at: '' },
};

interface About {
  readonly bucket?: Bucket;
  readonly limits?: Partial<EvidenceLimits>;
  readonly intervalMs?: number;
  readonly lastMs?: number;
}

function shipper({ bucket = memoryBucket(), limits, ...times }: About = {}) {
  const place = { bucket, prefix: 'p/' };
  const redact = (text: string) => text.replaceAll(/hunter2|two\nlines/g, '[redacted]');
  const one = new EvidenceShipper(
    {
      ...{ place, disk: nodeDisk, clock: systemClock, redact, intervalMs: 20, ...times },
      limits: { ...EVIDENCE_LIMITS, ...limits },
    },
    { lease, sample: { id: 'q', epoch: 1 } },
  );
  return { one, place, bucket };
}

type Place = ReturnType<typeof shipper>['place'];

async function filesIn(place: Place): Promise<Record<string, string>> {
  const files = new EvidenceFiles();
  for (const { keys } of await listEvidence(place, 'run'))
    for (const key of keys) {
      const part = await readPart(place, key);
      if (typeof part === 'string') throw new Error(part);
      files.add(part);
    }
  return Object.fromEntries(
    [...files].map(({ path, bytes }) => [
      path,
      Buffer.from(bytes).toString(isUtf8(bytes) ? 'utf8' : 'latin1'),
    ]),
  );
}

async function leftOutIn(place: Place) {
  const all = [];
  for (const { keys } of await listEvidence(place, 'run'))
    for (const key of keys) {
      const part = await readPart(place, key);
      if (typeof part !== 'string') all.push(...part.leftOut);
    }
  return all;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await systemClock.sleep(5);
}

const write = (name: string, text: string | Uint8Array) => writeFile(join(dir.path, name), text);

test('[EVI-3] [EVI-4] while an attempt runs its texts go on in pieces, files are what they were last, and what was there before is not kept', async () => {
  await write('template.txt', 'known');
  await write('kept.log', 'known\n');
  const { one, place } = shipper();
  await one.watch(dir.path, '1-1');
  await write('agent-1.stdout', 'one\ntw');
  await write('note.txt', 'first');
  await until(async () => (await filesIn(place))['1-1/note.txt'] === 'first');
  // Not what may still be the beginning of something else.
  expect((await filesIn(place))['1-1/agent-1.stdout']).toBe('one\n');
  await appendFile(join(dir.path, 'agent-1.stdout'), 'o\nthree');
  await appendFile(join(dir.path, 'kept.log'), 'new\n');
  await write('note.txt', 'second');
  one.print('stdout', Buffer.from('printed\n'));
  await until(async () => (await filesIn(place))['1-1/note.txt'] === 'second');
  expect(await one.finish()).toMatchObject({ parts: expect.any(Number) });
  expect(await filesIn(place)).toEqual({
    ...{ '1-1/agent-1.stdout': 'one\ntwo\nthree', '1-1/note.txt': 'second', '1-1/kept.log': 'new\n' },
    'printed.stdout': 'printed\n',
  });
});

test('[EVI-1] parts are numbered and keyed by job, lease and writer; an attempt that leaves nothing costs no request', async () => {
  const { one, place, bucket } = shipper();
  expect(await shipper({ bucket: withMethods(bucket, {}) }).one.finish()).toBeUndefined();
  one.print('stderr', Buffer.from('x'));
  const end = await one.finish();
  expect(end).toMatchObject({ parts: 1 });
  const [only] = await listEvidence(place, 'run');
  expect(only).toEqual({ job: 's3', n: 2, writer: 'writer', keys: ['p/run/evidence/s3/0002/writer/000001'] });
});

test('[EVI-2] a part whose bytes changed, or of another version, is told and passed over', async () => {
  const { one, bucket } = shipper();
  one.print('stdout', Buffer.from('whole'));
  await one.finish();
  const key = 'p/run/evidence/s3/0002/writer/000001';
  const bytes = Buffer.from((await bucket.read(key)) ?? []);
  expect(decodePart(bytes, key)).toMatchObject({ part: 1, sample: { id: 'q', epoch: 1 } });
  const changed = Buffer.from(bytes);
  changed[changed.length - 1] = 0;
  expect(decodePart(changed, key)).toBe(`${key} is damaged: printed.stdout does not have its digest.`);
  const newer = Buffer.from(bytes.toString().replace('"version":1', '"version":9'));
  expect(decodePart(newer, key)).toBe(`${key} is no evidence that this version can read.`);
  expect(decodePart(Buffer.from('nothing'), key)).toContain('no evidence');
});

test('[EVI-4] installed packages, objects of git, links and sockets are not looked at', async () => {
  const { one, place } = shipper();
  await one.watch(dir.path, '1-1');
  for (const folder of ['node_modules/a', '.git/objects', 'objects'])
    await mkdir(join(dir.path, folder), { recursive: true });
  for (const name of ['node_modules/a/x', '.git/objects/x', 'objects/x', '.git/HEAD'])
    await write(name, name);
  await symlink('/etc/hostname', join(dir.path, 'link'));
  await one.finish();
  expect(Object.keys(await filesIn(place)).sort()).toEqual(['1-1/.git/HEAD', '1-1/objects/x']);
});

test('[EVI-5] what must not be kept is in no part: not over two looks, not over lines, not in names, and not in what is no text', async () => {
  const { one, place } = shipper();
  await one.watch(dir.path, '1-1');
  await write('a.stdout', 'begin\nthe word is hun');
  await until(async () => (await filesIn(place))['1-1/a.stdout'] !== undefined);
  await appendFile(join(dir.path, 'a.stdout'), 'ter2\nthese are two\nlines\n{"x":"hunter2"}\n');
  await write('hunter2.txt', 'hunter2 and more');
  await write('binary', Buffer.concat([Buffer.from([255, 0, 254]), Buffer.from('hunter2')]));
  await write('picture', Buffer.from([255, 0, 254]));
  await one.finish();
  expect(await filesIn(place)).toEqual({
    '1-1/a.stdout': 'begin\nthe word is [redacted]\nthese are [redacted]\n{"x":"[redacted]"}\n',
    '1-1/[redacted].txt': '[redacted] and more',
    '1-1/picture': Buffer.from([255, 0, 254]).toString('latin1'),
  });
  expect(await leftOutIn(place)).toEqual([{ path: '1-1/binary', bytes: 10, why: 'secret' }]);
});

test('[EVI-5] a line without an end is not waited for, and is not cut through what must not be kept', async () => {
  const { one, place } = shipper();
  await one.watch(dir.path, '1-1');
  const long = 'x'.repeat(300 * 1024 - 4 * 1024 - 3);
  const text = `${long}hunter2${'y'.repeat(4 * 1024 - 4)}`;
  await write('a.stdout', text);
  await until(async () => (await filesIn(place))['1-1/a.stdout'] !== undefined);
  await one.finish();
  expect(await filesIn(place)).toEqual({ '1-1/a.stdout': text.replace('hunter2', '[redacted]') });
});

test('[EVI-6] limits cut, and what was cut is said: large files, long texts but for their end, too many files, too much of all', async () => {
  const limits = { fileBytesMax: 10, textBytesMax: 20, tailBytes: 8, filesMax: 3, attemptBytesMax: 1_000 };
  const { one, place } = shipper({ limits, intervalMs: 60_000 });
  await one.watch(dir.path, '1-1');
  await write('a-large', 'x'.repeat(11));
  await write('b.stdout', Array.from({ length: 10 }, (_, n) => `line ${n}\n`).join(''));
  await write('c', 'kept');
  await write('d', 'one too many');
  const end = await one.finish();
  expect(await filesIn(place)).toEqual({
    '1-1/b.stdout': 'line 0\nline 1\n[… 49 bytes left out …]\nline 9\n',
    '1-1/c': 'kept',
  });
  const left = await leftOutIn(place);
  expect(left).toEqual([
    { path: '1-1', bytes: 0, why: 'too many files' },
    { path: '1-1/a-large', bytes: 11, why: 'too large' },
    { path: '1-1/b.stdout', bytes: 56, why: 'too much' },
  ]);
  expect(end).toMatchObject({ cutBytes: 49, leftOut: 3 });
  expect(end).not.toHaveProperty('unstoredBytes');
});

test('[EVI-5] [EVI-6] the end of a text that is one long line is not kept: it may begin in the middle of a secret', async () => {
  const { one, place } = shipper({ limits: { textBytesMax: 8, tailBytes: 8 }, intervalMs: 60_000 });
  await one.watch(dir.path, '1-1');
  await write('a.stdout', 'first\nand then hunter2 y');
  expect(await one.finish()).toMatchObject({ parts: 2, cutBytes: 18 });
  expect(await filesIn(place)).toEqual({ '1-1/a.stdout': 'first\n[… 18 bytes left out …]\n' });
});

test('[EVI-6] all evidence of an attempt has a limit, and goes over several parts', async () => {
  const limits = { attemptBytesMax: 50, partBytesMax: 20, fileBytesMax: 15 };
  const { one, place } = shipper({ limits, intervalMs: 60_000 });
  await one.watch(dir.path, '1-1');
  for (const name of ['a', 'b', 'c', 'd']) await write(name, name.repeat(15));
  expect(await one.finish()).toMatchObject({ parts: 4, leftOut: 1 });
  expect(Object.keys(await filesIn(place))).toEqual(['1-1/a', '1-1/b', '1-1/c']);
  expect(await leftOutIn(place)).toEqual([{ path: '1-1/d', bytes: 15, why: 'too much' }]);
});

const refused = (kind: BucketFault['kind'], times: number): readonly BucketFault[] =>
  Array.from({ length: times }, () => ({ on: 'create', kind }) as const);

test('[EVI-7] what the bucket did not take is sent again as it was; a lost answer stores nothing twice', async () => {
  using bucket = new FaultyBucket(memoryBucket(), [
    ...refused('timeout', 2),
    ...refused('denied', 1),
    ...refused('lostAcknowledgement', 1),
  ]);
  const { one, place } = shipper({ bucket });
  one.print('stdout', Buffer.from('one\n'));
  await until(async () => (await filesIn(place))['printed.stdout'] === 'one\n');
  one.print('stdout', Buffer.from('two\n'));
  await until(async () => (await filesIn(place))['printed.stdout'] === 'one\ntwo\n');
  expect(await one.finish()).toEqual({ parts: 2, bytes: expect.any(Number) });
});

test('[EVI-7] a bucket that refuses evidence fails nothing, and what it did not take is counted', async () => {
  const bucket = withMethods(memoryBucket(), { create: () => Promise.reject(new Error('no')) });
  const { one } = shipper({ bucket });
  await one.watch(dir.path, '1-1');
  await write('a.stdout', 'line\n');
  await systemClock.sleep(60);
  await appendFile(join(dir.path, 'a.stdout'), 'more\n'.repeat(2_000));
  const end = await one.finish();
  expect(end).toMatchObject({ parts: 0, bytes: 0 });
  expect(end?.unstoredBytes).toBeGreaterThan('more\n'.length * 2_000);
});

test('[EVI-7] a bucket that does not answer delays a result by the time that is allowed, and no longer', async () => {
  const clock = manualClock();
  const never = new Promise<boolean>(() => undefined);
  const bucket = withMethods(memoryBucket(), { create: () => never });
  const place = { bucket, prefix: 'p/' };
  const options = { place, disk: nodeDisk, clock, redact: (text: string) => text };
  const one = new EvidenceShipper(options, { lease });
  one.print('stdout', Buffer.from('lost\n'));
  const finished = one.finish();
  await clock.advance(2_999);
  let isOver = false;
  void finished.then(() => {
    isOver = true;
  });
  await clock.advance(0);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(await finished).toMatchObject({ parts: 0, unstoredBytes: expect.any(Number) });
});

test('[EVI-7] a folder that is not there, or goes away, fails nothing', async () => {
  const { one, place } = shipper();
  await one.watch(join(dir.path, 'absent'), '1-1');
  await write('file', 'not a folder');
  await one.watch(join(dir.path, 'file'), '1-2');
  one.print('stdout', Buffer.from('said\n'));
  expect(await one.finish()).toMatchObject({ parts: 1 });
  expect(await filesIn(place)).toEqual({ 'printed.stdout': 'said\n' });
});

test('[EVI-1] what a job prints after it is over is nobody’s evidence, and is not held', async () => {
  const { one, place } = shipper();
  one.print('stdout', Buffer.from('in time\n'));
  const tally = await one.finish();
  expect(tally).toMatchObject({ parts: 1 });
  one.print('stdout', Buffer.from('too late\n'));
  expect(await one.finish()).toEqual(tally);
  expect(await filesIn(place)).toEqual({ 'printed.stdout': 'in time\n' });
});
