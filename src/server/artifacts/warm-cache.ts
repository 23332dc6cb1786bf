import type { ArtifactCache, CachedRecipe, KeptReport, UnusableGeneration } from '../../artifacts/index.ts';
import type { Clock } from '../../base/index.ts';
import { Fresh } from '../fresh.ts';

/** What the cache holds, as it was seen a moment ago. */
export interface SeenCache {
  readonly recipes: readonly CachedRecipe[];
  readonly unusable: readonly UnusableGeneration[];
  /** How many generations were set aside here, ever. */
  readonly setAside: number;
}

/** The warm cache, looked at when somebody asks, and once for all who ask in the same moment. Nothing in it is changed. */
export class WarmCache {
  readonly #cache: ArtifactCache;
  readonly #seen: Fresh<SeenCache>;

  constructor(cache: ArtifactCache, clock: Clock) {
    this.#cache = cache;
    this.#seen = new Fresh(clock, async () => {
      const { recipes, unusable } = await cache.survey();
      const here = (await cache.damages()).filter(({ elsewhere }) => elsewhere === undefined);
      return { recipes, unusable, setAside: here.length };
    });
  }

  get dir(): string {
    return this.#cache.dir;
  }

  look(): Promise<SeenCache> {
    return this.#seen.get();
  }

  /** The digests of all generations that are here. */
  async digests(): Promise<ReadonlySet<string>> {
    const { recipes } = await this.look();
    return new Set(recipes.flatMap(({ generations }) => generations.map(({ manifest }) => manifest.digest)));
  }

  reportIds(): Promise<readonly string[]> {
    return this.#cache.reportIds();
  }

  report(id: string): Promise<KeptReport | undefined> {
    return this.#cache.report(id);
  }
}
