import type { CachedRecipe, UnusableGeneration } from '../../artifacts/index.ts';
import { definedOf, jsonText, UsageError } from '../../base/index.ts';
import { shellWord } from '../../views/index.ts';
import type { ArtifactsPage, ArtifactView, RecipeRow } from '../api.ts';
import { bytesOf, generationViews } from '../artifacts/generation-views.ts';
import type { SeenCache, WarmCache } from '../artifacts/warm-cache.ts';
import type { Call } from '../call.ts';
import type { Studio } from '../studio.ts';

/** All recipes of the warm cache. */
export async function artifacts({ studio, query }: Call<'artifacts'>): Promise<ArtifactsPage> {
  const { offset, limit, q } = query;
  const { artifacts: cache } = studio;
  if (!cache) return { ...NOTHING, offset };
  const seen = await cache.look();
  const rows = rowsOf(seen);
  const found = rows.filter((row) => hasWords(row, q));
  const stored = seen.recipes.flatMap(({ generations }) => generations);
  const merges = await cache.reportIds();
  return {
    ...{ cache: cache.dir, offset, total: found.length, all: rows.length, setAside: seen.setAside },
    recipes: found.slice(offset, offset + limit),
    units: new Set(rows.map(({ kind, key }) => `${kind}\0${key}`)).size,
    generations: stored.length,
    bytes: stored.reduce((sum, one) => sum + bytesOf(one), 0),
    usd: stored.reduce((sum, { manifest }) => sum + (manifest.cost.usd ?? 0), 0),
    unpriced: stored.filter(({ manifest }) => manifest.cost.usd === null).length,
    merges: merges.length,
    commands: [
      { what: 'The same in a terminal', command: `holdfast artifacts list ${cacheWords(cache)}` },
      { what: 'Read every byte', command: `holdfast artifacts verify ${cacheWords(cache)}` },
      { what: 'What nobody needs any more', command: `holdfast artifacts gc --dry-run ${cacheWords(cache)}` },
    ],
  };
}

const NOTHING: ArtifactsPage = {
  ...{ cache: null, recipes: [], offset: 0, total: 0, all: 0, units: 0, generations: 0, bytes: 0 },
  ...{ usd: 0, unpriced: 0, setAside: 0, merges: 0, commands: [] },
};

/** One recipe, by as many of its digits as tell it from others. */
export async function artifact({ studio, params, signal }: Call<'artifact'>): Promise<ArtifactView> {
  const cache = cacheOf(studio);
  const seen = await cache.look();
  const { recipe, unusable } = findRecipe(seen, params.recipe ?? '');
  const { kind, key, recipe: digits } = recipe ?? unusable[0] ?? never(params.recipe ?? '');
  await studio.index.begun(signal);
  const runs = new Set(studio.index.items().map(({ run }): string => run));
  const manifest = recipe?.generations[0]?.manifest;
  const siblings = seen.recipes.filter(
    (other) => other.kind === kind && other.key === key && other.recipe !== digits,
  );
  const words = `${shellWord(digits.slice(0, 16))} ${cacheWords(cache)}`;
  return {
    ...{ cache: cache.dir, kind, key, recipe: digits },
    // They are parts of the recipe, so all its generations have the same.
    ...definedOf({ version: manifest?.version, parameters: manifest && jsonText(manifest.parameters) }),
    inputs: (manifest?.inputs ?? []).map(({ name, kind: of, digest }) => ({ name, kind: of, digest })),
    generations: recipe
      ? generationViews({ recipe, all: seen.recipes, isRunHere: (run) => runs.has(run) })
      : [],
    unusable: unusable.map(unusableView),
    siblings: siblings.map((other) => ({
      recipe: other.recipe,
      ...definedOf({ created: (other.current ?? other.generations[0])?.manifest.created }),
    })),
    commands: [
      { what: 'The same in a terminal', command: `holdfast artifacts show ${words}` },
      { what: 'Read every byte', command: `holdfast artifacts verify ${words}` },
      ...((recipe?.generations.length ?? 0) > 1
        ? [{ what: 'What two of them differ in', command: `holdfast artifacts diff ${words}` }]
        : []),
    ],
  };
}

export function cacheOf({ artifacts: cache, pinned }: Studio): WarmCache {
  if (cache) return cache;
  throw new UsageError({
    code: 'E_ARTIFACT_UNKNOWN',
    message: pinned
      ? 'The warm cache is of this machine, and these are the results as they were.'
      : 'No warm cache is looked at here.',
    hint: 'Open the Studio as it is, in the folder of the project.',
  });
}

export interface FoundRecipe {
  /** Undefined where nothing of it can be read. */
  readonly recipe: CachedRecipe | undefined;
  readonly unusable: readonly UnusableGeneration[];
}

const DIGITS_MIN = 8;

export function findRecipe({ recipes, unusable }: SeenCache, given: string): FoundRecipe {
  const isMeant = (recipe: string) =>
    given.length >= DIGITS_MIN && (recipe.startsWith(given) || (recipe !== '' && given.startsWith(recipe)));
  const recipe = recipes.find((one) => isMeant(one.recipe));
  const broken = unusable.filter((one) => isMeant(one.recipe));
  if (!recipe && broken.length === 0) never(given);
  return { recipe, unusable: broken };
}

function never(given: string): never {
  throw new UsageError({
    code: 'E_ARTIFACT_UNKNOWN',
    message: `The warm cache has no recipe that begins with "${given.slice(0, 64)}".`,
    hint: 'Look at the list of artifacts: it may have been removed by "holdfast artifacts gc".',
  });
}

function rowsOf({ recipes, unusable }: SeenCache): readonly RecipeRow[] {
  const ofRecipe = (recipe: string) => unusable.filter((one) => recipe.startsWith(one.recipe));
  const whole = recipes.map((one): RecipeRow => {
    const { kind, key, recipe, generations, current } = one;
    return {
      ...{ kind, key, recipe, generations: generations.length, current: currentOf(current) },
      bytes: generations.reduce((sum, generation) => sum + bytesOf(generation), 0),
      unusable: ofRecipe(recipe).map(unusableView),
      ...definedOf({ version: generations[0]?.manifest.version }),
    };
  });
  const names = new Set(
    unusable
      .map(({ recipe }) => recipe)
      .filter((name) => !recipes.some((one) => one.recipe.startsWith(name))),
  );
  const broken = [...names].flatMap((name): RecipeRow[] => {
    const all = unusable.filter(({ recipe }) => recipe === name);
    const [first] = all;
    if (!first) return [];
    const about = { kind: first.kind, key: first.key, recipe: name, generations: 0, bytes: 0, current: null };
    return [{ ...about, unusable: all.map(unusableView) }];
  });
  return [...whole, ...broken].sort((a, b) => (unitOf(a) < unitOf(b) ? -1 : unitOf(a) > unitOf(b) ? 1 : 0));
}

function unitOf({ kind, key }: Pick<RecipeRow, 'kind' | 'key'>): string {
  return `${kind}\0${key}`;
}

function currentOf(current: CachedRecipe['current']): RecipeRow['current'] {
  if (!current) return null;
  const { generation, digest, created, cost, files, producer } = current.manifest;
  return {
    ...{ generation, digest, created, cost, files: files.length, bytes: bytesOf(current) },
    run: producer.run,
  };
}

function unusableView({ generation, reason, place, isCurrent, isNewer }: UnusableGeneration) {
  return { generation, reason, place, isCurrent, isNewer };
}

/** All words, in any case: in the unit, the recipe, or the run that built it. */
function hasWords({ kind, key, recipe, current }: RecipeRow, q: string): boolean {
  const text = `${kind}/${key} ${recipe} ${current?.generation ?? ''} ${current?.run ?? ''}`.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function cacheWords({ dir }: WarmCache): string {
  return `--cache ${shellWord(dir)}`;
}
