/** A bucket that is a folder, and goes away: the mount is gone, or the folder was renamed. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FaultyDisk } from '../../test/sim/faulty-disk.ts';
import { SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { digestOf } from '../base/index.ts';
import { type Disk, nodeDisk, replaceFile } from '../disk/index.ts';
import type { Bucket } from './bucket.ts';
import { directoryBucket } from './directory-bucket.ts';
import { openBucket, openBucketFolder, seenBucket } from './open-bucket.ts';

const KEY = 'runs/1/segment';
const BYTES = new TextEncoder().encode('paid for');
const AWAY = { code: 'E_BUCKET_AWAY', retryable: true };

interface Place extends AsyncDisposable {
  readonly disk: Disk;
  readonly dir: string;
  readonly bucket: Bucket;
  at(name: string): string;
}

async function placeOn(disk: Disk, path: string): Promise<Place> {
  const dir = join(path, 'bucket');
  const bucket = directoryBucket(disk, dir);
  await bucket.create(KEY, BYTES);
  await replaceFile(disk, join(path, 'local'), BYTES);
  const at = (name: string) => join(path, name);
  return { disk, dir, bucket, at, [Symbol.asyncDispose]: async () => undefined };
}

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  'a real disk': async () => {
    const temp = await makeTempDir();
    const place = await placeOn(nodeDisk, temp.path);
    return { ...place, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
  },
  'a simulated disk': () => placeOn(new SimulatedDisk(), '/'),
};

const CALLS: Readonly<Record<string, (bucket: Bucket, at: Place['at']) => Promise<unknown>>> = {
  read: (bucket) => bucket.read(KEY),
  'read of nothing': (bucket) => bucket.read('none'),
  readTagged: (bucket) => bucket.readTagged(KEY),
  readRange: (bucket) => bucket.readRange(KEY, { start: 0, length: 2 }),
  download: (bucket, at) => bucket.download(KEY, at('copy')),
  stat: (bucket) => bucket.stat(KEY),
  list: (bucket) => keysOf(bucket),
  listFolder: (bucket) => Array.fromAsync(bucket.listFolder('')),
  create: (bucket) => bucket.create('new', BYTES),
  'create in a folder': (bucket) => bucket.create('runs/2/segment', BYTES),
  createFromFile: (bucket, at) => bucket.createFromFile('new', at('local')),
  replaceIf: (bucket) => bucket.replaceIf(KEY, { bytes: BYTES, etag: digestOf(BYTES) }),
  remove: (bucket) => bucket.remove(KEY),
  removeAll: (bucket) => bucket.removeAll([KEY, 'none']),
};

describe.each(Object.entries(PLACES))('on %s', (_, makePlace) => {
  test.each(Object.entries(CALLS))(
    '[BUCKET-11] %s fails while the folder is gone, makes none, and goes on when it is back',
    async (_name, call) => {
      await using place = await makePlace();
      const { disk, dir, bucket, at } = place;
      await disk.rename(dir, at('elsewhere'));
      await expect(call(bucket, at)).rejects.toMatchObject({
        ...AWAY,
        message: expect.stringContaining('gone'),
      });
      // Whoever opens it anew in this process knows what was there as well.
      await expect(call(directoryBucket(disk, dir), at)).rejects.toMatchObject(AWAY);
      expect(await disk.stat(dir)).toBeUndefined();
      await disk.rename(at('elsewhere'), dir);
      await call(bucket, at);
    },
  );

  test.each(Object.entries(CALLS))(
    '[BUCKET-11] %s does not believe another folder in its place',
    async (name, call) => {
      await using place = await makePlace();
      const { disk, dir, bucket, at } = place;
      await disk.rename(dir, at('elsewhere'));
      await disk.makeDir(dir);
      const other = { ...AWAY, message: expect.stringContaining('another folder is in its place') };
      await expect(call(bucket, at)).rejects.toMatchObject(other);
      expect(await disk.list(dir)).toEqual([]);
      // One that is a bucket itself, with the same keys.
      await disk.removeTree(dir);
      await directoryBucket(disk, at('third')).create(KEY, BYTES);
      await disk.rename(at('third'), dir);
      await expect(call(bucket, at), name).rejects.toMatchObject(other);
      expect(await disk.read(join(dir, KEY))).toEqual(BYTES);
      await disk.removeTree(dir);
      await disk.rename(at('elsewhere'), dir);
      await call(bucket, at);
    },
  );

  test('[BUCKET-11] the same share is known again by its id, however it is mounted', async () => {
    await using place = await makePlace();
    const { disk, dir, bucket, at } = place;
    // As a share that is mounted anew: the content is the same, device and inode are not.
    await copyFolder(disk, dir, at('again'));
    await disk.rename(dir, at('elsewhere'));
    await expect(bucket.read(KEY)).rejects.toMatchObject(AWAY);
    await disk.rename(at('again'), dir);
    expect(await bucket.read(KEY)).toEqual(BYTES);
    expect(await bucket.create('new', BYTES)).toBe(true);
  });

  test('[BUCKET-11] a folder that never got an id is known by what the system calls it', async () => {
    await using place = await makePlace();
    const { disk, at } = place;
    await disk.makeDir(at('read'));
    await replaceFile(disk, at('read/a'), BYTES);
    const bucket = directoryBucket(disk, at('read'));
    expect(await keysOf(bucket)).toEqual(['a']);
    await copyFolder(disk, at('read'), at('copy'));
    await disk.rename(at('read'), at('elsewhere'));
    await disk.rename(at('copy'), at('read'));
    await expect(keysOf(bucket)).rejects.toMatchObject(AWAY);
    await disk.removeTree(at('read'));
    await disk.rename(at('elsewhere'), at('read'));
    expect(await keysOf(bucket)).toEqual(['a']);
  });

  test('[BUCKET-11] a folder that was never there has no objects, is made by what is first stored, and by nothing before', async () => {
    await using place = await makePlace();
    const { disk, at } = place;
    const none = { code: 'E_BUCKET_NONE', message: expect.stringContaining(at('never')) };
    await expect(openBucket(at('never'), { disk, isThere: true })).rejects.toMatchObject(none);
    await replaceFile(disk, at('file'), BYTES);
    await expect(openBucket(at('file'), { disk, isThere: true })).rejects.toMatchObject({
      code: 'E_BUCKET_NONE',
    });
    const bucket = await openBucket(at('never'), { disk });
    expect([await bucket.read(KEY), await keysOf(bucket)]).toEqual([undefined, []]);
    await bucket.remove(KEY);
    expect(await disk.stat(at('never'))).toBeUndefined();
    expect(await bucket.create(KEY, BYTES)).toBe(true);
    expect(await keysOf(bucket)).toEqual([KEY]);
    await openBucket(at('never'), { disk, isThere: true });
  });

  test('[BUCKET-11] a folder of a bucket that is a folder is not made anew either', async () => {
    await using place = await makePlace();
    const { disk, dir, at } = place;
    // Nothing was ever stored in it.
    const store = await openBucketFolder(dir, 'shared/artifacts', { disk });
    expect(store.url).toBe(join(dir, 'shared/artifacts'));
    await disk.rename(dir, at('elsewhere'));
    await expect(store.create(KEY, BYTES)).rejects.toMatchObject(AWAY);
    expect(await disk.stat(dir)).toBeUndefined();
    await disk.rename(at('elsewhere'), dir);
    expect(await store.create(KEY, BYTES)).toBe(true);
    expect(await disk.read(join(dir, 'shared/artifacts', KEY))).toEqual(BYTES);
  });
});

/** Takes the folder away in the middle of a call: `instead` is what stands there from then on. */
function leavingDisk(
  disk: Disk,
  on: 'makeDir' | 'open' | 'read' | 'stat' | 'list',
  instead?: string | undefined,
): Disk {
  let hasLeft = false;
  const leave = async (path: string) => {
    if (hasLeft || !path.startsWith('/bucket/runs')) return;
    hasLeft = true;
    await disk.rename('/bucket', '/elsewhere');
    if (instead !== undefined) await disk.rename(instead, '/bucket');
  };
  const leaving = {
    [on]: async (path: string, ...rest: never[]) => {
      await leave(path);
      return (disk[on] as (...args: unknown[]) => unknown)(path, ...rest);
    },
  };
  return withMethods<Disk>(disk, leaving as Partial<Disk>);
}

async function simulatedPlace(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  await directoryBucket(disk, '/bucket').create(KEY, BYTES);
  await disk.makeDir('/empty');
  return disk;
}

describe('[BUCKET-11] the folder goes in the middle of a call', () => {
  test.each(['makeDir', 'open', 'stat'] as const)(
    'at %s of a create: the folder is not made anew',
    async (on) => {
      const disk = await simulatedPlace();
      const bucket = directoryBucket(leavingDisk(disk, on), '/bucket');
      await expect(bucket.create('runs/2/segment', BYTES)).rejects.toMatchObject(AWAY);
      expect(await disk.stat('/bucket')).toBeUndefined();
      await disk.rename('/elsewhere', '/bucket');
      expect(await bucket.create('runs/2/segment', BYTES)).toBe(true);
    },
  );

  test.each(['makeDir', 'open', 'stat'] as const)(
    'at %s of a create: what went into another folder is not acknowledged',
    async (on) => {
      const disk = await simulatedPlace();
      const bucket = directoryBucket(leavingDisk(disk, on, '/empty'), '/bucket');
      await expect(bucket.create('runs/2/segment', BYTES)).rejects.toMatchObject(AWAY);
      await disk.removeTree('/bucket');
      await disk.rename('/elsewhere', '/bucket');
      expect(await bucket.create('runs/2/segment', BYTES)).toBe(true);
    },
  );

  test.each([
    ['read', (bucket: Bucket) => bucket.read(KEY)],
    ['stat', (bucket: Bucket) => bucket.stat(KEY)],
    ['stat', (bucket: Bucket) => keysOf(bucket)],
    ['list', (bucket: Bucket) => keysOf(bucket)],
    ['stat', (bucket: Bucket) => bucket.replaceIf(KEY, { bytes: BYTES, etag: digestOf(BYTES) })],
  ] as const)('at %s: nothing is told to be missing', async (on, call) => {
    for (const instead of [undefined, '/empty']) {
      const disk = await simulatedPlace();
      const bucket = directoryBucket(leavingDisk(disk, on, instead), '/bucket');
      await expect(call(bucket)).rejects.toMatchObject(AWAY);
    }
  });
});

test('[BUCKET-11] another process of this machine is told what was seen, and believes nothing else', async () => {
  await using temp = await makeTempDir();
  const dir = join(temp.path, 'bucket');
  await directoryBucket(nodeDisk, dir).create(KEY, BYTES);
  const seen = seenBucket(dir, { disk: nodeDisk });
  expect(seen).toMatchObject({ id: expect.any(String) });
  await nodeDisk.rename(dir, `${dir}.away`);
  // What another process remembers goes with its disk.
  const openElsewhere = () => openBucket(dir, { disk: withMethods<Disk>(nodeDisk, {}), seen });
  await expect((await openElsewhere()).create('new', BYTES)).rejects.toMatchObject(AWAY);
  await nodeDisk.makeDir(dir);
  await expect(keysOf(await openElsewhere())).rejects.toMatchObject(AWAY);
  await nodeDisk.removeTree(dir);
  await nodeDisk.rename(`${dir}.away`, dir);
  expect(await keysOf(await openElsewhere())).toEqual([KEY]);
  expect(seenBucket('s3://bucket/x', { disk: nodeDisk })).toBeUndefined();
});

test('[BUCKET-11] who looked before a folder got its id learns it', async () => {
  await using temp = await makeTempDir();
  const dir = join(temp.path, 'bucket');
  await nodeDisk.makeDir(dir);
  const looking = withMethods<Disk>(nodeDisk, {});
  const reader = directoryBucket(looking, dir);
  expect(await keysOf(reader)).toEqual([]);
  await directoryBucket(nodeDisk, dir).create(KEY, BYTES);
  expect(await keysOf(reader)).toEqual([KEY]);
  expect(seenBucket(dir, { disk: looking })).toMatchObject({ id: seenBucket(dir, { disk: nodeDisk })?.id });
});

test('who may write only below the folder stores there all the same', async () => {
  const disk = new SimulatedDisk();
  await disk.makeDir('/bucket/runs');
  using faulty = new FaultyDisk(disk, [{ on: 'open', errno: 'EACCES', at: /^\/bucket\/\.holdfast/ }]);
  expect(await directoryBucket(faulty, '/bucket').create('runs/a', BYTES)).toBe(true);
});

async function copyFolder(disk: Disk, from: string, to: string): Promise<void> {
  await disk.makeDir(to);
  for (const { name, kind } of (await disk.list(from)) ?? []) {
    if (kind === 'directory') await copyFolder(disk, join(from, name), join(to, name));
    else await replaceFile(disk, join(to, name), (await disk.read(join(from, name))) ?? BYTES);
  }
}

async function keysOf(bucket: Bucket): Promise<readonly string[]> {
  return Array.fromAsync(bucket.list(''), ({ key }) => key);
}
