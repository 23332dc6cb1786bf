import { join } from 'node:path';
import {
  ArtifactCache,
  type Built,
  type Pin,
  type StoredGeneration,
  type UnitRecipe,
  type Use,
  type Waiting,
} from '../../artifacts/index.ts';
import {
  ActionableError,
  counted,
  definedOf,
  formatUsd,
  inOrder,
  shortId,
  UsageError,
} from '../../base/index.ts';
import { artifactName, type PlannedNeed } from '../../evals/index.ts';
import type { RunSettings, RunTask } from '../settings.ts';
import { type ArtifactPlan, ArtifactPlans } from './artifact-plans.ts';
import { ArtifactSupply, type Fetched } from './artifact-supply.ts';
import { BuildStopped, buildByRun, type RunTaskOf } from './build-by-run.ts';
import { mendedBy } from './mended-by.ts';
import { mustBeThere } from './must-be-there.ts';
import type { PaidBuilds } from './paid-builds.ts';
import type { ArtifactOrigin, ArtifactState, NeededArtifact } from './run-artifacts.ts';
import { whileWaiting } from './while-waiting.ts';

export interface ReadyOptions {
  readonly task: RunTask;
  readonly settings: RunSettings;
  /** What the run that is gone on with had pinned, by recipe. */
  readonly pins: ReadonlyMap<string, Pin>;
  readonly paid: PaidBuilds;
  readonly runTask: RunTaskOf;
  /** Which units are built although they are there: the user's word. */
  readonly isRebuilt?: (plan: ArtifactPlan) => boolean;
  readonly onNote: (text: string) => void;
}

/** How many artifacts are built at a time; what they ask of a model waits at its gate as well. */
const BUILDS_MAX = 4;
/** How many are looked for at a time, here and in the store. */
const LOOKS_MAX = 8;

/**
 * Makes ready what samples need: found and verified, or built. All that must be there and is not is refused before anything is
 * built; what cannot be had for another reason is told by the samples that need it, and the others run.
 */
export async function makeReady(
  needs: readonly PlannedNeed[],
  options: ReadyOptions,
): Promise<ReadyArtifacts> {
  const plans = new ArtifactPlans({ disk: options.settings.disk, baseDir: options.task.baseDir });
  const wanted: WantedArtifact[] = [];
  for (const need of needs) wanted.push({ ...need, plan: await plans.of(need.artifact) });
  const shelf = new ArtifactShelf(options);
  // Several samples may name the same artifact, and not all of them its seeds.
  const seeds = Map.groupBy(wanted, ({ plan }) => plan.unit.recipe);
  const work = ({ plan }: WantedArtifact) =>
    shelf.look(
      plan,
      seeds.get(plan.unit.recipe)?.flatMap((one) => one.seeds),
    );
  for await (const _ of inOrder(wanted, { atATime: LOOKS_MAX, work }));
  const missing: ArtifactPlan[] = [];
  for (const { plan, mayBuild } of wanted)
    if (!mayBuild && (await shelf.look(plan)).use?.kind === 'absent') missing.push(plan);
  if (missing.length > 0) throw mustBeThere(missing);
  await readyAll(wanted, shelf);
  await rebuildInputs(wanted, { shelf, ...options });
  const needed = await Promise.all(
    wanted.map(async ({ plan }) => ({ plan, state: await shelf.ready(plan) })),
  );
  const all = await shelf.all();
  shelf.supply.share(
    all.flatMap(({ plan, state }) =>
      state.kind === 'ready' ? [{ plan, generation: state.generation }] : [],
    ),
  );
  const { supply, spentUsd, spentTokens } = shelf;
  return { needed, all, supply, paid: options.paid, spentUsd, spentTokens };
}

/** Those under way end first, whatever one of them meets, and no other is begun then: what they pay for is theirs to keep and to count. */
async function readyAll(wanted: readonly WantedArtifact[], shelf: ArtifactShelf): Promise<void> {
  const queue = [...wanted];
  const work = async () => {
    try {
      for (let next = queue.shift(); next; next = queue.shift()) await shelf.ready(next.plan);
    } catch (error) {
      queue.length = 0;
      throw error;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: BUILDS_MAX }, work));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

/**
 * What the user has named and others are only made of: they are built anew although nobody asks for them. What is made of them has the
 * recipe that it had [ART-2], so it stays until it is named as well, and that is said.
 */
async function rebuildInputs(
  wanted: readonly WantedArtifact[],
  {
    shelf,
    isRebuilt,
    onNote,
  }: Pick<ReadyOptions, 'isRebuilt' | 'onNote'> & { readonly shelf: ArtifactShelf },
): Promise<void> {
  for (const { plan } of wanted) {
    const before = await shelf.ready(plan);
    for (const input of inputsOf(plan)) {
      if (!isRebuilt?.(input)) continue;
      const state = await shelf.ready(input);
      if (state.kind === 'ready' && before.kind === 'ready' && before.origin !== 'built')
        onNote(
          `${artifactName(plan.unit)} was made of an earlier generation of ${artifactName(input.unit)}, and stays: name it as well to have it built anew.`,
        );
    }
  }
}

/** All that it is made of, directly and by way of others. */
function inputsOf(plan: ArtifactPlan): readonly ArtifactPlan[] {
  const direct = [...plan.inputs.values()].flatMap((input) =>
    input.kind === 'artifact' ? [input.plan] : [],
  );
  return direct.flatMap((input) => [input, ...inputsOf(input)]);
}

export interface ReadyArtifacts {
  /** In the order of the needs. */
  readonly needed: readonly NeededArtifact[];
  /** Each once, with those that others are made of, as far as they were looked at. */
  readonly all: readonly NeededArtifact[];
  readonly supply: ArtifactSupply;
  readonly paid: PaidBuilds;
  readonly spentUsd: number | null;
  readonly spentTokens: number;
}

interface WantedArtifact extends PlannedNeed {
  readonly plan: ArtifactPlan;
}

/** Finds and builds artifacts, each once, however many samples and other artifacts need it. */
class ArtifactShelf {
  readonly #options: ReadyOptions;
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

  constructor(options: ReadyOptions) {
    const { disk, clock, random, artifacts } = options.settings;
    const { dir, hostPaths } = artifacts;
    this.#options = options;
    this.#cache = ArtifactCache.open({ disk, dir, clock, random, hostPaths });
    const { task, settings, onNote } = options;
    this.supply = new ArtifactSupply({
      ...{ disk, cache: this.#cache, store: artifacts.store, baseDir: task.baseDir, onNote },
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
      // What is damaged is refused in there, unless the user asked for a new one.
      return await this.#build(plan, isRebuilt);
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

  async #build(plan: ArtifactPlan, isRebuild: boolean): Promise<ArtifactState> {
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
          return await this.#fill(plan, dir, { inputs, isRebuild });
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
    about: { readonly inputs: ReadonlyMap<string, StoredGeneration>; readonly isRebuild: boolean },
  ): Promise<Built> {
    const { settings, task, runTask, paid } = this.#options;
    const { inputs, isRebuild } = about;
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
