import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sweepCrashes } from '../../test/sim/crash-sweep.ts';
import { SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { type Clock, systemClock } from '../base/index.ts';
import type { Disk } from './disk.ts';
import { nodeDisk } from './node-disk.ts';
import { isTempName, sweepTemps, tempPathFor } from './temp.ts';

test('a temporary name is new, in the same directory, short, and known as one', () => {
  const path = join('some', 'dir', 'x'.repeat(255));
  const temps = Array.from({ length: 100 }, () => tempPathFor(path));
  expect(new Set(temps).size).toBe(100);
  for (const temp of temps) {
    expect(dirname(temp)).toBe(join('some', 'dir'));
    expect(isTempName(basename(temp))).toBe(true);
    expect(basename(temp).length).toBeLessThan(60);
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
  const old = tempPathFor('/x');
  await make(disk, old);
  await make(disk, '/kept.tmp');
  await disk.makeDir(tempPathFor('/x'));
  now = 1_000;
  const young = tempPathFor('/x');
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
      for (let turn = 0; turn < 3; turn++) await make(disk, tempPathFor('/x'));
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
  await make(nodeDisk, tempPathFor(join(dir.path, 'x')));
  expect(await sweepTemps(nodeDisk, dir.path, { olderThanMs: 3_600_000 })).toEqual([]);
  const tomorrow = clockAt(systemClock.nowMs() + 86_400_000);
  expect(await sweepTemps(nodeDisk, dir.path, { olderThanMs: 3_600_000, clock: tomorrow })).toHaveLength(1);
});

function clockAt(nowMs: number): Clock {
  return { ...systemClock, nowMs: () => nowMs };
}

async function make(disk: Disk, path: string): Promise<void> {
  await using file = await disk.open(path, 'create');
  await file.write(Uint8Array.of(1), 0);
  await file.sync();
}
