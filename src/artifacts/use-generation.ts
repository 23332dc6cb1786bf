import { type Damage, type DamageFinding, readDamages, setAside, unresolved } from './damage.ts';
import { currentOf } from './generation.ts';
import { recipeFolder, recipeName } from './layout.ts';
import type { UnitRecipe } from './recipe.ts';
import { type LockPlace, tryLockRecipe } from './recipe-lock.ts';
import { type BrokenGeneration, readRecipeFolder, type StoredGeneration } from './stored-generation.ts';
import { type FileProblem, problemsOfFiles, problemsText, type VerifyOptions } from './verify-files.ts';

/** What a run pins: one generation and no other. */
export interface Pin extends UnitRecipe {
  readonly generation: string;
  readonly digest: string;
}

/** What comes of asking for a generation. Only a `usable` one was verified, every byte of it, and may be read. */
export type Use =
  | { readonly kind: 'usable'; readonly generation: StoredGeneration }
  | { readonly kind: 'absent' }
  /** It is here no more, or not for use: the reason is remembered until a whole copy comes or somebody builds anew. */
  | { readonly kind: 'damaged'; readonly damage: Damage }
  /** Another generation has the id that is pinned: both cannot be, and the one that is here stays. */
  | { readonly kind: 'conflicting'; readonly generation: StoredGeneration };

export interface UseOptions extends VerifyOptions {
  /** The caller has the lock of the recipe. */
  readonly hasLock?: boolean;
  /** Nothing is set aside: whoever only looks changes nothing. */
  readonly isLooking?: boolean;
}

/** [ART-8] The current generation of a recipe, or the one that is pinned, verified; what is damaged is set aside and said. */
export async function useGeneration(
  place: LockPlace,
  asked: UnitRecipe | Pin,
  options: UseOptions = {},
): Promise<Use> {
  const folder = recipeFolder(asked);
  const { whole, broken } = await readRecipeFolder(place.disk, place.cacheDir, folder);
  const own = whole.filter(({ manifest }) => manifest.recipe === asked.recipe);
  const found: Damage[] = [];
  for (const one of broken) {
    const damage =
      one.kind === 'damaged' && (await setAsideSafely(place, asked, findingOf(asked, one), options));
    if (damage) found.push(damage);
  }
  const here = new Set(own.map(({ manifest }) => manifest.generation as string));
  const damages = unresolved(
    [...(await readDamages(place.disk, place.cacheDir)), ...found],
    recipeName(asked.recipe),
    here,
  );
  const chosen =
    'digest' in asked ? pinned(asked, own, damages) : currentOf([...own.map(lineageOf), ...damages]);
  if (chosen === undefined) return { kind: 'absent' };
  if (!('stored' in chosen)) return { kind: 'damaged', damage: chosen };
  const { stored } = chosen;
  if ('digest' in asked && stored.manifest.digest !== asked.digest)
    return { kind: 'conflicting', generation: stored };
  return verified(place, asked, stored, options);
}

interface StoredLineage {
  readonly generation: string;
  readonly supersedes: readonly string[];
  readonly stored: StoredGeneration;
}

function lineageOf(stored: StoredGeneration): StoredLineage {
  const { generation, supersedes } = stored.manifest;
  return { generation, supersedes, stored };
}

function pinned(
  pin: Pin,
  own: readonly StoredGeneration[],
  damages: readonly Damage[],
): StoredLineage | Damage | undefined {
  const stored = own.find(({ manifest }) => manifest.generation === pin.generation);
  return stored ? lineageOf(stored) : damages.find(({ generation }) => generation === pin.generation);
}

async function verified(
  place: LockPlace,
  asked: UnitRecipe | Pin,
  stored: StoredGeneration,
  options: UseOptions,
): Promise<Use> {
  const problems = await problemsOf(place, stored, options);
  if (problems.length === 0) return { kind: 'usable', generation: stored };
  const finding = findingOfFiles(stored, problems);
  const damage = await setAsideSafely(place, asked, finding, { ...options, stored });
  // It went away, or was replaced by a whole copy, while it was read: that is no damage.
  return damage ? { kind: 'damaged', damage } : useGeneration(place, asked, options);
}

function problemsOf({ disk }: LockPlace, { filesDir, manifest }: StoredGeneration, options: VerifyOptions) {
  return problemsOfFiles(disk, { filesDir, files: manifest.files }, options);
}

/**
 * Sets aside under the lock, and only what is still damaged then: meanwhile it may have been collected, or somebody put a whole copy in
 * its place; undefined says so. While somebody else has the lock, the damage is told, and the generation stays where nobody will
 * take it for whole.
 */
async function setAsideSafely(
  place: LockPlace,
  unit: UnitRecipe,
  finding: DamageFinding,
  options: UseOptions & { readonly stored?: StoredGeneration },
): Promise<Damage | undefined> {
  const { dir, ...what } = finding;
  if (options.isLooking) return { ...what, place: dir };
  using lock = options.hasLock ? undefined : await tryLockRecipe(place, unit);
  if (!(await place.disk.stat(dir))) return undefined;
  if (!options.hasLock && !lock) return { ...what, place: dir };
  const isHealed = options.stored && (await problemsOf(place, options.stored, {})).length === 0;
  return isHealed ? undefined : await setAside(place, finding);
}

function findingOf(
  { kind, key, recipe }: UnitRecipe,
  { generation, dir, reason }: BrokenGeneration,
): DamageFinding {
  return { kind, key, recipe: recipeName(recipe), generation, supersedes: [], reason, files: [], dir };
}

function findingOfFiles({ manifest, dir }: StoredGeneration, files: readonly FileProblem[]): DamageFinding {
  const { kind, key, recipe, generation, supersedes } = manifest;
  return {
    kind,
    key,
    recipe: recipeName(recipe),
    generation,
    supersedes,
    reason: problemsText(files),
    files,
    dir,
  };
}
