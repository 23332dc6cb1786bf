import { type ChildProcess, spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sweepCrashes } from '../../test/sim/crash-sweep.ts';
import { FaultyDisk } from '../../test/sim/faulty-disk.ts';
import { mustBeCrash, SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { digestOf, systemClock } from '../base/index.ts';
import { type Disk, isTempName, nodeDisk, replaceFile, tryLock } from '../disk/index.ts';
import type { Bucket } from './bucket.ts';
import { directoryBucket } from './directory-bucket.ts';

const KEY = 'segments/w1/000001';
const NEW = text('a segment that is long enough to be torn');
const OLD = text('what was there before');

test('[BUCKET-1] create: whole or absent, durable when it returned, and calling again heals', async () => {
  await sweepCrashes({
    act: (disk) => bucketOn(disk).create(KEY, NEW),
    async check(disk, result) {
      const found = await bucketOn(disk).read(KEY);
      expect(result ? [NEW] : [undefined, NEW]).toContainEqual(found);
      if (result) expect(result.value).toBe(true);
      expect(await keysOf(bucketOn(disk))).toEqual(found ? [KEY] : []);
      expect(await bucketOn(disk).create(KEY, NEW)).toBe(found === undefined);
      expect(await bucketOn(disk.powerCycle()).read(KEY)).toEqual(NEW);
    },
  });
});

test('[BUCKET-1] createFromFile: whole or absent, durable when it returned, and calling again heals', async () => {
  await sweepCrashes({
    prepare: (disk) => replaceFile(disk, '/local', NEW),
    act: (disk) => bucketOn(disk).createFromFile(KEY, '/local'),
    async check(disk, result) {
      expect(result ? [NEW] : [undefined, NEW]).toContainEqual(await bucketOn(disk).read(KEY));
      await bucketOn(disk).createFromFile(KEY, '/local');
      expect(await bucketOn(disk.powerCycle()).read(KEY)).toEqual(NEW);
    },
  });
});

test('[BUCKET-1] whoever is told false can rely on what is there, after any death', async () => {
  await sweepCrashes({
    act: (disk) => bucketOn(disk).create(KEY, OLD),
    async check(disk) {
      const wasMade = await bucketOn(disk).create(KEY, NEW);
      expect(await bucketOn(disk.powerCycle()).read(KEY)).toEqual(wasMade ? NEW : OLD);
    },
  });
});

test('[BUCKET-5] replaceIf: the old bytes or the new ones, durable when it returned, and trying again heals', async () => {
  await sweepCrashes({
    prepare: async (disk) => void (await bucketOn(disk).create(KEY, OLD)),
    act: (disk) => bucketOn(disk).replaceIf(KEY, { bytes: NEW, etag: digestOf(OLD) }),
    async check(disk, result) {
      if (result) expect(result.value).toEqual(expect.any(String));
      const found = await bucketOn(disk).readTagged(KEY);
      expect(result ? [NEW] : [OLD, NEW]).toContainEqual(found?.bytes);
      await bucketOn(disk).replaceIf(KEY, { bytes: NEW, etag: found?.etag ?? 'none' });
      expect(await bucketOn(disk.powerCycle()).read(KEY)).toEqual(NEW);
    },
  });
});

test('[BUCKET-5] of processes that count in one object none loses a turn, also while some are killed', async () => {
  await using dir = await makeTempDir();
  const bucket = directoryBucket(nodeDisk, dir.path);
  await bucket.create('counter', text('0'));
  const turns = 15;
  const counters = Array.from({ length: 4 }, () => startCounter(dir.path, turns));
  const victim = startCounter(dir.path, 1_000_000);
  await waitUntil(async () => Number(decode(await bucket.read('counter'))) > 5);
  victim.child.kill('SIGKILL');
  const victimTurns = await victim.turns;
  const counted = await Promise.all(counters.map(({ turns: said }) => said));
  expect(counted).toEqual(counters.map(() => turns));
  // A process that is killed between its turn and saying so has counted once more than it said.
  const total = Number(decode(await bucket.read('counter'))) - 4 * turns;
  expect([victimTurns, victimTurns + 1]).toContain(total);
});

test('[BUCKET-7] download: whole or absent, durable when it returned, and no orphan of the bucket', async () => {
  await sweepCrashes({
    prepare: async (disk) => void (await bucketOn(disk).create(KEY, NEW)),
    act: (disk) => bucketOn(disk).download(KEY, '/local'),
    async check(disk, result) {
      expect(result ? [NEW] : [undefined, NEW]).toContainEqual(await disk.read('/local'));
      if (result) expect(result.value).toEqual({ sizeBytes: NEW.length });
      expect(await keysOf(bucketOn(disk))).toEqual([KEY]);
    },
  });
});

test('[BUCKET-8] removeAll: what it was told to remove is gone for good when it returned', async () => {
  const keys = ['a/1', 'a/2', 'b/1'];
  await sweepCrashes({
    async prepare(disk) {
      for (const key of [...keys, 'kept']) await bucketOn(disk).create(key, OLD);
    },
    act: (disk) => bucketOn(disk).removeAll(keys),
    async check(disk, result) {
      const left = await keysOf(bucketOn(disk));
      expect(left).toContain('kept');
      if (result) expect(left).toEqual(['kept']);
      await bucketOn(disk).removeAll(keys);
      expect(await keysOf(bucketOn(disk.powerCycle()))).toEqual(['kept']);
    },
  });
});

test('[BUCKET-8] one object that cannot be removed does not keep the others, and is told', async () => {
  const disk = new SimulatedDisk();
  for (const key of ['a', 'b', 'c']) await bucketOn(disk).create(key, OLD);
  using faulty = new FaultyDisk(disk, [{ on: 'remove', errno: 'EACCES', at: /\/a$/ }]);
  await expect(bucketOn(faulty).removeAll(['a', 'b', 'c'])).rejects.toMatchObject({
    code: 'E_BUCKET_DENIED',
  });
  expect(await keysOf(bucketOn(disk))).toEqual(['a']);
});

test('[BUCKET-9] an upload or a download that is aborted in its middle leaves nothing', async () => {
  const large = new Uint8Array(5 * 1024 * 1024);
  for (const verb of ['createFromFile', 'download'] as const) {
    const stop = new AbortController();
    const disk = new SimulatedDisk();
    const aborting = withMethods<Disk>(disk, {
      open: (path, mode) => openAborting(disk, stop)(path, mode),
    });
    await replaceFile(disk, '/local', large);
    await bucketOn(disk).create('a', large);
    const [key, path] = verb === 'download' ? ['a', '/new'] : ['b', '/local'];
    await expect(bucketOn(aborting)[verb](key, path, stop.signal)).rejects.toThrow('enough');
    expect(await keysOf(bucketOn(disk))).toEqual(['a']);
    expect((await disk.list('/'))?.map(({ name }) => name).sort()).toEqual(['bucket', 'local']);
    expect(await orphansIn(disk, '/bucket')).toEqual([]);
  }
});

test('[BUCKET-9] waiting for the lock of another ends with the signal', async () => {
  await using dir = await makeTempDir();
  const bucket = directoryBucket(nodeDisk, dir.path);
  await bucket.create('a', OLD);
  using _ = tryLock(join(dir.path, '.holdfast-bucket.lock'));
  const stop = new AbortController();
  const waiting = [
    bucket.replaceIf('a', { bytes: NEW, etag: digestOf(OLD) }, stop.signal),
    bucket.remove('a', stop.signal),
  ];
  stop.abort(new Error('enough'));
  // Both are listened to from now on: the second may be rejected while the first is waited for.
  for (const settled of await Promise.allSettled(waiting))
    expect(settled).toMatchObject({ status: 'rejected', reason: { message: 'enough' } });
  expect(await bucket.read('a')).toEqual(OLD);
});

test('[BUCKET-10] a lock that is never given back is told as a bucket that is away', async () => {
  await using dir = await makeTempDir();
  // Time passes with every wait, so that nobody waits for it.
  let nowMs = 0;
  const sleep = async () => {
    nowMs += 1_000;
  };
  const clock = { ...systemClock, monotonicMs: () => nowMs, sleep };
  const bucket = directoryBucket(nodeDisk, dir.path, { clock });
  await bucket.create('a', OLD);
  using _ = tryLock(join(dir.path, '.holdfast-bucket.lock'));
  await expect(bucket.replaceIf('a', { bytes: NEW, etag: digestOf(OLD) })).rejects.toMatchObject({
    code: 'E_BUCKET_AWAY',
    retryable: true,
  });
  expect(await bucket.read('a')).toEqual(OLD);
});

test('[BUCKET-3] remove: there or gone, gone for good when it returned', async () => {
  await sweepCrashes({
    prepare: (disk) => makeOld(disk),
    act: (disk) => bucketOn(disk).remove(KEY),
    async check(disk, result) {
      expect(result ? [undefined] : [undefined, OLD]).toContainEqual(await bucketOn(disk).read(KEY));
    },
  });
});

test('[BUCKET-3] a remove that was killed is made good by the next one', async () => {
  await sweepCrashes({
    prepare: (disk) => makeOld(disk),
    act: (disk) => bucketOn(disk).remove(KEY),
    async check(disk) {
      await bucketOn(disk).remove(KEY);
      expect(await bucketOn(disk.powerCycle()).read(KEY)).toBeUndefined();
    },
  });
});

type Verb = 'create' | 'replace' | 'remove';
interface Step {
  readonly verb: Verb;
  readonly key: string;
  readonly bytes: Uint8Array;
}

const someSteps = fc.array(
  fc.record({
    verb: fc.constantFrom<Verb>('create', 'create', 'replace', 'remove'),
    key: fc.constantFrom('a', 'b/c', 'b/d', 'b-e'),
    bytes: fc.uint8Array({ maxLength: 12 }),
  }),
  { maxLength: 8 },
);

test('[BUCKET-1] whatever is done and wherever the power goes, what was acknowledged is there and nothing else', async () => {
  const property = fc.asyncProperty(someSteps, fc.nat(60), fc.integer(), async (steps, crashAt, seed) => {
    const disk = new SimulatedDisk({ seed, crashAt });
    const model = new Map<string, Uint8Array>();
    let inFlight: Step | undefined;
    for (const step of steps) {
      const isDone = await take(bucketOn(disk), step).then(() => true, mustBeCrash);
      if (!isDone) {
        inFlight = step;
        break;
      }
      applyTo(model, step);
    }
    const allowed = [contentOf(model)];
    if (inFlight) allowed.push(contentOf(applyTo(model, inFlight)));
    expect(allowed).toContainEqual(await contentsOf(bucketOn(disk.powerCycle())));
  });
  await fc.assert(property, { numRuns: 500 });
});

test('[BUCKET-1] a full disk keeps what was there, leaves no orphan, and the next create succeeds', async () => {
  for (let afterBytes = 0; afterBytes < NEW.length; afterBytes += 5) {
    const disk = new SimulatedDisk();
    await replaceFile(disk, '/local', NEW);
    await bucketOn(disk).create('other', OLD);
    using faulty = new FaultyDisk(disk, [
      { on: 'write', errno: 'ENOSPC', afterBytes },
      { on: 'write', errno: 'ENOSPC', afterBytes },
    ]);
    const full = { code: 'E_DISK_FULL' };
    await expect(bucketOn(faulty).create(KEY, NEW)).rejects.toMatchObject(full);
    await expect(bucketOn(faulty).createFromFile(KEY, '/local')).rejects.toMatchObject(full);
    expect(await orphansIn(disk, '/bucket/segments/w1')).toEqual([]);
    expect(await keysOf(bucketOn(disk))).toEqual(['other']);
    expect(await bucketOn(faulty).create(KEY, NEW)).toBe(true);
  }
});

test('[BUCKET-3] what cannot be read is an error, not a missing object', async () => {
  const disk = new SimulatedDisk();
  await bucketOn(disk).create(KEY, NEW);
  using faulty = new FaultyDisk(disk, [
    { on: 'read', errno: 'EIO', at: /w1/ },
    { on: 'fileRead', errno: 'EIO' },
    { on: 'stat', errno: 'EACCES', at: /w1/ },
    { on: 'list', errno: 'EIO' },
  ]);
  await expect(bucketOn(faulty).read(KEY)).rejects.toMatchObject({ code: 'E_DISK_IO' });
  await expect(bucketOn(faulty).readRange(KEY, { start: 0, length: 3 })).rejects.toMatchObject({
    code: 'E_DISK_IO',
  });
  await expect(bucketOn(faulty).stat(KEY)).rejects.toMatchObject({ code: 'E_BUCKET_DENIED' });
  await expect(keysOf(bucketOn(faulty))).rejects.toMatchObject({ code: 'E_DISK_IO' });
});

test('[BUCKET-2] an object cannot be where a folder is, nor below an object', async () => {
  const bucket = bucketOn(new SimulatedDisk());
  await bucket.create('a/b', OLD);
  const taken = { code: 'E_BUCKET_KEY_TAKEN' };
  for (const key of ['a', 'a/b/c', 'a/b/c/d']) {
    await expect(bucket.create(key, NEW)).rejects.toMatchObject(taken);
  }
  expect(await keysOf(bucket)).toEqual(['a/b']);
});

test('[BUCKET-4] links to files are listed, links to directories are not followed', async () => {
  await using dir = await makeTempDir();
  const bucket = directoryBucket(nodeDisk, dir.path);
  await bucket.create('a/file', OLD);
  symlinkSync('file', join(dir.path, 'a/link'));
  symlinkSync('..', join(dir.path, 'a/loop'));
  symlinkSync('nowhere', join(dir.path, 'a/broken'));
  expect(await keysOf(bucket)).toEqual(['a/file', 'a/link']);
});

test('[BUCKET-6] a folder of many objects is looked into no further than its first', async () => {
  const disk = new SimulatedDisk();
  for (const key of ['a/1', 'a/b/2', 'c/1']) await bucketOn(disk).create(key, OLD);
  const faulty = new FaultyDisk(disk, [{ on: 'list', errno: 'EIO', at: /\/a\/b\/?$/ }]);
  const entries = await Array.fromAsync(bucketOn(faulty).listFolder(''), ({ key }) => key);
  expect(entries).toEqual(['a/', 'c/']);
  expect(() => faulty.assertAllStruck()).toThrow('never struck');
});

test('[BUCKET-4] a listing is lazy: what is not asked for is not read', async () => {
  const disk = new SimulatedDisk();
  for (const key of ['a/1', 'a/2', 'b/1']) await bucketOn(disk).create(key, OLD);
  const faulty = new FaultyDisk(disk, [{ on: 'list', errno: 'EIO', at: /\/b\/?$/ }]);
  for await (const { key } of bucketOn(faulty).list('')) {
    if (key === 'a/2') break;
  }
  expect(() => faulty.assertAllStruck()).toThrow('never struck');
});

async function take(bucket: Bucket, { verb, key, bytes }: Step): Promise<unknown> {
  if (verb === 'remove') return bucket.remove(key);
  if (verb === 'create') return bucket.create(key, bytes);
  const found = await bucket.readTagged(key);
  return found && bucket.replaceIf(key, { bytes, etag: found.etag });
}

function applyTo(model: Map<string, Uint8Array>, { verb, key, bytes }: Step): Map<string, Uint8Array> {
  if (verb === 'remove') model.delete(key);
  else if (model.has(key) === (verb === 'replace')) model.set(key, bytes);
  return model;
}

function contentOf(model: ReadonlyMap<string, Uint8Array>): Record<string, string> {
  return Object.fromEntries([...model].map(([key, bytes]) => [key, Buffer.from(bytes).toString('hex')]));
}

async function contentsOf(bucket: Bucket): Promise<Record<string, string>> {
  const model = new Map<string, Uint8Array>();
  for (const key of await keysOf(bucket)) model.set(key, (await bucket.read(key)) ?? text('missing'));
  return contentOf(model);
}

async function makeOld(disk: Disk): Promise<void> {
  await bucketOn(disk).create(KEY, OLD);
}

/** Opens files of which the third chunk that is read aborts. */
function openAborting(disk: SimulatedDisk, stop: AbortController): Disk['open'] {
  let reads = 0;
  return async (path, mode) => {
    const file = await disk.open(path, mode);
    const read: typeof file.read = (into, position) => {
      if (++reads === 3) stop.abort(new Error('enough'));
      return file.read(into, position);
    };
    return { ...file, read };
  };
}

const COUNTER = fileURLToPath(new URL('../../test/sim/bucket-counter.ts', import.meta.url));

interface Counter {
  readonly child: ChildProcess;
  /** How many turns it said that it took, when it has ended. */
  readonly turns: Promise<number>;
}

/** Heard from the start: what a process said before it ended is thrown away when nobody listens by then. */
function startCounter(dir: string, turns: number): Counter {
  const child = spawn(process.execPath, [COUNTER, dir, String(turns)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, turns: turnsOf(child) };
}

async function turnsOf(child: ChildProcess): Promise<number> {
  let said = '';
  for await (const chunk of child.stdout ?? []) said += chunk;
  return said.split('\n').filter((line) => line === 'counted').length;
}

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await systemClock.sleep(20);
}

function decode(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}

function bucketOn(disk: Disk): Bucket {
  return directoryBucket(disk, '/bucket');
}

async function keysOf(bucket: Bucket): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list('')) keys.push(key);
  return keys;
}

async function orphansIn(disk: Disk, dir: string): Promise<readonly string[]> {
  return ((await disk.list(dir)) ?? []).map(({ name }) => name).filter(isTempName);
}

function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}
