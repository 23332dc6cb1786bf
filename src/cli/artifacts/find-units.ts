import { type ArtifactCache, type CachedRecipe, unitText } from '../../artifacts/index.ts';
import { didYouMean, UsageError } from '../../base/index.ts';

/** The recipes that words name: `<kind>`, `<kind>/<key>`, or the beginning of a recipe, a generation or a digest. All for none. */
export async function findUnits(
  cache: ArtifactCache,
  words: readonly string[],
): Promise<readonly CachedRecipe[]> {
  const all = await cache.units();
  for (const word of words) if (!all.some((unit) => isNamed(unit, word))) throw unknown(word, all, cache);
  return words.length === 0 ? all : all.filter((unit) => words.some((word) => isNamed(unit, word)));
}

const PREFIX_MIN = 6;

function isNamed(unit: CachedRecipe, word: string): boolean {
  if (word === unit.kind || word === unitText(unit)) return true;
  if (word.length < PREFIX_MIN) return false;
  const { recipe, generations } = unit;
  const names = generations.flatMap(({ manifest }) => [manifest.generation, manifest.digest]);
  return [recipe, ...names].some((name) => name.startsWith(word));
}

function unknown(word: string, all: readonly CachedRecipe[], cache: ArtifactCache): UsageError {
  const guess = didYouMean(word, [...new Set(all.map(unitText))]);
  return new UsageError({
    code: 'E_ARTIFACT_UNKNOWN',
    message: `There is no artifact ${JSON.stringify(word)} in ${cache.dir}${guess || '.'}`,
    hint: '"holdfast artifacts list" lists what there is; name a unit as <kind>/<key>.',
  });
}
