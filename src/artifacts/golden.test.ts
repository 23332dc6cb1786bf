/** What was stored once is read for ever: recipes and manifests of format 1 must never come out otherwise. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCache, partsOf } from '../../test/sim/artifact-fixture.ts';
import { idOf, makeGenerationData } from '../../test/sim/generation-maker.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { folderSource, recipeOf } from './index.ts';

const GOLDEN = join(import.meta.dirname, '../../test/golden/artifacts/v1');
const PARTS = partsOf('California Schools', {
  parameters: { model: 'mock', depth: 2, ä: [1, 0.5, null, true] },
});
const dir = useTempDir();

test('[ART-2] the recipe of given parts is what it always was', () => {
  expect(recipeOf(PARTS).recipe).toBe('dbd194228573af4600761a1dc2ad9f90b83d9370a5092c4c4a76e3c355f11613');
});

test('[ART-5] a cache of format 1 opens: what is whole is used, what is damaged is named', async () => {
  cpSync(GOLDEN, dir.path, { recursive: true });
  const cache = openCache(dir.path);
  const use = await cache.use(recipeOf(PARTS));
  expect(use).toMatchObject({
    kind: 'usable',
    generation: {
      manifest: {
        generation: idOf(2),
        digest: 'da0f4d72e83ed4707a728ff85c15afeb8049e89097acf065465776799736e295',
      },
    },
  });
  expect((await cache.generations(recipeOf(PARTS)))[0]?.manifest).toEqual(
    makeGenerationData({ number: 1, parts: PARTS }).manifest,
  );
  expect(await cache.use(recipeOf(partsOf('scrap')))).toEqual({ kind: 'absent' });
  expect(await cache.use(recipeOf(partsOf('damaged')))).toMatchObject({
    kind: 'damaged',
    damage: { reason: 'a.md is not what it was' },
  });
});

test('[ART-11] a cache of format 1 is merged as far as it is whole', async () => {
  const { report } = await openCache(dir.path).merge([folderSource(nodeDisk, GOLDEN)]);
  expect(report.entries.map(({ state }) => state).toSorted()).toEqual([
    'corrupt',
    'incomplete',
    'installed',
    'superseded',
  ]);
});
