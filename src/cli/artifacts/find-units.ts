import {
  type ArtifactCache,
  type CachedRecipe,
  type StoredGeneration,
  type UnusableGeneration,
  unitText,
} from '../../artifacts/index.ts';
import { didYouMean, UsageError } from '../../base/index.ts';
import { fileNameFor } from '../../disk/index.ts';

/** What words name in a cache. */
export interface FoundUnits {
  readonly units: readonly CachedRecipe[];
  /** What is there and cannot be used: unreadable is not absent. */
  readonly unusable: readonly UnusableGeneration[];
}

/** The recipes that words name: `<kind>`, `<kind>/<key>`, or the beginning of a recipe, a generation or a digest. All for none. */
export async function findUnits(cache: ArtifactCache, words: readonly string[]): Promise<FoundUnits> {
  const { recipes, unusable } = await cache.survey();
  if (words.length === 0) return { units: recipes, unusable };
  for (const word of words) {
    const isThere =
      recipes.some((unit) => isNamed(unit, word)) || unusable.some((one) => isUnusableNamed(one, word));
    if (!isThere) throw unknown(word, [...recipes, ...unusable], cache);
  }
  return {
    units: recipes.filter((unit) => words.some((word) => isNamed(unit, word))),
    unusable: unusable.filter((one) => words.some((word) => isUnusableNamed(one, word))),
  };
}

/** What of a recipe is sent or copied: the current generation, or all. */
export function chosenOf(
  { generations, current }: CachedRecipe,
  { all }: { readonly all?: true },
): readonly StoredGeneration[] {
  if (all) return generations;
  return current ? [current] : [];
}

const PREFIX_MIN = 6;

/** True when a word is one of these names, or the beginning of one, long enough to be meant. */
function begins(word: string, names: readonly string[]): boolean {
  return names.some((name) => name === word || (word.length >= PREFIX_MIN && name.startsWith(word)));
}

/** True when a word names this very generation, by its id or its digest. */
export function namesGeneration(word: string, { manifest }: StoredGeneration): boolean {
  return begins(word, [manifest.generation, manifest.digest]);
}

function isNamed(unit: CachedRecipe, word: string): boolean {
  if (word === unit.kind || word === unitText(unit) || begins(word, [unit.recipe])) return true;
  return unit.generations.some((generation) => namesGeneration(word, generation));
}

/** Where no manifest can be read, its unit is known by the names of its folders. */
function isUnusableNamed(one: UnusableGeneration, word: string): boolean {
  if ([one.kind, unitText(one)].includes(word) || begins(word, [one.recipe, one.generation])) return true;
  const slash = word.indexOf('/');
  const names = slash < 0 ? [word] : [word.slice(0, slash), word.slice(slash + 1)];
  return names.map(fileNameFor).join('/') === (slash < 0 ? one.kind : unitText(one));
}

function unknown(
  word: string,
  all: readonly { readonly kind: string; readonly key: string }[],
  cache: ArtifactCache,
): UsageError {
  const guess = didYouMean(word, [...new Set(all.map(unitText))]);
  return new UsageError({
    code: 'E_ARTIFACT_UNKNOWN',
    message: `There is no artifact ${JSON.stringify(word)} in ${cache.dir}${guess || '.'}`,
    hint: '"holdfast artifacts list" lists what there is; name a unit as <kind>/<key>.',
  });
}
