import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { isTempName, nodeDisk, replaceFile, tempPathFor, whoAmI } from '../disk/index.ts';
import { TextStore } from './text-store.ts';

const MIB = 2 ** 20;

test('[STORE-4] texts that do not fit in memory go to a file that is known as temporary, and dead ones are swept', async () => {
  await using dir = await makeTempDir();
  const dead = tempPathFor(join(dir.path, 'x'), { self: { ...whoAmI(), processStart: 'long ago' } });
  await replaceFile(nodeDisk, dead, Buffer.alloc(1));
  const store = new TextStore({ disk: nodeDisk, dir: dir.path });
  for (let at = 0; at < 12; at++) await store.put(`${at}`, Buffer.alloc(MIB, at));
  const names = ((await nodeDisk.list(dir.path)) ?? []).map(({ name }) => name);
  expect(names).toHaveLength(1);
  expect(names.every(isTempName)).toBe(true);
  expect(names).not.toContain(basename(dead));
  expect(Buffer.from((await store.get('11')) ?? []).equals(Buffer.alloc(MIB, 11))).toBe(true);
  await store.close();
  expect(await nodeDisk.list(dir.path)).toEqual([]);
});
