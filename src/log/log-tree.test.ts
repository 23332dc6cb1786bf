import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFixtureLog } from '../../test/sim/log-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { type Disk, nodeDisk } from '../disk/index.ts';
import { logTree } from './log-tree.ts';

const dir = useTempDir();

test('logs of all folders are listed, read and checked by their paths; links lead nowhere', async () => {
  for (const folder of ['a/b', '.state', 'c']) mkdirSync(join(dir.path, folder), { recursive: true });
  for (const name of ['x.eval', 'a/b/y.eval', '.state/no.eval', 'c/.no.eval'])
    await writeFixtureLog(nodeDisk, join(dir.path, name), {});
  symlinkSync(dir.path, join(dir.path, 'a/b/round'));
  const logs = logTree(nodeDisk, dir.path);
  expect((await Array.fromAsync(logs.list())).map(({ name }) => name)).toEqual(['x.eval', 'a/b/y.eval']);
  expect(await logs.stat('a/b/y.eval')).toMatchObject({ name: 'a/b/y.eval' });
  const log = await logs.open('a/b/y.eval');
  expect(log?.path).toBe(logs.placeOf('a/b/y.eval'));
  await log?.close();
  expect(await logs.verify('a/b/y.eval')).toMatchObject({ isWhole: true });
  expect(await logs.open('a/none.eval')).toBeUndefined();
});

test('a place without end is refused, and one that is nested without end is left somewhere', async () => {
  const wide = new Array(100_001).fill(0).map((_, at) => ({ name: `f${at}`, kind: 'directory' as const }));
  const listing = (list: Disk['list']): Disk => ({ ...nodeDisk, list, stat: async () => undefined });
  const many = logTree(
    listing(async (path) => (path === '/top' ? wide : [])),
    '/top',
  );
  await expect(Array.fromAsync(many.list())).rejects.toMatchObject({ code: 'E_LOG_FOLDERS' });
  let deepest = 0;
  const deep = logTree(
    listing(async (path) => {
      deepest = Math.max(deepest, path.split('/').length);
      return [{ name: 'x', kind: 'directory' as const }];
    }),
    '/top',
  );
  expect(await Array.fromAsync(deep.list())).toEqual([]);
  expect(deepest).toBeLessThan(40);
});
