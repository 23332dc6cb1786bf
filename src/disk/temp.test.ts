import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sweepCrashes } from '../../test/sim/crash-sweep.ts';
import { FaultyDisk } from '../../test/sim/faulty-disk.ts';
import { SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { type Clock, systemClock } from '../base/index.ts';
import type { Disk } from './disk.ts';
import { nodeDisk } from './node-disk.ts';
import { type ProcessIdentity, type ProcessState, whoAmI } from './process-identity.ts';
import { isTempName, sweepTemps, tempPathFor } from './temp.ts';

test('a temporary name is new, in the same directory, short, and known as one', () => {
  const path = join('some', 'dir', 'x'.repeat(255));
  const temps = Array.from({ length: 100 }, () => tempPathFor(path));
  expect(new Set(temps).size).toBe(100);
  for (const temp of temps) {
    expect(dirname(temp)).toBe(join('some', 'dir'));
    expect(isTempName(basename(temp))).toBe(true);
    expect(basename(temp).length).toBeLessThan(110);
  }
});

test.each(['', 'a', '.holdfast', '.holdfast-x.tmp', 'holdfast-1234567890123456789012.tmp', 'run.tmp'])(
  '%j is not a temporary name of ours',
  (name) => {
    expect(isTempName(name)).toBe(false);
  },
);

test('a sweep removes old orphans and nothing else', async () => {
  let now = 0;
  const disk = new SimulatedDisk({ nowMs: () => now });
  const old = tempElsewhere();
  await make(disk, old);
  await make(disk, '/kept.tmp');
  await disk.makeDir('/kept');
  now = 1_000;
  const young = tempElsewhere();
  await make(disk, young);
  const kept = ((await disk.list('/')) ?? []).filter(({ name }) => `/${name}` !== old);

  expect(await sweepTemps(disk, '/', { olderThanMs: 500, clock: clockAt(1_400) })).toEqual([basename(old)]);
  expect(await disk.list('/')).toEqual(kept);
  expect(await sweepTemps(disk, '/', { olderThanMs: 500, clock: clockAt(1_500) })).toEqual([basename(young)]);
});

test('a sweep of a missing directory does nothing', async () => {
  expect(await sweepTemps(new SimulatedDisk(), '/none', { olderThanMs: 0 })).toEqual([]);
});

test('a sweep that dies leaves what is no orphan', async () => {
  await sweepCrashes({
    async prepare(disk) {
      await make(disk, '/kept');
      for (let turn = 0; turn < 3; turn++) await make(disk, tempElsewhere());
      await disk.syncDir('/');
    },
    act: (disk) => sweepTemps(disk, '/', { olderThanMs: 0 }),
    async check(disk) {
      expect(await disk.read('/kept')).toEqual(Uint8Array.of(1));
      await sweepTemps(disk, '/', { olderThanMs: 0 });
      expect(await disk.list('/')).toEqual([{ name: 'kept', kind: 'file' }]);
    },
  });
});

test('on a real disk the young are left alone', async () => {
  await using dir = await makeTempDir();
  await make(nodeDisk, tempElsewhere(dir.path));
  expect(await sweepTemps(nodeDisk, dir.path, { olderThanMs: 3_600_000 })).toEqual([]);
  const tomorrow = clockAt(systemClock.nowMs() + 86_400_000);
  expect(await sweepTemps(nodeDisk, dir.path, { olderThanMs: 3_600_000, clock: tomorrow })).toHaveLength(1);
});

test('[STORE-4] what a dead process of this machine left is swept at once, what a living one writes never', async () => {
  const disk = new SimulatedDisk();
  const self = { ...whoAmI(), bootId: 'boot', pidNamespace: 'ns' };
  const processes: [string, ProcessIdentity][] = [
    ['ourselves', self],
    ['alive', { ...self, pid: 7, processStart: 'seven' }],
    ['dead', { ...self, pid: 8, processStart: 'eight' }],
    ['its pid is used again', { ...self, pid: 7, processStart: 'before' }],
    ['before the machine was started again', { ...self, bootId: 'earlier' }],
    ['of another container', { ...self, pidNamespace: 'other', pid: 9 }],
    ['of another machine', { ...self, host: 'elsewhere', bootId: 'far' }],
  ];
  const names = new Map<string, string>();
  for (const [what, identity] of processes) {
    const temp = tempPathFor('/x', { self: identity });
    names.set(basename(temp), what);
    await make(disk, temp);
  }
  const stateOf = (pid: number): ProcessState =>
    pid === 7 ? { kind: 'running', processStart: 'seven' } : { kind: 'gone' };
  const sweep = (nowMs: number) => sweepTemps(disk, '/', { self, stateOf, clock: clockAt(nowMs) });
  const swept = (await sweep(0)).map((name) => names.get(name));
  expect(swept.sort()).toEqual(['before the machine was started again', 'dead', 'its pid is used again']);
  const later = (await sweep(100_000_000)).map((name) => names.get(name));
  expect(later.sort()).toEqual(['of another container', 'of another machine']);
});

test.each(['EACCES', 'EPERM', 'EROFS'])(
  '[STORE-4] what others left and we may not remove (%s) is passed over, and all else is swept',
  async (errno) => {
    const disk = new SimulatedDisk();
    const [others, ours] = [tempElsewhere(), tempElsewhere()];
    for (const temp of [others, ours]) await make(disk, temp);
    using faulty = new FaultyDisk(disk, [{ on: 'remove', errno, at: new RegExp(basename(others)) }]);
    expect(await sweepTemps(faulty, '/', { clock: clockAt(100_000_000) })).toEqual([basename(ours)]);
  },
);

test('[STORE-4] a disk that fails while it is swept is told', async () => {
  const disk = new SimulatedDisk();
  await make(disk, tempElsewhere());
  using faulty = new FaultyDisk(disk, [{ on: 'remove', errno: 'EIO' }]);
  await expect(sweepTemps(faulty, '/', { clock: clockAt(100_000_000) })).rejects.toThrow('EIO');
});

test('[STORE-4] a directory is swept with all that is in it', async () => {
  const disk = new SimulatedDisk();
  const [dead, living] = [tempElsewhere(), tempPathFor('/x')];
  for (const dir of [dead, living]) {
    await disk.makeDir(`${dir}/inner`);
    await make(disk, `${dir}/inner/file`);
  }
  expect(await sweepTemps(disk, '/', { clock: clockAt(100_000_000) })).toEqual([basename(dead)]);
  expect(await disk.list('/')).toEqual([{ name: basename(living), kind: 'directory' }]);
});

test('[STORE-4] names of before, without a process in them, are swept by age', async () => {
  const disk = new SimulatedDisk();
  const old = `.holdfast-${'a'.repeat(22)}.tmp`;
  expect(isTempName(old)).toBe(true);
  await make(disk, `/${old}`);
  expect(await sweepTemps(disk, '/', { clock: clockAt(86_000_000) })).toEqual([]);
  expect(await sweepTemps(disk, '/', { clock: clockAt(100_000_000) })).toEqual([old]);
});

/** A name given on another machine, of whose processes nobody here knows anything. */
function tempElsewhere(dir = '/'): string {
  return tempPathFor(join(dir, 'x'), { self: { ...whoAmI(), host: 'elsewhere' } });
}

function clockAt(nowMs: number): Clock {
  return { ...systemClock, nowMs: () => nowMs };
}

async function make(disk: Disk, path: string): Promise<void> {
  await using file = await disk.open(path, 'create');
  await file.write(Uint8Array.of(1), 0);
  await file.sync();
}
