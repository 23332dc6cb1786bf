import { join } from 'node:path';
import { type Clock, definedOf, isoTime, type Random } from '../base/index.ts';
import { type Disk, sweepTemps, tempPathFor } from '../disk/index.ts';
import { artifactErrors } from './artifact-errors.ts';
import { newGenerationId } from './generation.ts';
import { HostPaths } from './host-paths.ts';
import { FILES_NAME, generationDir, MANIFEST_NAME, recipeDir } from './layout.ts';
import { type BuildCost, encodeManifest, type Manifest, makeManifest, type Producer } from './manifest.ts';
import { type RecipeParts, recipeOf } from './recipe.ts';
import { type OnProgress, sealFolder } from './seal-folder.ts';
import type { StoredGeneration } from './stored-generation.ts';

/** What a build says of itself when it is done. */
export interface Built {
  readonly cost: BuildCost;
  /** The id of the run that the build was, when it was one: its log tells all about it. */
  readonly run?: string;
  /** For inputs that are artifacts: which generation was read, by the name of the input. */
  readonly used?: Readonly<Record<string, { readonly generation: string; readonly digest: string }>>;
  readonly notes?: string;
}

/** Fills an empty folder, whose path means nothing later. */
export type Build = (dir: string, signal: AbortSignal | undefined) => Promise<Built>;

export interface MakePlace {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly cacheDir: string;
  /** Paths of this machine that no file may hold, beside those of the cache: the home, the project. */
  readonly hostPaths: readonly string[];
}

export interface MakeOptions {
  readonly parts: RecipeParts;
  readonly build: Build;
  readonly producer: Producer;
  readonly supersedes: readonly string[];
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Builds a generation and commits it. Only under the lock of its recipe.
 *
 * ### Ordering
 * 1. the builder's files, under a temporary name beside the other generations; 2. every file and folder of them synced; 3. the
 * manifest, synced; 4. one rename onto a name that is not there; 5. sync of the folder around it [ART-3]. A death before 4 leaves an
 * orphan that the next builder sweeps; after 4 the generation is whole.
 */
export async function makeGeneration(place: MakePlace, options: MakeOptions): Promise<StoredGeneration> {
  const { disk, cacheDir } = place;
  const folder = recipeDir(cacheDir, recipeOf(options.parts));
  await disk.makeDir(folder);
  await sweepTemps(disk, folder, { clock: place.clock });
  const temp = tempPathFor(join(folder, FILES_NAME));
  try {
    await disk.makeDir(join(temp, FILES_NAME));
    return await commit(place, temp, await fill(place, temp, options));
  } catch (error) {
    await tryRemoveTree(disk, temp);
    throw error;
  }
}

async function fill(place: MakePlace, temp: string, options: MakeOptions): Promise<Manifest> {
  const { disk, clock, random, cacheDir } = place;
  const { parts, producer, supersedes, onProgress, signal } = options;
  const dir = join(temp, FILES_NAME);
  const { cost, run = producer.run, used = {}, notes } = await runBuild(dir, options);
  signal?.throwIfAborted();
  const hostPaths = new HostPaths([cacheDir, ...place.hostPaths]);
  const files = await sealFolder(dir, { disk, unit: parts, hostPaths, onProgress, signal });
  const nowMs = clock.nowMs();
  const manifest = makeManifest({
    ...parts,
    inputs: parts.inputs.map((input) => ({ ...input, ...definedOf({ used: used[input.name] }) })),
    generation: newGenerationId(nowMs, random),
    supersedes,
    created: isoTime(nowMs),
    producer: { ...producer, run },
    cost,
    files,
    ...definedOf({ notes }),
  });
  refuseHostPaths(manifest, hostPaths);
  return manifest;
}

async function runBuild(dir: string, { build, parts, signal }: MakeOptions): Promise<Built> {
  try {
    return await build(dir, signal);
  } catch (error) {
    // Whoever stopped it knows why.
    if (signal?.aborted) throw signal.reason;
    throw artifactErrors.build(parts, error);
  }
}

/** Notes and parameters travel as well. */
function refuseHostPaths(manifest: Manifest, hostPaths: HostPaths): void {
  const found = hostPaths.search()(encodeManifest(manifest), true);
  if (found !== undefined)
    throw artifactErrors.content(manifest, `its parameters or notes hold ${found}, a path of this machine`);
}

/** Gives a finished folder its manifest and its name. */
export async function commit(
  { disk, cacheDir }: Pick<MakePlace, 'disk' | 'cacheDir'>,
  temp: string,
  manifest: Manifest,
): Promise<StoredGeneration> {
  {
    await using file = await disk.open(join(temp, MANIFEST_NAME), 'create');
    await file.write(encodeManifest(manifest), 0);
    await file.protect();
    await file.sync();
  }
  await disk.syncDir(temp);
  const dir = generationDir(cacheDir, manifest, manifest.generation);
  await disk.rename(temp, dir);
  await disk.syncDir(recipeDir(cacheDir, manifest));
  return { manifest, dir, filesDir: join(dir, FILES_NAME) };
}

export async function tryRemoveTree(disk: Disk, dir: string): Promise<void> {
  try {
    await disk.removeTree(dir);
  } catch {
    // Best effort: what is left has a temporary name, and is swept later. The first failure is the one that is told.
  }
}
