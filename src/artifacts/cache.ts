import type { Clock, Random } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { writingTo } from './artifact-errors.ts';
import { type ArtifactSource, folderSource } from './artifact-source.ts';
import { type BuildOptions, type BuiltOnce, buildOnce } from './build-once.ts';
import {
  allGenerations,
  type Collectable,
  type Collected,
  type CollectOptions,
  collect,
  planCollection,
} from './collect.ts';
import { damageOf, type Known, type Standing, standingOf } from './current.ts';
import { type Damage, readDamages } from './damage.ts';
import { recipeFolder, recipeName } from './layout.ts';
import type { MakePlace } from './make-generation.ts';
import type { Manifest } from './manifest.ts';
import { type Merged, type MergeOptions, mergeInto } from './merge.ts';
import type { Peeked } from './peek-source.ts';
import { type KeptReport, readReport, reportIds } from './read-reports.ts';
import type { RecipeParts, UnitRecipe } from './recipe.ts';
import {
  listRecipeFolders,
  type RecipeContents,
  readRecipeFolder,
  type StoredGeneration,
} from './stored-generation.ts';
import { type CachedRecipe, type Survey, surveyCache } from './survey.ts';
import { type Pin, type Use, type UseOptions, useGeneration } from './use-generation.ts';
import { type FileProblem, problemsOfFiles, type VerifyOptions } from './verify-files.ts';

export interface CacheOptions {
  readonly disk: Disk;
  /** Made when something is first kept. */
  readonly dir: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Paths of this machine that no file of an artifact may hold: the home, the project. Those of the cache are known. */
  readonly hostPaths?: readonly string[];
}

/** The generations of artifacts on this machine (docs/format/artifacts.md). */
export class ArtifactCache {
  readonly dir: string;
  readonly #place: MakePlace;

  private constructor({ disk, dir, clock, random, hostPaths = [] }: CacheOptions) {
    this.dir = dir;
    this.#place = { disk, clock, random, cacheDir: dir, hostPaths };
  }

  static open(options: CacheOptions): ArtifactCache {
    return new ArtifactCache(options);
  }

  /** All recipes that have a generation here, by unit and then by the age of their current one. */
  async units(): Promise<readonly CachedRecipe[]> {
    return (await this.survey()).recipes;
  }

  /** The same, with what cannot be used. */
  survey(): Promise<Survey> {
    return surveyCache(this.#place.disk, this.dir);
  }

  /** The generations of a recipe that are here, oldest first. Their files are not looked at. */
  async generations(unit: UnitRecipe): Promise<readonly StoredGeneration[]> {
    const { disk, cacheDir } = this.#place;
    const { whole } = await readRecipeFolder(disk, cacheDir, recipeFolder(unit));
    return whole.filter(({ manifest }) => manifest.recipe === unit.recipe);
  }

  /** The current one, or that it is damaged. Its files are not looked at: who reads them asks `use`. */
  async standing(unit: UnitRecipe): Promise<Standing> {
    return standingOf(unit.recipe, await this.#known(unit));
  }

  /** The same of all that is here and of what was seen elsewhere, together. */
  async standingWith(
    unit: UnitRecipe,
    { manifests, damages }: Pick<Peeked, 'manifests' | 'damages'>,
  ): Promise<Standing<{ readonly manifest: Manifest }>> {
    const { whole, broken, setAside } = await this.#known(unit);
    const all = [...whole, ...manifests.map((manifest) => ({ manifest }))];
    return standingOf(unit.recipe, { whole: all, broken, setAside: [...setAside, ...damages] });
  }

  async #known(unit: UnitRecipe): Promise<Known<StoredGeneration>> {
    const { disk, cacheDir } = this.#place;
    const contents = await readRecipeFolder(disk, cacheDir, recipeFolder(unit));
    return { ...contents, setAside: await readDamages(disk, cacheDir) };
  }

  /** The current one, unless it is damaged: then there is none. */
  async current(unit: UnitRecipe): Promise<StoredGeneration | undefined> {
    const standing = await this.standing(unit);
    return standing.kind === 'whole' ? standing.generation : undefined;
  }

  /** The generation with this digest. */
  async find(digest: string): Promise<StoredGeneration | undefined> {
    for await (const { whole } of this.#contents()) {
      const found = whole.find(({ manifest }) => manifest.digest === digest);
      if (found) return found;
    }
    return undefined;
  }

  /** A generation whose every byte was verified just now, or why there is none. */
  use(asked: UnitRecipe | Pin, options: Omit<UseOptions, 'hasLock'> = {}): Promise<Use> {
    return writingTo(this.dir, () => useGeneration(this.#place, asked, options));
  }

  /** What is wrong with the files of a generation, without setting it aside. */
  problems(
    { filesDir, manifest }: StoredGeneration,
    options: VerifyOptions = {},
  ): Promise<readonly FileProblem[]> {
    return problemsOfFiles(this.#place.disk, { filesDir, files: manifest.files }, options);
  }

  buildOnce(parts: RecipeParts, options: BuildOptions): Promise<BuiltOnce> {
    return writingTo(this.dir, () => buildOnce(this.#place, parts, options));
  }

  /** [ART-11] Takes over what sources have and this cache lacks; every merge ends in a report. */
  merge(sources: readonly ArtifactSource[], options: MergeOptions = {}): Promise<Merged> {
    return mergeInto(this.#place, sources, options);
  }

  /** The ids of the reports of all merges into this cache, the latest first. */
  reportIds(): Promise<readonly string[]> {
    return reportIds(this.#place.disk, this.dir);
  }

  /** One of them; undefined when there is none of that id. */
  report(id: string): Promise<KeptReport | undefined> {
    return readReport(this.#place.disk, this.dir, id);
  }

  /** [ART-14] What nobody needs any more; nothing is removed yet. */
  async planCollection(options: CollectOptions): Promise<readonly Collectable[]> {
    return planCollection(await allGenerations(this.#place), options, this.#place.clock.nowMs());
  }

  /** Removes what was planned, and sweeps what dead builds and merges left. */
  collect(plan: readonly Collectable[]): Promise<Collected> {
    return writingTo(this.dir, () => collect(this.#place, plan));
  }

  /** Copies generations to a folder of the same layout, which can be merged elsewhere. What is there already stays. */
  exportTo(
    dir: string,
    generations: readonly StoredGeneration[],
    options: MergeOptions = {},
  ): Promise<Merged> {
    const chosen = new Set(generations.map(({ manifest }) => manifest.generation as string));
    const whole = folderSource(this.#place.disk, this.dir);
    const source: ArtifactSource = {
      ...whole,
      list: async (signal) => (await whole.list(signal))?.filter(({ generation }) => chosen.has(generation)),
      damages: () => this.#damagesBeside(generations),
    };
    return mergeInto({ ...this.#place, cacheDir: dir }, [source], options);
  }

  /** What is damaged of the recipes of these: it may supersede them, wherever they go. */
  async #damagesBeside(generations: readonly StoredGeneration[]): Promise<readonly Damage[]> {
    const { disk, cacheDir } = this.#place;
    const folders = new Map(
      generations.map(({ manifest }) => [recipeName(manifest.recipe), recipeFolder(manifest)]),
    );
    const damages = (await this.damages()).filter(({ recipe }) => folders.has(recipe));
    for (const folder of folders.values())
      damages.push(...(await readRecipeFolder(disk, cacheDir, folder)).broken.map(damageOf));
    return damages;
  }

  /** What was set aside here, ever, and what is remembered of other places. */
  damages(): Promise<readonly Damage[]> {
    return readDamages(this.#place.disk, this.dir);
  }

  /** What is in the folder of each recipe, broken or not. */
  async *#contents(): AsyncGenerator<RecipeContents> {
    const { disk, cacheDir } = this.#place;
    for (const folder of await listRecipeFolders(disk, cacheDir))
      yield await readRecipeFolder(disk, cacheDir, folder);
  }
}

/** What a run pins of a generation. */
export function pinOf({ manifest }: StoredGeneration): Pin {
  const { kind, key, recipe, generation, digest } = manifest;
  return { kind, key, recipe, generation, digest };
}
