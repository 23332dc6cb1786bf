import { expect, test } from 'vitest';
import { mustBeCrash, SimulatedCrash, SimulatedDisk } from './simulated-disk.ts';

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed);
const WORD = new TextEncoder().encode('abcdefgh');

test('[DISK-1] an unsynced write is kept, dropped, cut short or garbled; a synced one is kept', async () => {
  const fates = new Set<string>();
  for (const seed of SEEDS) {
    const disk = new SimulatedDisk({ seed });
    await write(disk, '/synced', true);
    await write(disk, '/unsynced', false);
    await disk.syncDir('/');
    const after = disk.powerCycle();
    expect(await after.read('/synced')).toEqual(WORD);
    fates.add(fateOf(await after.read('/unsynced')));
  }
  expect([...fates].sort()).toEqual(['empty', 'garbled', 'kept', 'short']);
});

test('[DISK-1] of several unsynced writes any may survive without those before it', async () => {
  const found = new Set<string>();
  for (const seed of SEEDS) {
    const disk = new SimulatedDisk({ seed });
    await using file = await disk.open('/a', 'create');
    await disk.syncDir('/');
    for (const position of [0, 1, 2]) await file.write(Uint8Array.of(97 + position), position);
    const bytes = await disk.powerCycle().read('/a');
    found.add(Buffer.from(bytes ?? []).toString());
  }
  for (const survivor of ['', 'a', 'ab', 'abc', '\0b', '\0\0c', 'a\0c']) expect(found).toContain(survivor);
});

test('[DISK-2] an unsynced name is kept or dropped; a synced one is kept', async () => {
  const found = new Set<string>();
  for (const seed of SEEDS) {
    const disk = new SimulatedDisk({ seed });
    await write(disk, '/synced', true);
    await disk.syncDir('/');
    await write(disk, '/a', true);
    await write(disk, '/b', true);
    found.add(await namesOf(disk.powerCycle()));
  }
  expect([...found].sort()).toEqual(['a b synced', 'a synced', 'b synced', 'synced']);
});

test('[DISK-2] an unsynced rename within a directory happened or not, and never both or neither', async () => {
  const found = new Set<string>();
  for (const seed of SEEDS) {
    const disk = new SimulatedDisk({ seed });
    await write(disk, '/from', true);
    await disk.syncDir('/');
    await disk.rename('/from', '/to');
    found.add(await namesOf(disk.powerCycle()));
  }
  expect([...found].sort()).toEqual(['from', 'to']);
});

test('[DISK-2] a rename of unsynced bytes may show a file that is empty or garbled', async () => {
  const fates = new Set<string>();
  for (const seed of SEEDS) {
    const disk = new SimulatedDisk({ seed });
    await write(disk, '/from', false);
    await disk.rename('/from', '/to');
    await disk.syncDir('/');
    fates.add(fateOf(await disk.powerCycle().read('/to')));
  }
  expect([...fates].sort()).toEqual(['empty', 'garbled', 'kept', 'short']);
});

test('[DISK-2] an unsynced removal may be undone, and an unsynced directory takes all with it', async () => {
  const found = new Set<string>();
  for (const seed of SEEDS) {
    const disk = new SimulatedDisk({ seed });
    await write(disk, '/a', true);
    await disk.syncDir('/');
    await disk.remove('/a');
    found.add(await namesOf(disk.powerCycle()));
  }
  expect([...found].sort()).toEqual(['', 'a']);
});

test('two names of one file stay one file', async () => {
  for (const seed of SEEDS.slice(0, 20)) {
    const disk = new SimulatedDisk({ seed });
    await write(disk, '/a', false);
    await disk.link('/a', '/b');
    await disk.syncDir('/');
    const after = disk.powerCycle();
    expect(await after.read('/a')).toEqual(await after.read('/b'));
    await using file = await after.open('/a', 'update');
    await file.write(WORD, 0);
    expect(await after.read('/b')).toEqual(await after.read('/a'));
  }
});

test('the same seed gives the same disk', async () => {
  const live = async (seed: number) => {
    const disk = new SimulatedDisk({ seed, crashAt: 9 });
    for (const name of ['/a', '/b', '/c']) await write(disk, name, false).catch(mustBeCrash);
    const after = disk.powerCycle();
    const contents: unknown[] = [];
    for (const { name } of (await after.list('/')) ?? []) contents.push(name, await after.read(`/${name}`));
    return contents;
  };
  for (const seed of SEEDS.slice(0, 20)) expect(await live(seed)).toEqual(await live(seed));
});

test('from the crash on every call fails, and the step of the crash is told', async () => {
  const disk = new SimulatedDisk({ crashAt: 2 });
  await using file = await disk.open('/a', 'create');
  await expect(file.write(WORD, 0)).rejects.toThrow('step 2');
  await expect(file.sync()).rejects.toBeInstanceOf(SimulatedCrash);
  await expect(disk.read('/a')).rejects.toBeInstanceOf(SimulatedCrash);
  await expect(disk.list('/')).rejects.toBeInstanceOf(SimulatedCrash);
  await expect(disk.makeDir('/d')).rejects.toBeInstanceOf(SimulatedCrash);
  expect(disk.steps).toBe(2);
});

test('a disk that was power-cycled or restarted is dead itself', async () => {
  const disk = new SimulatedDisk();
  disk.restart();
  await expect(disk.read('/a')).rejects.toBeInstanceOf(SimulatedCrash);
});

test('a restart loses nothing, and makes nothing durable', async () => {
  const found = new Set<string>();
  for (const seed of SEEDS) {
    const disk = new SimulatedDisk({ seed });
    await write(disk, '/a', true);
    const restarted = disk.restart();
    expect(await namesOf(restarted)).toBe('a');
    found.add(await namesOf(restarted.powerCycle()));
  }
  expect([...found].sort()).toEqual(['', 'a']);
});

test('mustBeCrash lets no other failure pass', () => {
  expect(mustBeCrash(new SimulatedCrash(1))).toBe(false);
  expect(() => mustBeCrash(new Error('real'))).toThrow('real');
});

async function write(disk: SimulatedDisk, path: string, isSynced: boolean): Promise<void> {
  await using file = await disk.open(path, 'create');
  await file.write(WORD, 0);
  if (isSynced) await file.sync();
}

function fateOf(bytes: Uint8Array | undefined): string {
  const found = Buffer.from(bytes ?? []).toString('latin1');
  if (found === 'abcdefgh') return 'kept';
  if (found === '') return 'empty';
  return 'abcdefgh'.startsWith(found) ? 'short' : 'garbled';
}

async function namesOf(disk: SimulatedDisk): Promise<string> {
  return ((await disk.list('/')) ?? []).map(({ name }) => name).join(' ');
}
