/** A warm cache with everything that its pages show: rebuilds, artifacts made of others, damage, and merges. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ArtifactCache,
  folderSource,
  pinOf,
  recipeOf,
  type StoredGeneration,
} from '../../../src/artifacts/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { building, buildOf, openCache, partsOf } from '../artifact-fixture.ts';

export interface MadeCache {
  readonly cache: ArtifactCache;
  /** The generation that is made of another. */
  readonly index: StoredGeneration;
  /** Built twice: the second superseded the first. */
  readonly rebuilt: StoredGeneration;
  /** The beginning of the recipe of which the only generation is damaged. */
  readonly damagedRecipe: string;
}

export async function makeWarmCache(dir: string, run = 'build'): Promise<MadeCache> {
  const cache = openCache(join(dir, 'cache'));
  const producer = { version: '0.4.0', run, writer: 'w1' };
  const build = async (key: string, more: { readonly isRebuild?: boolean; readonly text?: string } = {}) => {
    const files = {
      'schema.md': `${more.text ?? 'tables'} of ${key}\n`.repeat(200),
      'joins/keys.md': `keys of ${key}`,
    };
    return cache.buildOnce(
      partsOf(key),
      building(buildOf(files), { producer, isRebuild: more.isRebuild === true }),
    );
  };
  await build('california_schools');
  await build('california_schools', { isRebuild: true, text: 'better tables' });
  for (const key of ['card_games', 'financial', 'thrombosis_prediction']) await build(key);
  const rebuilt = await currentOf(cache, 'california_schools');
  const index = await buildIndex(cache, rebuilt);
  const damagedRecipe = await damage(cache, 'thrombosis_prediction');
  await merge(cache, dir);
  return { cache, rebuilt, index, damagedRecipe };
}

async function currentOf(cache: ArtifactCache, key: string): Promise<StoredGeneration> {
  const found = await cache.current(recipeOf(partsOf(key)));
  if (!found) throw new Error(`${key} was not built`);
  return found;
}

/** An artifact of another kind that is made of the first. */
async function buildIndex(cache: ArtifactCache, of: StoredGeneration): Promise<StoredGeneration> {
  const { generation, digest } = pinOf(of);
  const input = {
    name: 'knowledge',
    kind: 'artifact',
    digest: of.manifest.recipe,
    used: { generation, digest },
  } as const;
  const parts = { ...partsOf('california_schools'), kind: 'index', inputs: [input] };
  await cache.buildOnce(parts, building(buildOf({ 'index.bin': 'vectors' })));
  const found = await cache.current(recipeOf(parts));
  if (!found) throw new Error('the index was not built');
  return found;
}

/** Somebody changed a file: whoever reads it next sets it aside. */
async function damage(cache: ArtifactCache, key: string): Promise<string> {
  const { filesDir, manifest } = await currentOf(cache, key);
  chmodSync(filesDir, 0o755);
  rmSync(join(filesDir, 'schema.md'), { force: true });
  writeFileSync(join(filesDir, 'schema.md'), 'something else');
  const used = await cache.use(recipeOf(partsOf(key)));
  if (used.kind !== 'damaged') throw new Error('the damage was not seen');
  return manifest.recipe;
}

/** From a cache that has one more, one that is here, and one that is broken. */
async function merge(cache: ArtifactCache, dir: string): Promise<void> {
  const other = openCache(join(dir, 'other'));
  for (const key of ['superhero', 'formula_1'])
    await other.buildOnce(partsOf(key), building(buildOf({ 'schema.md': `tables of ${key}` })));
  const broken = await currentOf(other, 'formula_1');
  chmodSync(broken.filesDir, 0o755);
  rmSync(join(broken.filesDir, 'schema.md'));
  const expected = [{ kind: 'knowledge', key: 'toxicology' }];
  await cache.merge([folderSource(nodeDisk, other.dir)], { expected });
}
