import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { openStore } from './open-store.ts';

const dir = useTempDir();

test('a folder that is not there, or is none, is no empty store, and none is made of it; unless somebody makes a new one', async () => {
  const file = join(dir.path, 'file');
  writeFileSync(file, '');
  const away = join(dir.path, 'away');
  for (const place of [away, pathToFileURL(away).href, file, join(file, 'below')])
    await expect(openStore(place, { disk: nodeDisk })).rejects.toMatchObject({ code: 'E_ARTIFACT_STORE' });
  expect(readdirSync(dir.path)).toEqual(['file']);
  expect((await openStore(away, { disk: nodeDisk, isNew: true })).url).toContain('away');
  mkdirSync(away);
  expect(await Array.fromAsync((await openStore(away, { disk: nodeDisk })).list(''))).toEqual([]);
});
