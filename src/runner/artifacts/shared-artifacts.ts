import { ArtifactCache, artifactErrors, type Pin, pinOf, pinsIn, type Use } from '../../artifacts/index.ts';
import { ActionableError, assert, messageOf, UsageError } from '../../base/index.ts';
import { bucketErrors } from '../../bucket/index.ts';
import type { Dataset } from '../../datasets/index.ts';
import { artifactName } from '../../evals/index.ts';
import type { RunRecord } from '../../journal/index.ts';
import type { OnFolder } from '../../targets/index.ts';
import type { SegmentPlace } from '../places.ts';
import type { RunSettings, RunTask } from '../settings.ts';
import { type ArtifactPlan, ArtifactPlans } from './artifact-plans.ts';
import { ArtifactShelf } from './artifact-shelf.ts';
import { ArtifactSupply } from './artifact-supply.ts';
import { placeOfBuild, type RunTaskOf } from './build-by-run.ts';
import { fenceBuilds } from './fence-builds.ts';
import { needsOfRows, type RowNeeds } from './row-needs.ts';
import { type ArtifactState, type NeededArtifact, RunArtifacts } from './run-artifacts.ts';

export interface SharedArtifactsOptions {
  readonly task: RunTask;
  readonly settings: RunSettings;
  readonly dataset: Dataset;
  readonly run: RunRecord;
  /** Where the segments of the run are; undefined when all its writers are on this machine, which then builds nothing here. */
  readonly place: SegmentPlace | undefined;
  readonly runTask: RunTaskOf;
}

/** What a build cost, in US dollars, as far as prices are known: this worker, and those whose run it went on with. */
interface BuildCost {
  readonly usd: number;
  readonly earlierUsd: number;
}

/** How a build ended. */
export type SharedBuild = BuildCost &
  (
    | { /** The store has it. */ readonly status: 'completed'; readonly pin: Pin }
    | { readonly status: 'errored' | 'interrupted'; readonly reason: string }
  );

interface BuildToShare {
  readonly signal: AbortSignal;
  readonly wasBegun: boolean;
  readonly onFolder?: OnFolder | undefined;
  /** Told what each run of the build has cost, over all attempts at it. */
  readonly paid: Map<string, number>;
}

/** One artifact as a worker knows it: more becomes known while the run goes on. */
interface KnownArtifact extends NeededArtifact {
  state: ArtifactState;
  pin: Pin | undefined;
}

/**
 * The artifacts of a run that others work on as well. What the run had when it was submitted is pinned by its record; all else is built
 * by its workers, each by one, and is pinned for all of them when that one says what it built. So two workers plan the same at every time,
 * whatever their caches and the store have.
 */
export class SharedArtifacts {
  readonly artifacts: RunArtifacts;
  readonly #options: SharedArtifactsOptions;
  readonly #needs: RowNeeds;
  readonly #cache: ArtifactCache;
  readonly #supply: ArtifactSupply;
  /** By recipe, with those that others are made of. */
  readonly #known: ReadonlyMap<string, KnownArtifact>;
  readonly #needed: readonly KnownArtifact[];
  readonly #taking = new Map<string, Promise<void>>();
  /** What builds cost that have not ended because the store is away, by recipe. */
  readonly #costs = new Map<string, BuildCost>();

  private constructor(options: SharedArtifactsOptions, needs: RowNeeds, plans: readonly ArtifactPlan[]) {
    const { task, settings, run } = options;
    const { disk, clock, random, artifacts, signals } = settings;
    this.#options = options;
    this.#needs = needs;
    this.#known = knownOf(plans, new Map(pinsIn(run.start.eval.metadata).map((pin) => [pin.recipe, pin])));
    this.#needed = plans.map(({ unit }) => this.#of(unit.recipe));
    this.#cache = ArtifactCache.open({ disk, clock, random, dir: artifacts.dir });
    this.#supply = new ArtifactSupply({
      ...{ disk, cache: this.#cache, store: artifacts.store, baseDir: task.baseDir },
      ...{ signal: signals.abort, onNote: (text) => task.observer?.onNote?.(text) },
    });
    this.artifacts = new RunArtifacts(
      { needed: this.#needed, all: [...this.#known.values()], spentUsd: 0, spentTokens: 0 },
      needs,
    );
  }

  /** Undefined when the eval requires none. */
  static async open(options: SharedArtifactsOptions): Promise<SharedArtifacts | undefined> {
    const { task, settings, dataset } = options;
    const { requires } = task.eval;
    if (!requires) return undefined;
    const needs = await needsOfRows(requires, dataset);
    const maker = new ArtifactPlans({ disk: settings.disk, baseDir: task.baseDir });
    const plans: ArtifactPlan[] = [];
    for (const { artifact } of needs.all) plans.push(await maker.of(artifact));
    return new SharedArtifacts(options, needs, plans);
  }

  /** From now on samples are planned with this generation, which is made ready here. */
  async pin(pin: Pin): Promise<void> {
    const known = this.#of(pin.recipe);
    if (known.pin?.digest !== pin.digest) {
      known.pin = pin;
      known.state = { kind: 'elsewhere', manifest: pin };
    }
    await this.#take(known);
  }

  /** Samples that need it fail, and say which build failed, and why: its own, or that of something that it is made of. */
  refuse(recipe: string, failed: { readonly recipe: string; readonly reason: string }): void {
    const { unit } = this.#of(failed.recipe).plan;
    const error = artifactErrors.build(unit, new Error(failed.reason));
    this.#of(recipe).state = { kind: 'unavailable', error, isStopped: false };
  }

  /** What could not be had is looked for anew. */
  tryAgain(): void {
    for (const known of this.#known.values())
      if (known.state.kind === 'unavailable') known.state = stateOf(known.pin);
  }

  /** Makes ready what the samples of a row read: it is here, or comes from the store. Throws while the store is away. */
  async readyFor(row: number): Promise<void> {
    for (const number of this.#needs.of(row)) {
      const known = this.#needed[number];
      if (known) await this.#take(known);
    }
  }

  /** Builds one unit, unless somebody has it by now, and brings it into the store. Throws while the store is away. */
  async build(
    recipe: string,
    about: Pick<BuildToShare, 'signal' | 'wasBegun' | 'onFolder'>,
  ): Promise<SharedBuild> {
    const known = this.#of(recipe);
    const paid = new Map<string, number>();
    const shelf = await this.#shelfFor(known.plan, { ...about, paid });
    const state = await tryReady(shelf, known.plan);
    const cost = this.#costOf(recipe, { paid, spentUsd: shelf.spentUsd ?? 0 });
    this.#costs.set(recipe, cost);
    if (state.kind === 'unavailable' && state.error instanceof UsageError) throw state.error;
    if (state.kind === 'ready')
      await this.#send({ plan: known.plan, generation: state.generation }, shelf.supply);
    const ended = state.kind === 'ready' ? this.#built(known, state) : refusalOf(state, known.plan);
    this.#costs.delete(recipe);
    return { ...ended, ...cost };
  }

  #built(known: KnownArtifact, state: Extract<ArtifactState, { kind: 'ready' }>) {
    const pin = pinOf(state.generation);
    known.pin = pin;
    known.state = state;
    return { status: 'completed', pin } as const;
  }

  /** With what it cost when it was tried before, and the store was away. */
  #costOf(
    recipe: string,
    { paid, spentUsd }: { readonly paid: ReadonlyMap<string, number>; readonly spentUsd: number },
  ): BuildCost {
    const { usd, earlierUsd } = this.#costs.get(recipe) ?? { usd: 0, earlierUsd: 0 };
    const all = [...paid.values()].reduce((sum, one) => sum + one, 0);
    return { usd: usd + spentUsd, earlierUsd: earlierUsd + Math.max(0, all - spentUsd) };
  }

  /**
   * The journal of the build goes to the folder of this run: so whoever builds the unit for another run is not in its way, and whoever
   * comes after this worker finds what it bought.
   */
  async #shelfFor(
    { unit }: ArtifactPlan,
    { signal, wasBegun, onFolder, paid }: BuildToShare,
  ): Promise<ArtifactShelf> {
    const { task, settings, run, place, runTask } = this.#options;
    assert(place, 'a build is a job only where there is a bucket');
    const segments = { bucket: place.bucket, prefix: `${place.prefix}${run.runId}/` };
    const fenced = wasBegun ? await fenceBuilds(placeOfBuild(segments, unit)) : undefined;
    const others = [...this.#known].filter(([recipe]) => recipe !== unit.recipe);
    return new ArtifactShelf({
      task,
      settings: {
        ...settings,
        ...{ fenced, onFolder },
        signals: { drain: signal, abort: signal },
        places: { ...settings.places, segments },
      },
      pins: new Map(others.flatMap(([recipe, { pin }]) => (pin ? [[recipe, pin] as const] : []))),
      builder: {
        runTask,
        paid: {
          add: async (ran, usd) => {
            task.models.budget.attribute(ran, usd);
            paid.set(ran, usd);
          },
        },
        only: (plan) => plan.unit.recipe === unit.recipe,
      },
      onNote: (text) => task.observer?.onNote?.(text),
    });
  }

  /** [SHR-4] Nobody says that it is built before the store has it. */
  async #send(ready: Parameters<ArtifactSupply['share']>[0][number], supply: ArtifactSupply): Promise<void> {
    const { store } = this.#options.settings.artifacts;
    assert(store, 'a build is a job only where there is a store');
    supply.share([ready]);
    const unsent = await supply.settled();
    if (unsent.length > 0) throw bucketErrors.away(store.url, new Error(unsent.join(' ')));
  }

  #of(recipe: string): KnownArtifact {
    const known = this.#known.get(recipe);
    assert(known, `the eval needs no artifact of the recipe ${recipe}`);
    return known;
  }

  async #take(known: KnownArtifact): Promise<void> {
    const { state, pin } = known;
    if (state.kind !== 'elsewhere' || !pin) return;
    const taking =
      this.#taking.get(pin.digest) ??
      this.#takeNow(known, pin).finally(() => this.#taking.delete(pin.digest));
    this.#taking.set(pin.digest, taking);
    await taking;
  }

  async #takeNow(known: KnownArtifact, pin: Pin): Promise<void> {
    const here = await this.#cache.use(pin);
    if (here.kind === 'usable') {
      known.state = { kind: 'ready', generation: here.generation, origin: 'here' };
      return;
    }
    await this.#supply.fetch(known.plan, []);
    known.state = fetchedState(await this.#cache.use(pin), pin);
  }
}

function knownOf(
  plans: readonly ArtifactPlan[],
  pins: ReadonlyMap<string, Pin>,
): ReadonlyMap<string, KnownArtifact> {
  const known = new Map<string, KnownArtifact>();
  const add = (plan: ArtifactPlan) => {
    const { recipe } = plan.unit;
    if (known.has(recipe)) return;
    const pin = pins.get(recipe);
    known.set(recipe, { plan, pin, state: stateOf(pin) });
    for (const input of plan.inputs.values()) if (input.kind === 'artifact') add(input.plan);
  };
  for (const plan of plans) add(plan);
  return known;
}

function stateOf(pin: Pin | undefined): ArtifactState {
  return pin ? { kind: 'elsewhere', manifest: pin } : { kind: 'unbuilt' };
}

function fetchedState(use: Use, pin: Pin): ArtifactState {
  if (use.kind === 'usable') return { kind: 'ready', generation: use.generation, origin: 'fetched' };
  const error = use.kind === 'damaged' ? artifactErrors.damaged(use.damage) : gone(pin);
  return { kind: 'unavailable', error, isStopped: false };
}

/** A mistake in the eval itself is told when it is known what was paid until it was met. */
async function tryReady(shelf: ArtifactShelf, plan: ArtifactPlan): Promise<ArtifactState> {
  try {
    return await shelf.ready(plan);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { kind: 'unavailable', error, isStopped: false };
  }
}

function refusalOf(
  state: Exclude<ArtifactState, { kind: 'ready' }>,
  { unit }: ArtifactPlan,
): { readonly status: 'errored' | 'interrupted'; readonly reason: string } {
  if (state.kind !== 'unavailable')
    return {
      status: 'errored',
      reason: `what ${artifactName(unit)} is made of is neither here nor in the store any more`,
    };
  const { error, isStopped } = state;
  if (isAway(error)) throw error;
  if (isAway(error.cause)) throw error.cause;
  // Whoever tells it says that the build failed.
  const reason = error.code === 'E_ARTIFACT_BUILD' && error.cause ? messageOf(error.cause) : error.message;
  return { status: isStopped ? 'interrupted' : 'errored', reason };
}

/** A bucket is away, for the journal of the build or for what the store may have, and may be back soon. */
function isAway(error: unknown): boolean {
  return error instanceof ActionableError && error.retryable && AWAY.has(error.code);
}

const AWAY: ReadonlySet<string> = new Set(['E_BUCKET_AWAY', 'E_ARTIFACT_STORE_AWAY']);

function gone({ generation, ...unit }: Pin): ActionableError {
  return new ActionableError({
    code: 'E_ARTIFACT_GONE',
    message: `The run uses generation ${generation} of ${artifactName(unit)}, which neither this worker nor its store has.`,
    hint: 'Push it from a machine that has it (holdfast artifacts push), and resume the run.',
  });
}
