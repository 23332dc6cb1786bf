import type { CachedRecipe, StoredGeneration } from '../../artifacts/index.ts';
import { definedOf } from '../../base/index.ts';
import type { GenerationView } from '../api.ts';

/** No more files are listed: `holdfast artifacts show --json` lists all. */
const FILES_MAX = 200;

interface Around {
  readonly recipe: CachedRecipe;
  /** All that the cache holds. */
  readonly all: readonly CachedRecipe[];
  readonly isRunHere: (run: string) => boolean;
}

/** The generations of a recipe with where they come from and what became of them: the current one first, then the latest. */
export function generationViews(around: Around): GenerationView[] {
  const { generations, current } = around.recipe;
  const rank = (one: StoredGeneration) => (one === current ? 0 : 1);
  const sorted = generations.toSorted(
    (a, b) => rank(a) - rank(b) || (a.manifest.generation < b.manifest.generation ? 1 : -1),
  );
  return sorted.map((generation) => viewOf(generation, around));
}

function viewOf(stored: StoredGeneration, { recipe, all, isRunHere }: Around): GenerationView {
  const { generation, digest, created, producer, cost, files, supersedes, inputs, notes } = stored.manifest;
  const supersededBy = recipe.generations.flatMap(({ manifest }) =>
    manifest.supersedes.includes(generation) ? [manifest.generation as string] : [],
  );
  return {
    ...{ generation, digest, created, cost },
    is: stored === recipe.current ? 'current' : supersededBy.length > 0 ? 'superseded' : 'other',
    producer: { version: producer.version, run: producer.run, writer: producer.writer },
    isRunHere: isRunHere(producer.run),
    bytes: bytesOf(stored),
    files: files.slice(0, FILES_MAX).map(({ path, size }) => ({ path, size })),
    filesOf: files.length,
    supersedes: [...supersedes],
    supersededBy,
    madeOf: inputs.flatMap(({ name, used }) =>
      used ? [{ name, ...used, ...definedOf({ found: foundIn(all, used.digest) }) }] : [],
    ),
    madeInto: all.flatMap(({ generations }) =>
      generations.flatMap((other) =>
        other.manifest.inputs.some(({ used }) => used?.digest === digest) ? [relativeOf(other)] : [],
      ),
    ),
    ...definedOf({ notes }),
  };
}

function foundIn(
  all: readonly CachedRecipe[],
  digest: string,
): GenerationView['madeInto'][number] | undefined {
  for (const { generations } of all) {
    const found = generations.find(({ manifest }) => manifest.digest === digest);
    if (found) return relativeOf(found);
  }
  return undefined;
}

function relativeOf({ manifest }: StoredGeneration): GenerationView['madeInto'][number] {
  const { kind, key, recipe, generation } = manifest;
  return { kind, key, recipe, generation };
}

export function bytesOf({ manifest }: StoredGeneration): number {
  return manifest.files.reduce((sum, { size }) => sum + size, 0);
}
