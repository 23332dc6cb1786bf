import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweepCrashes } from '../../test/sim/crash-sweep.ts';
import { linklessDisk } from '../../test/sim/linkless-disk.ts';
import { SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { digestOf, systemClock } from '../base/index.ts';
import { withClaim } from './claim.ts';
import { nodeDisk } from './node-disk.ts';
import { whoAmI } from './process-identity.ts';
import { processToken } from './process-token.ts';
import { isTempName } from './temp.ts';
import { createFile } from './whole-file.ts';

const text = (content: string) => Buffer.from(content);
const claimOf = (path: string, token: string) =>
  `.holdfast-claim-${digestOf(path.slice(1)).slice(0, 16)}-${token}-${'a'.repeat(22)}.tmp`;

test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])(
  '[DISK-4] where hard links fail with %s, a file is still created only when it is absent',
  async (errno) => {
    await using dir = await makeTempDir();
    const disk = linklessDisk(nodeDisk, errno);
    const path = join(dir.path, 'x');
    expect(await createFile(disk, path, text('one'))).toBe(true);
    expect(await createFile(disk, path, text('two'))).toBe(false);
    expect(Buffer.from((await disk.read(path)) ?? []).toString()).toBe('one');
    expect((await disk.list(dir.path))?.map(({ name }) => name)).toEqual(['x']);
  },
);

test('[DISK-4] of many who create one file without hard links, one wins and nothing is overwritten', async () => {
  await using dir = await makeTempDir();
  const disk = linklessDisk(nodeDisk);
  const path = join(dir.path, 'x');
  const writers = ['a', 'b', 'c', 'd', 'e', 'f'];
  const won = await Promise.all(
    writers.map(async (name, at) => {
      await systemClock.sleep(at % 3);
      return createFile(disk, path, text(name));
    }),
  );
  expect(won.filter(Boolean)).toHaveLength(1);
  expect(Buffer.from((await disk.read(path)) ?? []).toString()).toBe(writers[won.indexOf(true)]);
});

test('[DISK-4] without hard links a file is whole or absent, and durable when it was created', async () => {
  await sweepCrashes({
    prepare: (disk) => disk.makeDir('/d'),
    act: (disk) => createFile(linklessDisk(disk), '/d/x', text('whole')),
    async check(disk, result) {
      const found = await disk.read('/d/x');
      if (found || result) expect(Buffer.from(found ?? []).toString()).toBe('whole');
      for (const { name } of (await disk.list('/d')) ?? [])
        expect(name === 'x' || isTempName(name)).toBe(true);
    },
  });
});

test('a claim of a process of which nobody here can tell counts', async () => {
  const disk = new SimulatedDisk();
  const far = claimOf('/x', processToken({ ...whoAmI(), host: 'elsewhere' }));
  await (await disk.open(`/${far}`, 'create')).close();
  const clock = { ...systemClock, sleep: async () => undefined };
  await expect(withClaim(disk, '/x', { work: async () => 'done', clock })).rejects.toMatchObject({
    code: 'E_FILE_CLAIMED',
  });
  expect((await disk.list('/'))?.map(({ name }) => name)).toEqual([far]);
});

test('a claim of a dead process counts no more, that of a living one does', async () => {
  const disk = new SimulatedDisk();
  const self = whoAmI();
  const dead = claimOf('/x', processToken({ ...self, bootId: 'earlier' }));
  await (await disk.open(`/${dead}`, 'create')).close();
  expect(await withClaim(disk, '/x', { work: async () => 'done' })).toBe('done');
  expect(await disk.list('/')).toEqual([]);

  const living = claimOf('/x', processToken(self));
  await (await disk.open(`/${living}`, 'create')).close();
  const clock = { ...systemClock, sleep: async () => undefined };
  await expect(withClaim(disk, '/x', { work: async () => 'done', clock })).rejects.toMatchObject({
    code: 'E_FILE_CLAIMED',
    retryable: true,
  });
});
