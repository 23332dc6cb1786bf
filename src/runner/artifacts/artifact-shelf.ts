import { join } from 'node:path';
import {
  ArtifactCache,
  artifactErrors,
  type Built,
  type Pin,
  type StoredGeneration,
  type UnitRecipe,
  type Use,
  type Waiting,
} from '../../artifacts/index.ts';
import { ActionableError, counted, definedOf, formatUsd, shortId, UsageError } from '../../base/index.ts';
import type { Bucket } from '../../bucket/index.ts';
import { artifactName } from '../../evals/index.ts';
import type { RunSettings, RunTask } from '../settings.ts';
import { type ArtifactPlan, ArtifactPlans } from './artifact-plans.ts';
import { ArtifactSupply, type Fetched } from './artifact-supply.ts';
import { BuildStopped, buildByRun, type RunTaskOf } from './build-by-run.ts';
import { mendedBy } from './mended-by.ts';
import type { PaidBuilds } from './paid-builds.ts';
import type { ArtifactOrigin, ArtifactState, NeededArtifact } from './run-artifacts.ts';
import { whileWaiting } from './while-waiting.ts';

export interface ShelfOptions {
  readonly task: RunTask;
  readonly settings: RunSettings;
  /** What the run that is gone on with had pinned, by recipe. */
  readonly pins: ReadonlyMap<string, Pin>;
  /** Which units are built although they are there: the user's word. */
  readonly isRebuilt?: (plan: ArtifactPlan) => boolean;
  /** Undefined: nothing is built here, and what has to be stays `unbuilt`. */
  readonly builder: Builder | undefined;
  /** Asked after the store for what it lacks. */
  readonly lenders?: readonly Bucket[];
  readonly onNote: (text: string) => void;
}

/** How artifacts are built by this process. */
export interface Builder {
  readonly runTask: RunTaskOf;
  /** Told what builds cost. */
  readonly paid: Pick<PaidBuilds, 'add'>;
  /** Others build the rest. Undefined: all. */
  readonly only?: (plan: ArtifactPlan) => boolean;
}

/** Finds and builds artifacts, each once, however many samples and other artifacts need it. */
export class ArtifactShelf {
  readonly #options: ShelfOptions;
  readonly #cache: ArtifactCache;
  readonly supply: ArtifactSupply;
  readonly #found = new Map<string, Promise<Looked>>();
  /** What each round of each build cost; null where nobody knows. */
  readonly #spent: (number | null)[] = [];
  spentTokens = 0;
  readonly #states = new Map<
    string,
    { readonly plan: ArtifactPlan; readonly state: Promise<ArtifactState> }
  >();

  constructor(options: ShelfOptions) {
    const { disk, clock, random, artifacts } = options.settings;
    const { dir, hostPaths } = artifacts;
    this.#options = options;
    this.#cache = ArtifactCache.open({ disk, dir, clock, random, hostPaths });
    const { task, settings, lenders, onNote } = options;
    this.supply = new ArtifactSupply({
      ...{ disk, cache: this.#cache, store: artifacts.store, lenders, baseDir: task.baseDir, onNote },
      signal: settings.signals.abort,
    });
  }

  /** Whether it is there, before anything is touched that it is made of. */
  look(plan: ArtifactPlan, seeds: readonly string[] = []): Promise<Looked> {
    const known = this.#found.get(plan.unit.recipe) ?? this.#look(plan, seeds);
    this.#found.set(plan.unit.recipe, known);
    return known;
  }

  ready(plan: ArtifactPlan): Promise<ArtifactState> {
    const known = this.#states.get(plan.unit.recipe) ?? { plan, state: this.#ready(plan) };
    this.#states.set(plan.unit.recipe, known);
    return known.state;
  }

  /** What this command paid for builds, also for those that came to nothing. */
  get spentUsd(): number | null {
    return this.#spent.includes(null) ? null : this.#spent.reduce<number>((sum, usd) => sum + (usd ?? 0), 0);
  }

  all(): Promise<readonly NeededArtifact[]> {
    return Promise.all(
      [...this.#states.values()].map(async ({ plan, state }) => ({ plan, state: await state })),
    );
  }

  async #look(plan: ArtifactPlan, seeds: readonly string[]): Promise<Looked> {
    const pin = this.#options.pins.get(plan.unit.recipe);
    const found = await this.#use(pin ?? plan.unit);
    if (found.use?.kind === 'usable')
      return !pin && (await this.supply.renew(plan)) ? await this.#use(plan.unit, 'fetched') : found;
    const fetched = await this.#fetch(plan, seeds);
    if (fetched instanceof ActionableError) return { error: fetched };
    const mended = mendedBy(found.use, fetched && `was taken from ${fetched.from}`);
    const pinned = pin && fetched && (await this.#use(pin, fetched.origin));
    if (pinned?.use?.kind === 'usable') return { ...pinned, ...definedOf({ mended }) };
    if (pin)
      this.#options.onNote(
        `The run was begun with generation ${pin.generation} of ${artifactName(plan.unit)}, which is not here any more, or not whole: its results are made anew, from the answers that they have.`,
      );
    return { ...(await this.#use(plan.unit, fetched?.origin)), ...definedOf({ mended }) };
  }

  async #use(asked: UnitRecipe | Pin, origin: ArtifactOrigin = 'here'): Promise<Looked> {
    return { use: await this.#cache.use(asked), origin };
  }

  /** Whoever cannot be asked may have it: it is not built as if nobody had. */
  async #fetch(plan: ArtifactPlan, seeds: readonly string[]): Promise<Fetched | ActionableError | undefined> {
    try {
      return await this.supply.fetch(plan, seeds);
    } catch (error) {
      if (!(error instanceof ActionableError) || error instanceof UsageError) throw error;
      return error;
    }
  }

  async #ready(plan: ArtifactPlan): Promise<ArtifactState> {
    const isRebuilt = this.#options.isRebuilt?.(plan) ?? false;
    try {
      const looked = await this.look(plan);
      if (looked.error && !isRebuilt) return unavailable(looked.error);
      if (looked.use?.kind === 'usable' && !isRebuilt)
        return { ...ready(looked.use.generation, looked.origin), ...definedOf({ mended: looked.mended }) };
      if (this.#isStopping()) return unavailable(new BuildStopped(artifactName(plan.unit), 'interrupted'));
      const { builder } = this.#options;
      if (!builder || builder.only?.(plan) === false) return await this.#unbuilt(plan, looked);
      // What is damaged is refused in there, unless the user asked for a new one.
      return await this.#build(plan, builder, isRebuilt);
    } catch (error) {
      const { abort } = this.#options.settings.signals;
      if (abort.aborted && error === abort.reason)
        return unavailable(new BuildStopped(artifactName(plan.unit), 'interrupted'));
      if (!(error instanceof ActionableError) || error instanceof UsageError) throw error;
      // A mistake in the eval itself is the same for every sample: the run says it and does not begin.
      if (error.cause instanceof UsageError) throw error.cause;
      return unavailable(error);
    }
  }

  /** What it is made of is looked for as well: what cannot be had of that hinders whoever builds it. */
  async #unbuilt(plan: ArtifactPlan, { use }: Looked): Promise<ArtifactState> {
    if (use?.kind === 'damaged') return unavailable(artifactErrors.damaged(use.damage));
    for (const input of plan.inputs.values()) {
      const state = input.kind === 'artifact' ? await this.ready(input.plan) : undefined;
      if (state?.kind === 'unavailable') return state;
    }
    return { kind: 'unbuilt' };
  }

  async #build(plan: ArtifactPlan, builder: Builder, isRebuild: boolean): Promise<ArtifactState> {
    const { settings, task, onNote } = this.#options;
    const inputs = new Map<string, StoredGeneration>();
    for (const [name, input] of plan.inputs) {
      if (input.kind !== 'artifact') continue;
      const state = await this.ready(input.plan);
      if (state.kind !== 'ready') return state;
      inputs.set(name, state.generation);
    }
    const unit = artifactName(plan.unit);
    const startedMs = settings.clock.monotonicMs();
    using waiting = whileWaiting(settings.signals, () => new BuildStopped(unit, 'interrupted'));
    const { generation, origin } = await this.#cache.buildOnce(plan.parts, {
      isRebuild,
      producer: { version: settings.version, run: 'build', writer: shortId(settings.random) },
      signal: waiting.signal,
      onWait: sayingOnce(onNote),
      build: async (dir) => {
        waiting.begin();
        onNote(`Building ${unit} …`);
        task.observer?.onBuildStart?.();
        try {
          return await this.#fill(plan, dir, { inputs, builder, isRebuild });
        } finally {
          task.observer?.onBuildEnd?.();
        }
      },
    });
    if (origin === 'built') onNote(builtNote(unit, generation, settings.clock.monotonicMs() - startedMs));
    return ready(generation, origin);
  }

  async #fill(
    plan: ArtifactPlan,
    dir: string,
    about: {
      readonly inputs: ReadonlyMap<string, StoredGeneration>;
      readonly builder: Builder;
      readonly isRebuild: boolean;
    },
  ): Promise<Built> {
    const { settings, task } = this.#options;
    const { inputs, isRebuild } = about;
    const { runTask, paid } = about.builder;
    const built = await buildByRun(plan, dir, {
      ...{ task, settings, runTask, isRebuild },
      buildsDir: join(this.#cache.dir, 'builds'),
      onSpent: async ({ run, usd, tokens, paidUsd }) => {
        this.#spent.push(usd);
        this.spentTokens += tokens;
        await paid.add(run, paidUsd);
      },
      folderOf: (name) => inputs.get(name)?.filesDir ?? '',
    });
    await this.#refuseChanged(plan);
    return { ...built, used: usedOf(inputs) };
  }

  /** What it was made of must still be what its recipe says: nobody knows which of the two the build has read. */
  async #refuseChanged(plan: ArtifactPlan): Promise<void> {
    const { settings, task } = this.#options;
    const plans = new ArtifactPlans({ disk: settings.disk, baseDir: task.baseDir });
    if ((await plans.of(plan.artifact)).unit.recipe === plan.unit.recipe) return;
    throw new InputChanged(artifactName(plan.unit));
  }

  #isStopping(): boolean {
    const { drain, abort } = this.#options.settings.signals;
    return drain.aborted || abort.aborted;
  }
}

class InputChanged extends ActionableError {
  constructor(unit: string) {
    super({
      code: 'E_ARTIFACT_INPUT_CHANGED',
      message: `An input of ${unit} changed while it was built.`,
      hint: 'Run the same command again: it is built from what the inputs say then, and its answers are kept.',
    });
  }
}

/** It is told every second who is waited for, and people are told once. */
function sayingOnce(onNote: (text: string) => void): (waiting: Waiting) => void {
  let isSaid = false;
  return ({ unit, pid }) => {
    if (isSaid) return;
    isSaid = true;
    onNote(`Waiting for ${unit}, which ${pid === undefined ? 'another process' : `process ${pid}`} builds.`);
  };
}

/** What was found, and how it came; or why that cannot be told. */
interface Looked {
  readonly use?: Use;
  readonly origin?: ArtifactOrigin;
  readonly mended?: string;
  readonly error?: ActionableError;
}

function ready(generation: StoredGeneration, origin: ArtifactOrigin = 'here'): ArtifactState {
  return { kind: 'ready', generation, origin };
}

function unavailable(error: ActionableError): ArtifactState {
  // A build that was told to stop did not fail, and what we refuse ourselves says so itself.
  const { cause } = error;
  const reason = cause instanceof BuildStopped || cause instanceof InputChanged ? cause : error;
  return { kind: 'unavailable', error: reason, isStopped: reason instanceof BuildStopped };
}

function usedOf(inputs: ReadonlyMap<string, StoredGeneration>) {
  return Object.fromEntries(
    [...inputs].map(([name, { manifest }]) => [
      name,
      { generation: manifest.generation, digest: manifest.digest },
    ]),
  );
}

function builtNote(unit: string, { manifest }: StoredGeneration, ms: number): string {
  const { usd, tokens } = manifest.cost;
  const price = usd === null ? `${tokens} tokens of unknown price` : formatUsd(usd);
  return `Built ${unit} in ${(ms / 1_000).toFixed(1)} s for ${price}: ${counted(manifest.files.length, 'file')}.`;
}
