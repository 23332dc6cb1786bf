import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Bucket, directoryBucket } from '../../src/bucket/index.ts';
import { type Disk, isTempName, nodeDisk, replaceFile, tempPathFor, whoAmI } from '../../src/disk/index.ts';
import { bucketLogStore, directoryLogStore, type LogStore } from '../../src/log/index.ts';
import { sweepCrashes } from '../sim/crash-sweep.ts';
import { FaultyBucket } from '../sim/faulty-bucket.ts';
import { linklessDisk } from '../sim/linkless-disk.ts';
import { fillFixtureLog } from '../sim/log-fixture.ts';
import { memoryBucket } from '../sim/memory-bucket.ts';
import { SimulatedDisk } from '../sim/simulated-disk.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { withMethods } from '../sim/with-methods.ts';
import { type LogStoreUnderTest, logStoreContract } from './log-store.ts';

logStoreContract('directoryLogStore', async () => {
  const dir = await makeTempDir();
  return {
    ...inDirectory(nodeDisk, join(dir.path, 'logs')),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
});

logStoreContract('directoryLogStore on a simulated disk', async () =>
  inDirectory(new SimulatedDisk(), '/logs'),
);

logStoreContract('directoryLogStore without hard links', async () =>
  inDirectory(linklessDisk(new SimulatedDisk()), '/logs'),
);

logStoreContract('bucketLogStore', async () => {
  const disk = new SimulatedDisk();
  await disk.makeDir('/tmp');
  return inBucket(memoryBucket({ disk }), 'some/logs', disk);
});

logStoreContract('bucketLogStore of a whole directory', async () => {
  const disk = new SimulatedDisk();
  await disk.makeDir('/tmp');
  return inBucket(directoryBucket(disk, '/bucket'), '', disk);
});

const writeLog = (store: LogStore) => store.create('a.eval', { write: (file) => fillFixtureLog(file) });

test('[STORE-3] whatever the crash: a log is whole or absent, and there for good when create returned', async () => {
  await sweepCrashes({
    seeds: 3,
    act: (disk) => writeLog(directoryLogStore(disk, '/logs')),
    async check(disk, result) {
      const store = directoryLogStore(disk, '/logs');
      const log = await store.open('a.eval');
      if (result) expect(log).toBeDefined();
      if (log) expect((await log.header()).status).toBe('success');
      await log?.close();
      for (const { name } of (await disk.list('/logs')) ?? [])
        expect(name === 'a.eval' || isTempName(name)).toBe(true);
      expect((await writeLog(store)).outcome).toBe(log ? 'exists' : 'created');
    },
  });
});

test('[STORE-3] whatever the crash while replacing: the old log or the new one', async () => {
  await sweepCrashes({
    seeds: 2,
    prepare: async (disk) => void (await writeLog(directoryLogStore(disk, '/logs'))),
    act: (disk) =>
      directoryLogStore(disk, '/logs').create('a.eval', {
        write: (file) => fillFixtureLog(file, { header: { status: 'error' } }),
        replace: true,
      }),
    async check(disk, result) {
      const log = await directoryLogStore(disk, '/logs').open('a.eval');
      const status = (await log?.header())?.status;
      expect(result ? ['error'] : ['success', 'error']).toContain(status);
      await log?.close();
    },
  });
});

test('[STORE-3] wherever replacing a log in a bucket ends: a whole log is there, under its name or beside it, and the next try succeeds', async () => {
  const changes = ['createFromFile', 'remove'] as const;
  let ends = 0;
  for (const kind of ['timeout', 'lostAcknowledgement'] as const)
    for (const on of changes)
      for (let after = 0; ; after++) {
        const disk = new SimulatedDisk();
        await disk.makeDir('/tmp');
        const real = memoryBucket({ disk });
        const storeOf = (bucket: Bucket) => bucketLogStore(bucket, '', { disk, scratchDir: '/tmp' });
        await writeLog(storeOf(real));
        const faulty = new FaultyBucket(real, [{ on, kind, after }]);
        const replace = (bucket: Bucket) =>
          storeOf(bucket).create('a.eval', {
            write: (file) => fillFixtureLog(file, { header: { status: 'error' } }),
            replace: true,
          });
        if (await succeeds(() => replace(faulty))) break; // the fault never struck: all places were tried
        ends++;
        const left = await Array.fromAsync(storeOf(real).list());
        expect(left.length, `${kind} of ${on} ${after}`).toBeGreaterThan(0);
        for (const { name } of left) expect((await storeOf(real).verify(name))?.problems).toEqual([]);
        await replace(real);
        expect((await Array.fromAsync(storeOf(real).list())).map(({ name }) => name)).toEqual(['a.eval']);
        expect(await (await storeOf(real).open('a.eval'))?.header()).toMatchObject({ status: 'error' });
      }
  expect(ends).toBeGreaterThanOrEqual(8);
});

test('[STORE-3] when all that a crash left is the log beside, it stays wherever the next try ends', async () => {
  for (const on of ['createFromFile', 'remove'] as const)
    for (let after = 0; ; after++) {
      const disk = new SimulatedDisk();
      await disk.makeDir('/tmp');
      const real = memoryBucket({ disk });
      const storeOf = (bucket: Bucket) => bucketLogStore(bucket, '', { disk, scratchDir: '/tmp' });
      await storeOf(real).create('a-new.eval', { write: (file) => fillFixtureLog(file) });
      const replace = (bucket: Bucket) =>
        storeOf(bucket).create('a.eval', { write: (file) => fillFixtureLog(file), replace: true });
      if (await succeeds(() => replace(new FaultyBucket(real, [{ on, kind: 'timeout', after }])))) break;
      const left = await Array.fromAsync(storeOf(real).list());
      expect(left.length, `${on} ${after}`).toBeGreaterThan(0);
      for (const { name } of left) expect((await storeOf(real).verify(name))?.problems).toEqual([]);
    }
});

async function succeeds(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
}

test('[STORE-4] create sweeps what the dead left, and leaves what the living write', async () => {
  await using dir = await makeTempDir();
  const path = (self: object) => tempPathFor(join(dir.path, 'x'), { self: { ...whoAmI(), ...self } });
  const [dead, living] = [path({ processStart: 'long ago' }), path({})];
  for (const temp of [dead, living]) await replaceFile(nodeDisk, temp, Buffer.alloc(10));
  await writeLog(directoryLogStore(nodeDisk, dir.path));
  expect(await nodeDisk.stat(dead)).toBeUndefined();
  expect(await nodeDisk.stat(living)).toBeDefined();
});

test('[STORE-4] what dead uploads left in the scratch directory is swept too', async () => {
  await using dir = await makeTempDir();
  const dead = tempPathFor(join(dir.path, 'x'), { self: { ...whoAmI(), processStart: 'long ago' } });
  await replaceFile(nodeDisk, dead, Buffer.alloc(10));
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  await writeLog(bucketLogStore(bucket, 'logs', { disk: nodeDisk, scratchDir: dir.path }));
  expect((await nodeDisk.list(dir.path))?.map(({ name }) => name)).toEqual(['bucket']);
});

function inDirectory(disk: Disk, dir: string): LogStoreUnderTest {
  const counted = countingDisk(disk);
  return {
    store: directoryLogStore(counted.disk, dir),
    bytesRead: counted.bytesRead,
    async putForeign(name) {
      await disk.makeDir(dir);
      await replaceFile(disk, join(dir, name), Buffer.from('something else'));
    },
    async cut(name, count) {
      const whole = (await disk.read(join(dir, name))) ?? new Uint8Array();
      await replaceFile(disk, join(dir, name), whole.subarray(0, whole.length - count));
    },
    putEmpty: (name) => replaceFile(disk, join(dir, name), Buffer.alloc(0)),
    names: async () => ((await disk.list(dir)) ?? []).map(({ name }) => name),
    [Symbol.asyncDispose]: nothing,
  };
}

function inBucket(bucket: Bucket, folder: string, disk: Disk): LogStoreUnderTest {
  let bytes = 0;
  const counted = withMethods(bucket, {
    readRange: (key, range, signal) => {
      bytes += range.length;
      return bucket.readRange(key, range, signal);
    },
  });
  const prefix = folder === '' ? '' : `${folder}/`;
  return {
    store: bucketLogStore(counted, folder, { disk, scratchDir: '/tmp' }),
    bytesRead: () => bytes,
    putForeign: async (name) => void (await bucket.create(`${prefix}${name}`, Buffer.from('something else'))),
    async cut(name, count) {
      const whole = (await bucket.read(`${prefix}${name}`)) ?? new Uint8Array();
      await bucket.remove(`${prefix}${name}`);
      await bucket.create(`${prefix}${name}`, whole.subarray(0, whole.length - count));
    },
    putEmpty: async (name) => void (await bucket.create(`${prefix}${name}`, Buffer.alloc(0))),
    names: async () =>
      (await Array.fromAsync(bucket.list(folder))).map(({ key }) => key.slice(prefix.length)),
    [Symbol.asyncDispose]: nothing,
  };
}

function countingDisk(disk: Disk): { readonly disk: Disk; readonly bytesRead: () => number } {
  let bytes = 0;
  const open: Disk['open'] = async (path, mode) => {
    const file = await disk.open(path, mode);
    return withMethods(file, {
      read: async (into, position) => {
        const found = await file.read(into, position);
        bytes += found;
        return found;
      },
    });
  };
  return { disk: withMethods(disk, { open }), bytesRead: () => bytes };
}

async function nothing(): Promise<void> {
  // What is in memory goes by itself.
}
