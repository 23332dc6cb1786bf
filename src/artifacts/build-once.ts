import { AsyncLocalStorage } from 'node:async_hooks';
import type { Disk } from '../disk/index.ts';
import { artifactErrors } from './artifact-errors.ts';
import { damageOf } from './current.ts';
import { readDamages } from './damage.ts';
import { recipeFolder, recipeName } from './layout.ts';
import { type Build, type MakePlace, makeGeneration } from './make-generation.ts';
import type { Producer } from './manifest.ts';
import { type RecipeParts, recipeOf, type UnitRecipe, unitText } from './recipe.ts';
import { forgetHolder, lockRecipe, tellHolder, type Waiting } from './recipe-lock.ts';
import type { OnProgress } from './seal-folder.ts';
import { readRecipeFolder, type StoredGeneration } from './stored-generation.ts';
import { useGeneration } from './use-generation.ts';

export interface BuildOptions {
  readonly build: Build;
  readonly producer: Producer;
  /** The user's word only: build although there is one, and replace whatever there is. */
  readonly isRebuild?: boolean | undefined;
  /** Another builds it: told at once, and then every second. */
  readonly onWait?: ((waiting: Waiting) => void) | undefined;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface BuiltOnce {
  readonly generation: StoredGeneration;
  /** `built`: by this call. `here`: it was there. `peer`: somebody else built it while this call waited. */
  readonly origin: 'built' | 'here' | 'peer';
}

/**
 * [ART-10] The verified current generation of a recipe; built when there is none, and then by one of all who ask for it, in this
 * process and in others. What is damaged is never built over by itself (E_ARTIFACT_DAMAGED).
 */
export async function buildOnce(
  place: MakePlace,
  parts: RecipeParts,
  options: BuildOptions,
): Promise<BuiltOnce> {
  const unit = recipeOf(parts);
  refuseNested(unit);
  options.signal?.throwIfAborted();
  const key = `${place.cacheDir}\0${unit.recipe}\0${options.isRebuild ?? false}`;
  const underWay = buildsOn(place.disk);
  const known = underWay.get(key);
  if (known?.stop.signal.aborted) {
    // Nobody wanted it any more, and it is ending: what comes after it is another one.
    await known.result.catch(() => undefined);
    return buildOnce(place, parts, options);
  }
  if (known) {
    const sinceMs = place.clock.monotonicMs() - known.startedMs;
    options.onWait?.({ unit: unitText(unit), pid: process.pid, sinceMs });
    const { generation, origin } = await join(known, options.signal);
    return { generation, origin: origin === 'built' ? 'peer' : origin };
  }
  const shared = begin(place, parts, options);
  underWay.set(key, shared);
  const end = () => void underWay.delete(key);
  shared.result.then(end, end);
  return join(shared, options.signal);
}

/** A build that several callers of this process wait for. It is stopped only when none of them wants it any more. */
interface SharedBuild {
  readonly result: Promise<BuiltOnce>;
  readonly startedMs: number;
  readonly stop: AbortController;
  callers: number;
}

/** For each disk, the builds of this process, by cache and recipe: no lock is asked for twice. */
const builds = new WeakMap<Disk, Map<string, SharedBuild>>();

function buildsOn(disk: Disk): Map<string, SharedBuild> {
  const known = builds.get(disk) ?? new Map<string, SharedBuild>();
  builds.set(disk, known);
  return known;
}

function begin(place: MakePlace, parts: RecipeParts, options: BuildOptions): SharedBuild {
  const stop = new AbortController();
  const result = findOrBuild(place, parts, { ...options, signal: stop.signal });
  // Its failure is told to each who waits; one that nobody waits for any more is nobody's.
  result.catch(() => undefined);
  return { result, stop, startedMs: place.clock.monotonicMs(), callers: 0 };
}

async function join(shared: SharedBuild, signal: AbortSignal | undefined): Promise<BuiltOnce> {
  shared.callers++;
  const left = Promise.withResolvers<never>();
  const leave = () => {
    shared.callers--;
    if (shared.callers > 0) return left.reject(signal?.reason);
    // The last one waits until nothing is left of it: the lock is free and the folder gone when it returns.
    shared.stop.abort(signal?.reason);
  };
  signal?.addEventListener('abort', leave, { once: true });
  if (signal?.aborted) leave();
  try {
    return await Promise.race([shared.result, left.promise]);
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}

async function findOrBuild(place: MakePlace, parts: RecipeParts, options: BuildOptions): Promise<BuiltOnce> {
  const { isRebuild = false, signal } = options;
  const unit = recipeOf(parts);
  if (!isRebuild) {
    const found = await find(place, unit, { signal });
    if (found) return { generation: found, origin: 'here' };
  }
  using _lock = await lockRecipe(place, unit, options);
  if (!isRebuild) {
    const found = await find(place, unit, { signal, hasLock: true });
    if (found) return { generation: found, origin: 'peer' };
  }
  await tellHolder(place, unit);
  try {
    const supersedes = isRebuild ? await knownGenerations(place, unit) : [];
    const make = () => makeGeneration(place, { ...options, parts, supersedes });
    return { generation: await inside.run({ unit, parts }, make), origin: 'built' };
  } finally {
    await forgetHolder(place, unit);
  }
}

async function find(
  place: MakePlace,
  unit: UnitRecipe,
  options: { readonly signal: AbortSignal | undefined; readonly hasLock?: boolean },
): Promise<StoredGeneration | undefined> {
  const use = await useGeneration(place, unit, options);
  if (use.kind === 'damaged') throw artifactErrors.damaged(use.damage);
  return use.kind === 'usable' ? use.generation : undefined;
}

/** All that a rebuild replaces: every generation of the recipe that is here or was damaged, and what those replaced. */
async function knownGenerations({ disk, cacheDir }: MakePlace, unit: UnitRecipe): Promise<readonly string[]> {
  const { whole, broken } = await readRecipeFolder(disk, cacheDir, recipeFolder(unit));
  const lineages = [
    ...broken.map(damageOf),
    ...whole.map(({ manifest }) => manifest).filter(({ recipe }) => recipe === unit.recipe),
    ...(await readDamages(disk, cacheDir)).filter(({ recipe }) => recipe === recipeName(unit.recipe)),
  ];
  return [
    ...new Set(lineages.flatMap(({ generation, supersedes }) => [generation, ...(supersedes ?? [])])),
  ].sort();
}

/** Inside of which build the code runs that asks. */
const inside = new AsyncLocalStorage<{ readonly unit: UnitRecipe; readonly parts: RecipeParts }>();

/**
 * A build may ask only for what it names among its inputs. Their recipes are part of its own, so builds that wait for each other
 * in a circle cannot be written down, neither in one process nor in several; and no lock is asked for by its holder.
 */
function refuseNested(unit: UnitRecipe): void {
  const outer = inside.getStore();
  const isInput = outer?.parts.inputs.some(
    ({ kind, digest }) => kind === 'artifact' && digest === unit.recipe,
  );
  if (outer && !isInput) throw artifactErrors.nested(unit, outer.unit);
}
