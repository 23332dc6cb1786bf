import {
  ArtifactCache,
  artifactErrors,
  type Peeked,
  type Pin,
  standingOf,
  type Use,
} from '../../artifacts/index.ts';
import { ActionableError, definedOf, UsageError } from '../../base/index.ts';
import type { Dataset } from '../../datasets/index.ts';
import type { PlannedNeed } from '../../evals/index.ts';
import type { RunSettings, RunTask } from '../settings.ts';
import { type ArtifactPlan, ArtifactPlans } from './artifact-plans.ts';
import { ArtifactSupply } from './artifact-supply.ts';
import type { Unfinished } from './earlier-pins.ts';
import { mendedBy } from './mended-by.ts';
import { mustBeThere } from './must-be-there.ts';
import { needsOfRows } from './row-needs.ts';
import { type ArtifactState, type NeededArtifact, RunArtifacts } from './run-artifacts.ts';

export interface LookOptions {
  readonly task: RunTask;
  readonly settings: RunSettings;
  readonly dataset: Dataset;
  readonly unfinished: () => Promise<Unfinished>;
  readonly onNote: (text: string) => void;
}

/**
 * What a run would use, take from elsewhere and build; nothing of that is done, and nothing is set aside. What a run would refuse before it
 * spends anything is refused here as well.
 */
export async function lookForArtifacts(options: LookOptions): Promise<RunArtifacts | undefined> {
  const { task, settings, dataset } = options;
  const { requires } = task.eval;
  if (!requires) return undefined;
  const plans = new ArtifactPlans({ disk: settings.disk, baseDir: task.baseDir });
  const needs = await needsOfRows(requires, dataset);
  const wanted: (PlannedNeed & { readonly plan: ArtifactPlan })[] = [];
  for (const need of needs.all) wanted.push({ ...need, plan: await plans.of(need.artifact) });
  const look = new Look(options, (await options.unfinished()).pins);
  // Several samples may name the same artifact, and not all of them its seeds.
  const seeds = Map.groupBy(wanted, ({ plan }) => plan.unit.recipe);
  const needed: NeededArtifact[] = [];
  for (const { plan } of wanted) {
    const all = seeds.get(plan.unit.recipe)?.flatMap((one) => one.seeds);
    needed.push({ plan, state: await look.state(plan, all) });
  }
  const missing = wanted.filter(({ mayBuild }, at) => !mayBuild && needed[at]?.state.kind === 'unbuilt');
  if (missing.length > 0) throw mustBeThere(missing.map(({ plan }) => plan));
  return new RunArtifacts({ needed, all: await look.all(), spentUsd: 0, spentTokens: 0 }, needs);
}

class Look {
  readonly #pins: ReadonlyMap<string, Pin>;
  readonly #cache: ArtifactCache;
  readonly #supply: ArtifactSupply;
  readonly #states = new Map<
    string,
    { readonly plan: ArtifactPlan; readonly state: Promise<ArtifactState> }
  >();

  constructor({ task, settings, onNote }: LookOptions, pins: ReadonlyMap<string, Pin>) {
    const { disk, clock, random, artifacts, signals } = settings;
    this.#pins = pins;
    this.#cache = ArtifactCache.open({ disk, clock, random, dir: artifacts.dir });
    this.#supply = new ArtifactSupply({
      ...{ disk, cache: this.#cache, store: artifacts.store, baseDir: task.baseDir },
      ...{ signal: signals.abort, onNote },
    });
  }

  state(plan: ArtifactPlan, seeds: readonly string[] = []): Promise<ArtifactState> {
    const known = this.#states.get(plan.unit.recipe) ?? { plan, state: this.#look(plan, seeds) };
    this.#states.set(plan.unit.recipe, known);
    return known.state;
  }

  all(): Promise<readonly NeededArtifact[]> {
    return Promise.all(
      [...this.#states.values()].map(async ({ plan, state }) => ({ plan, state: await state })),
    );
  }

  async #look(plan: ArtifactPlan, seeds: readonly string[]): Promise<ArtifactState> {
    try {
      const found = await this.#find(plan, seeds);
      return found ?? (await this.#unbuilt(plan));
    } catch (error) {
      if (!(error instanceof ActionableError) || error instanceof UsageError) throw error;
      return { kind: 'unavailable', error, isStopped: false };
    }
  }

  /** As a run finds it; undefined when it has to be built. */
  async #find(plan: ArtifactPlan, seeds: readonly string[]): Promise<ArtifactState | undefined> {
    const { unit } = plan;
    const pin = this.#pins.get(unit.recipe);
    const pinned = pin && (await this.#cache.use(pin, { isLooking: true }));
    if (pinned?.kind === 'usable') return ready(pinned);
    const use = await this.#cache.use(unit, { isLooking: true });
    if (use.kind === 'usable' && !pin) {
      const newer = await this.#supply.newer(plan);
      return newer ? { kind: 'elsewhere', manifest: newer } : ready(use);
    }
    const there = await this.#supply.peek(plan, seeds);
    const mended = mendedBy(pinned ?? use, there.from && `would be taken from ${there.from}`);
    const own = there.manifests.find(({ digest }) => digest === pin?.digest);
    const state: ArtifactState | undefined = own
      ? { kind: 'elsewhere', manifest: own }
      : await this.#current(plan, use, there);
    return state?.kind === 'elsewhere' ? { ...state, ...definedOf({ mended }) } : state;
  }

  /** [ART-7] Of all that are here and there, with what is damaged here and whole nowhere. */
  async #current(
    { unit }: ArtifactPlan,
    use: Use,
    { manifests: there, damages }: Pick<Peeked, 'manifests' | 'damages'>,
  ): Promise<ArtifactState | undefined> {
    const damage = use.kind === 'damaged' ? use.damage : undefined;
    const here = (await this.#cache.generations(unit))
      .map(({ manifest }) => manifest)
      .filter(({ generation }) => generation !== damage?.generation);
    const whole = [...here, ...there].map((manifest) => ({ manifest }));
    const standing = standingOf(unit.recipe, {
      whole,
      broken: [],
      setAside: damage ? [damage, ...damages] : damages,
    });
    if (standing.kind === 'absent') return undefined;
    if (standing.kind === 'damaged') throw artifactErrors.damaged(standing.damage);
    const current = standing.generation.manifest;
    const taken = there.find(({ generation }) => generation === current.generation);
    return use.kind === 'usable' && use.generation.manifest.generation === current.generation
      ? ready(use)
      : taken && { kind: 'elsewhere', manifest: taken };
  }

  /** Of what it is built is looked for as well: what cannot be had of that hinders it. */
  async #unbuilt(plan: ArtifactPlan): Promise<ArtifactState> {
    for (const input of plan.inputs.values()) {
      const state = input.kind === 'artifact' ? await this.state(input.plan) : undefined;
      if (state?.kind === 'unavailable') return state;
    }
    return { kind: 'unbuilt' };
  }
}

function ready({ generation }: Extract<Use, { kind: 'usable' }>): ArtifactState {
  return { kind: 'ready', generation, origin: 'here' };
}
