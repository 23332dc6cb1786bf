import type { Disk } from '../disk/index.ts';
import { damageOf, standingOf } from './current.ts';
import { type Damage, readDamages } from './damage.ts';
import { recipeName } from './layout.ts';
import type { UnitRecipe } from './recipe.ts';
import {
  listRecipeFolders,
  type RecipeContents,
  readRecipeFolder,
  type StoredGeneration,
} from './stored-generation.ts';

/** One recipe of a unit, with its generations. */
export interface CachedRecipe extends UnitRecipe {
  /** Those that have a manifest, oldest first. */
  readonly generations: readonly StoredGeneration[];
  /** Undefined when the one that would be is damaged: then nothing of the recipe is used. */
  readonly current: StoredGeneration | undefined;
}

/** A generation that cannot be used: unreadable is not absent. */
export interface UnusableGeneration
  extends Pick<Damage, 'kind' | 'key' | 'recipe' | 'generation' | 'reason' | 'place'> {
  /** It would be the current one: its recipe is neither used nor built until a whole copy comes, or a rebuild. */
  readonly isCurrent: boolean;
  /** A later version of Holdfast wrote it: it is no damage. */
  readonly isNewer: boolean;
}

/** What a cache holds, by unit; manifests are read, files are not. */
export interface Survey {
  readonly recipes: readonly CachedRecipe[];
  readonly unusable: readonly UnusableGeneration[];
}

/**
 * Reads all that a cache holds. What was set aside is told as long as it would be the current one; what lies at the place of a generation
 * and is none is told always, also without a manifest: a generation gets its name after its manifest, so somebody took that away.
 */
export async function surveyCache(disk: Disk, cacheDir: string): Promise<Survey> {
  const setAside = await readDamages(disk, cacheDir);
  const recipes: CachedRecipe[] = [];
  const unusable: UnusableGeneration[] = [];
  const seen = new Set<string>();
  for (const folder of await listRecipeFolders(disk, cacheDir)) {
    const contents = await readRecipeFolder(disk, cacheDir, folder);
    seen.add(folder.at(-1) ?? '');
    recipes.push(...recipesIn(contents, setAside));
    unusable.push(...unusableIn(folder.at(-1) ?? '', contents, setAside));
  }
  for (const name of new Set(setAside.map(({ recipe }) => recipe)))
    if (!seen.has(name)) unusable.push(...unusableIn(name, { whole: [], broken: [] }, setAside));
  return { recipes: recipes.sort(byUnitAndAge), unusable };
}

function recipesIn(contents: RecipeContents, setAside: readonly Damage[]): CachedRecipe[] {
  const groups = Map.groupBy(contents.whole, ({ manifest }) => manifest.recipe);
  return [...groups].flatMap(([recipe, generations]) => {
    const [first] = generations;
    const standing = standingOf(recipe, { ...contents, setAside });
    const current = standing.kind === 'whole' ? standing.generation : undefined;
    return first
      ? [{ kind: first.manifest.kind, key: first.manifest.key, recipe, generations, current }]
      : [];
  });
}

/** @param name the beginning of a recipe, by which its folder is named: more is not known where nothing is whole. */
function unusableIn(
  name: string,
  contents: RecipeContents,
  setAside: readonly Damage[],
): UnusableGeneration[] {
  const recipes = new Set(contents.whole.map(({ manifest }): string => manifest.recipe));
  const standings = [...(recipes.size > 0 ? recipes : [name])].map((recipe) =>
    standingOf(recipe, { ...contents, setAside }),
  );
  const inTheWay = standings.flatMap((standing) => (standing.kind === 'damaged' ? [standing.damage] : []));
  const isCurrent = ({ generation }: Damage) => inTheWay.some((one) => one.generation === generation);
  const here = contents.broken.map(damageOf);
  const away = setAside.filter(
    (damage) =>
      recipeName(damage.recipe) === name &&
      isCurrent(damage) &&
      !here.some(({ generation }) => generation === damage.generation),
  );
  const latest = new Map([...away, ...here].map((damage) => [damage.generation, damage]));
  return [...latest.values()].map((damage) => {
    const { kind, key, recipe, generation, reason, place, isNewer = false } = damage;
    return { kind, key, recipe, generation, reason, place, isNewer, isCurrent: isCurrent(damage) };
  });
}

function byUnitAndAge(a: CachedRecipe, b: CachedRecipe): number {
  const [one, two] = [a, b].map(({ kind, key, current, generations }) =>
    [kind, key, (current ?? generations[0])?.manifest.generation].join('\0'),
  );
  return (one ?? '') < (two ?? '') ? -1 : 1;
}
