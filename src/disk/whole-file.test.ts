import { expect, test } from 'vitest';
import { sweepCrashes } from '../../test/sim/crash-sweep.ts';
import { FaultyDisk } from '../../test/sim/faulty-disk.ts';
import { mustBeCrash, SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import type { Disk } from './disk.ts';
import { isTempName, tempPathFor } from './temp.ts';
import { commitFile, commitNewFile, createFile, createFileWith, replaceFile } from './whole-file.ts';

const PATH = '/dir/file';
const NEW = text('what is new, and long enough to be torn');
const OLD = text('what was there before');
const TEMP = '/dir/written-by-others';

test('[DISK-2] makeDir: durable when it returned, and making it again heals', async () => {
  await sweepCrashes({
    act: (disk) => disk.makeDir('/a/b/c'),
    async check(disk, result) {
      if (result) expect(await disk.stat('/a/b/c')).toMatchObject({ kind: 'directory' });
      await disk.makeDir('/a/b/c');
      expect(await disk.powerCycle().stat('/a/b/c')).toMatchObject({ kind: 'directory' });
    },
  });
});

test('[DISK-2] makeDir inside a directory whose maker died makes that name durable too', async () => {
  await sweepCrashes({
    act: (disk) => disk.makeDir('/a/b'),
    async check(disk) {
      await disk.makeDir('/a/other/c');
      expect(await disk.powerCycle().stat('/a/other/c')).toMatchObject({ kind: 'directory' });
    },
  });
});

test('[DISK-3] replaceFile of a new file: whole or absent, durable when it returned, and calling again heals', async () => {
  await sweepCrashes({
    prepare: (disk) => disk.makeDir('/dir'),
    act: (disk) => replaceFile(disk, PATH, NEW),
    async check(disk, result) {
      expect(result ? [NEW] : [undefined, NEW]).toContainEqual(await disk.read(PATH));
      await expectOnly(disk, PATH);
      await replaceFile(disk, PATH, NEW);
      expect(await disk.powerCycle().read(PATH)).toEqual(NEW);
    },
  });
});

test('[DISK-3] replaceFile of an old file: the old bytes or the new ones, never a mixture', async () => {
  await sweepCrashes({
    prepare: prepareOld,
    act: (disk) => replaceFile(disk, PATH, NEW),
    async check(disk, result) {
      expect(result ? [NEW] : [OLD, NEW]).toContainEqual(await disk.read(PATH));
      await replaceFile(disk, PATH, NEW);
      expect(await disk.powerCycle().read(PATH)).toEqual(NEW);
    },
  });
});

test('[DISK-4] createFile: whole or absent, durable when it returned, and calling again heals', async () => {
  await sweepCrashes({
    prepare: (disk) => disk.makeDir('/dir'),
    act: (disk) => createFile(disk, PATH, NEW),
    async check(disk, result) {
      expect(result ? [NEW] : [undefined, NEW]).toContainEqual(await disk.read(PATH));
      if (result) expect(result.value).toBe(true);
      await expectOnly(disk, PATH);
      const wasThere = (await disk.read(PATH)) !== undefined;
      expect(await createFile(disk, PATH, NEW)).toBe(!wasThere);
      expect(await disk.powerCycle().read(PATH)).toEqual(NEW);
    },
  });
});

test('[DISK-4] createFile over a file of somebody else: false, and nothing changes', async () => {
  await sweepCrashes({
    prepare: prepareOld,
    act: (disk) => createFile(disk, PATH, NEW),
    async check(disk, result) {
      if (result) expect(result.value).toBe(false);
      expect(await disk.read(PATH)).toEqual(OLD);
    },
  });
});

test('[DISK-4] two createFile at once: one wins, and whoever returned finds it after any death', async () => {
  await sweepCrashes({
    prepare: (disk) => disk.makeDir('/dir'),
    async act(disk) {
      const toldBy = (told: Promise<boolean>) =>
        told.catch((error: unknown) => {
          mustBeCrash(error);
          return undefined;
        });
      return Promise.all([toldBy(createFile(disk, PATH, NEW)), toldBy(createFile(disk, PATH, OLD))]);
    },
    async check(disk, result) {
      const [first, second] = result?.value ?? [];
      expect(first && second).not.toBe(true);
      const found = await disk.read(PATH);
      if (first === true) expect(found).toEqual(NEW);
      if (second === true) expect(found).toEqual(OLD);
      if (first === false || second === false) expect([OLD, NEW]).toContainEqual(found);
      expect([undefined, OLD, NEW]).toContainEqual(found);
    },
  });
});

test('[DISK-4] createFileWith writes a file piece by piece, whole or absent', async () => {
  const fill = async (file: Awaited<ReturnType<Disk['open']>>) => {
    for (const [index, byte] of NEW.entries()) await file.write(Uint8Array.of(byte), index);
  };
  await sweepCrashes({
    seeds: 8,
    prepare: (disk) => disk.makeDir('/dir'),
    act: (disk) => createFileWith(disk, PATH, fill),
    async check(disk, result) {
      expect(result ? [NEW] : [undefined, NEW]).toContainEqual(await disk.read(PATH));
    },
  });
});

test('[DISK-1] commitFile: the final name never shows bytes that are not durable', async () => {
  await sweepCrashes({
    async prepare(disk) {
      await prepareOld(disk);
      await write(disk, TEMP, NEW);
    },
    act: (disk) => commitFile(disk, TEMP, PATH),
    async check(disk, result) {
      expect(result ? [NEW] : [OLD, NEW]).toContainEqual(await disk.read(PATH));
      await disk.remove(TEMP);
      await write(disk, TEMP, NEW);
      await commitFile(disk, TEMP, PATH);
      expect(await disk.powerCycle().read(PATH)).toEqual(NEW);
    },
  });
});

test('[DISK-4] commitNewFile: whole or absent, and the temporary name goes', async () => {
  await sweepCrashes({
    async prepare(disk) {
      await disk.makeDir('/dir');
      await write(disk, TEMP, NEW);
    },
    act: (disk) => commitNewFile(disk, TEMP, PATH),
    async check(disk, result) {
      expect(result ? [NEW] : [undefined, NEW]).toContainEqual(await disk.read(PATH));
      if (result) expect(result.value).toBe('committed');
    },
  });
});

test('[DISK-4] commitNewFile never overwrites, and says so', async () => {
  await sweepCrashes({
    async prepare(disk) {
      await prepareOld(disk);
      await write(disk, TEMP, NEW);
    },
    act: (disk) => commitNewFile(disk, TEMP, PATH),
    async check(disk, result) {
      if (result) expect(result.value).toBe('exists');
      expect(await disk.read(PATH)).toEqual(OLD);
    },
  });
});

test('[DISK-4] whoever is told "exists" can rely on it, even when its maker was killed before the name was durable', async () => {
  await sweepCrashes({
    prepare: (disk) => disk.makeDir('/dir'),
    act: (disk) => createFile(disk, PATH, OLD),
    async check(disk) {
      await write(disk, TEMP, NEW);
      const outcome = await commitNewFile(disk, TEMP, PATH);
      expect(await disk.powerCycle().read(PATH)).toEqual(outcome === 'exists' ? OLD : NEW);
    },
  });
});

test.each([0, 1, 20, NEW.length - 1])(
  'a disk that is full after %i bytes leaves the old file and no orphan',
  async (afterBytes) => {
    for (const store of [replaceFile, createFile]) {
      const disk = new SimulatedDisk();
      if (store === replaceFile) await prepareOld(disk);
      else await disk.makeDir('/dir');
      const before = await disk.list('/dir');
      using faulty = new FaultyDisk(disk, [{ on: 'write', errno: 'ENOSPC', afterBytes }]);
      await expect(store(faulty, PATH, NEW)).rejects.toMatchObject({ code: 'E_DISK_FULL' });
      expect(await disk.list('/dir')).toEqual(before);
      expect(await disk.read(PATH)).toEqual(store === replaceFile ? OLD : undefined);

      await store(faulty, PATH, NEW);
      expect(await disk.powerCycle().read(PATH)).toEqual(NEW);
    }
  },
);

test.each(['open', 'sync', 'close', 'rename', 'syncDir'] as const)(
  'replaceFile tells when %s fails, and calling again heals',
  async (on) => {
    const disk = new SimulatedDisk();
    await prepareOld(disk);
    using faulty = new FaultyDisk(disk, [{ on, errno: 'EIO' }]);
    await expect(replaceFile(faulty, PATH, NEW)).rejects.toMatchObject({ code: 'E_DISK_IO' });
    expect([OLD, NEW]).toContainEqual(await disk.read(PATH));
    expect(await namesIn(disk, '/dir')).toEqual(['file']);
    await replaceFile(faulty, PATH, NEW);
    expect(await disk.powerCycle().read(PATH)).toEqual(NEW);
  },
);

test.each(['stat', 'open', 'sync', 'close', 'link', 'syncDir'] as const)(
  'createFile tells when %s fails, and calling again heals',
  async (on) => {
    const disk = new SimulatedDisk();
    await disk.makeDir('/dir');
    using faulty = new FaultyDisk(disk, [{ on, errno: 'EIO' }]);
    await expect(createFile(faulty, PATH, NEW)).rejects.toMatchObject({ code: 'E_DISK_IO' });
    expect((await namesIn(disk, '/dir')).filter(isTempName)).toEqual([]);
    // A name that was linked but could not be synced is found the second time: false, and durable.
    expect(await createFile(faulty, PATH, NEW)).toBe(on !== 'syncDir');
    expect(await disk.powerCycle().read(PATH)).toEqual(NEW);
  },
);

test('a temporary file that cannot be removed is no failure of what was stored', async () => {
  const disk = new SimulatedDisk();
  await disk.makeDir('/dir');
  using faulty = new FaultyDisk(disk, [{ on: 'remove', errno: 'EIO' }]);
  expect(await createFile(faulty, PATH, NEW)).toBe(true);
  expect(await disk.powerCycle().read(PATH)).toEqual(NEW);
});

test('when the clean-up fails too, the first failure is told', async () => {
  const disk = new SimulatedDisk();
  await disk.makeDir('/dir');
  using faulty = new FaultyDisk(disk, [
    { on: 'write', errno: 'ENOSPC' },
    { on: 'remove', errno: 'EIO' },
  ]);
  await expect(replaceFile(faulty, PATH, NEW)).rejects.toMatchObject({ code: 'E_DISK_FULL' });
});

test('a missing directory is told as it is, and nothing is made', async () => {
  const disk = new SimulatedDisk();
  await expect(replaceFile(disk, '/none/file', NEW)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(createFile(disk, '/none/file', NEW)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await disk.list('/')).toEqual([]);
});

async function prepareOld(disk: Disk): Promise<void> {
  await disk.makeDir('/dir');
  await replaceFile(disk, PATH, OLD);
}

async function write(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  await using file = await disk.open(path, 'create');
  await file.write(bytes, 0);
}

/** Beside the file itself, only orphans that a sweep knows may be left. */
async function expectOnly(disk: Disk, path: string): Promise<void> {
  const names = await namesIn(disk, '/dir');
  expect(names.filter((name) => !isTempName(name) && `/dir/${name}` !== path)).toEqual([]);
  expect(isTempName(tempPathFor(path).slice('/dir/'.length))).toBe(true);
}

async function namesIn(disk: Disk, dir: string): Promise<readonly string[]> {
  return ((await disk.list(dir)) ?? []).map(({ name }) => name);
}

function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}
