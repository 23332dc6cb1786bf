import { join } from 'node:path';
import { sweepTemps, tempPathFor } from '../disk/index.ts';
import { currentOf, timeOfGeneration } from './generation.ts';
import type { Manifest } from './manifest.ts';
import { unitText } from './recipe.ts';
import { type LockPlace, tryLockRecipe } from './recipe-lock.ts';
import { listRecipeFolders, readRecipeFolder, type StoredGeneration } from './stored-generation.ts';

export interface CollectOptions {
  /** Ids or digests of generations that somebody pinned: they stay. */
  readonly pinned?: ReadonlySet<string> | undefined;
  /** Younger ones stay: a run that just began may be about to pin them. */
  readonly olderThanMs: number;
}

/** A generation that may go, and why. */
export interface Collectable {
  readonly stored: StoredGeneration;
  /** `not current`: another one of its recipe is used. `old recipe`: its unit has been built by a newer recipe since. */
  readonly why: 'not current' | 'old recipe';
  readonly bytes: number;
}

export interface Collected {
  readonly removed: readonly Collectable[];
  /** Somebody works on their recipe. */
  readonly busy: readonly Collectable[];
  /** What builds and merges that died had left. */
  readonly sweptTemps: number;
}

/**
 * [ART-14] What nobody needs any more. The current generation of the newest recipe of each unit stays, whatever its age; so does what
 * is pinned or young. Pure: it is data, and applying it decides nothing.
 */
export function planCollection(
  generations: readonly StoredGeneration[],
  { pinned = new Set(), olderThanMs }: CollectOptions,
  nowMs: number,
): readonly Collectable[] {
  const units = Map.groupBy(generations, ({ manifest }) => unitText(manifest));
  return [...units.values()].flatMap((ofUnit) => {
    const recipes = Map.groupBy(ofUnit, ({ manifest }) => manifest.recipe);
    const newest = newestRecipe(ofUnit);
    return ofUnit.flatMap((stored) => {
      const { manifest } = stored;
      const ofRecipe = (recipes.get(manifest.recipe) ?? []).map((one) => one.manifest);
      // Of those that are whole: where the current one is damaged, the one before it may be all that is left, and stays.
      const isCurrent = currentOf(ofRecipe)?.generation === manifest.generation;
      const isKept =
        (isCurrent && manifest.recipe === newest) ||
        pinned.has(manifest.generation) ||
        pinned.has(manifest.digest) ||
        nowMs - timeOfGeneration(manifest.generation) < olderThanMs;
      if (isKept) return [];
      const why = isCurrent ? ('old recipe' as const) : ('not current' as const);
      return [{ stored, why, bytes: bytesOf(manifest) }];
    });
  });
}

/** The recipe that the unit was built by last. */
function newestRecipe(generations: readonly StoredGeneration[]): string | undefined {
  const ids = generations.map(({ manifest }) => manifest);
  return ids.toSorted((a, b) => (a.generation < b.generation ? 1 : -1))[0]?.recipe;
}

function bytesOf({ files }: Manifest): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/**
 * Removes what was planned, each under the lock of its recipe, and sweeps what the dead left.
 *
 * ### Ordering
 * The name goes first, by one rename to a temporary one: a crash leaves an orphan, never a generation without some of its files.
 */
export async function collect(place: LockPlace, plan: readonly Collectable[]): Promise<Collected> {
  const removed: Collectable[] = [];
  const busy: Collectable[] = [];
  for (const one of plan) (await isRemoved(place, one.stored)) ? removed.push(one) : busy.push(one);
  return { removed, busy, sweptTemps: await sweepAll(place) };
}

async function isRemoved(place: LockPlace, { manifest, dir }: StoredGeneration): Promise<boolean> {
  const { disk } = place;
  using lock = await tryLockRecipe(place, manifest);
  if (!lock) return false;
  // Somebody else removed it, or set it aside.
  if (!(await disk.stat(dir))) return true;
  const temp = tempPathFor(dir);
  await disk.rename(dir, temp);
  await disk.syncDir(join(dir, '..'));
  await disk.removeTree(temp);
  return true;
}

async function sweepAll({ disk, clock, cacheDir }: LockPlace): Promise<number> {
  let swept = 0;
  for (const folder of await listRecipeFolders(disk, cacheDir))
    swept += (await sweepTemps(disk, join(cacheDir, ...folder), { clock })).length;
  return swept;
}

/** All generations of a cache. */
export async function allGenerations({ disk, cacheDir }: LockPlace): Promise<readonly StoredGeneration[]> {
  const all: StoredGeneration[] = [];
  for (const folder of await listRecipeFolders(disk, cacheDir))
    all.push(...(await readRecipeFolder(disk, cacheDir, folder)).whole);
  return all;
}
