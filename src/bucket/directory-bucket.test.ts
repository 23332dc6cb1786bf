import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sweepCrashes } from '../../test/sim/crash-sweep.ts';
import { FaultyDisk } from '../../test/sim/faulty-disk.ts';
import { mustBeCrash, SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { type Disk, isTempName, nodeDisk, replaceFile } from '../disk/index.ts';
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

test('[BUCKET-5] put: the old bytes or the new ones, durable when it returned', async () => {
  await sweepCrashes({
    prepare: (disk) => bucketOn(disk).put(KEY, OLD),
    act: (disk) => bucketOn(disk).put(KEY, NEW),
    async check(disk, result) {
      expect(result ? [NEW] : [OLD, NEW]).toContainEqual(await bucketOn(disk).read(KEY));
      await bucketOn(disk).put(KEY, NEW);
      expect(await bucketOn(disk.powerCycle()).read(KEY)).toEqual(NEW);
    },
  });
});

test('[BUCKET-3] remove: there or gone, gone for good when it returned', async () => {
  await sweepCrashes({
    prepare: (disk) => bucketOn(disk).put(KEY, OLD),
    act: (disk) => bucketOn(disk).remove(KEY),
    async check(disk, result) {
      expect(result ? [undefined] : [undefined, OLD]).toContainEqual(await bucketOn(disk).read(KEY));
    },
  });
});

test('[BUCKET-3] a remove that was killed is made good by the next one', async () => {
  await sweepCrashes({
    prepare: (disk) => bucketOn(disk).put(KEY, OLD),
    act: (disk) => bucketOn(disk).remove(KEY),
    async check(disk) {
      await bucketOn(disk).remove(KEY);
      expect(await bucketOn(disk.powerCycle()).read(KEY)).toBeUndefined();
    },
  });
});

type Verb = 'create' | 'put' | 'remove';
interface Step {
  readonly verb: Verb;
  readonly key: string;
  readonly bytes: Uint8Array;
}

const someSteps = fc.array(
  fc.record({
    verb: fc.constantFrom<Verb>('create', 'create', 'put', 'remove'),
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
    { on: 'read', errno: 'EIO' },
    { on: 'fileRead', errno: 'EIO' },
    { on: 'stat', errno: 'EACCES' },
    { on: 'list', errno: 'EIO' },
  ]);
  await expect(bucketOn(faulty).read(KEY)).rejects.toMatchObject({ code: 'E_DISK_IO' });
  await expect(bucketOn(faulty).readRange(KEY, 0, 3)).rejects.toMatchObject({ code: 'E_DISK_IO' });
  await expect(bucketOn(faulty).stat(KEY)).rejects.toMatchObject({ code: 'E_DISK_DENIED' });
  await expect(keysOf(bucketOn(faulty))).rejects.toMatchObject({ code: 'E_DISK_IO' });
});

test('[BUCKET-2] an object cannot be where a folder is, nor below an object', async () => {
  const bucket = bucketOn(new SimulatedDisk());
  await bucket.create('a/b', OLD);
  const taken = { code: 'E_BUCKET_KEY_TAKEN' };
  for (const key of ['a', 'a/b/c', 'a/b/c/d']) {
    await expect(bucket.create(key, NEW)).rejects.toMatchObject(taken);
    await expect(bucket.put(key, NEW)).rejects.toMatchObject(taken);
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
  return verb === 'remove' ? bucket.remove(key) : bucket[verb](key, bytes);
}

function applyTo(model: Map<string, Uint8Array>, { verb, key, bytes }: Step): Map<string, Uint8Array> {
  if (verb === 'remove') model.delete(key);
  else if (verb === 'put' || !model.has(key)) model.set(key, bytes);
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
