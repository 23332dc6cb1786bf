import { type Standing, standingOf } from './current.ts';
import { type Damage, type DamageFinding, readDamages, setAside } from './damage.ts';
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
  const found: Damage[] = [];
  for (const one of broken) {
    const damage =
      one.kind === 'damaged' && (await setAsideSafely(place, asked, findingOf(asked, one), options));
    if (damage) found.push(damage);
  }
  // What has no manifest, or a later format, is left where it is.
  const left = broken.filter(({ kind }) => kind !== 'damaged');
  const setAsides = [...(await readDamages(place.disk, place.cacheDir)), ...found];
  const standing =
    'digest' in asked
      ? standingOfPin(asked, whole, setAsides)
      : standingOf(asked.recipe, { whole, broken: left, setAside: setAsides });
  if (standing.kind !== 'whole') return standing;
  const { generation } = standing;
  if ('digest' in asked && generation.manifest.digest !== asked.digest)
    return { kind: 'conflicting', generation };
  return verified(place, asked, generation, options);
}

function standingOfPin(pin: Pin, whole: readonly StoredGeneration[], damages: readonly Damage[]): Standing {
  const generation = whole.find(
    ({ manifest }) => manifest.recipe === pin.recipe && manifest.generation === pin.generation,
  );
  if (generation) return { kind: 'whole', generation };
  const damage = damages.find(
    ({ recipe, generation: id }) => recipe === recipeName(pin.recipe) && id === pin.generation,
  );
  return damage ? { kind: 'damaged', damage } : { kind: 'absent' };
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
  return { kind, key, recipe: recipeName(recipe), generation, supersedes: null, reason, files: [], dir };
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
