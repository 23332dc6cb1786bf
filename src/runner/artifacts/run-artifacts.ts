import { type Pin, pinOf, type StoredGeneration } from '../../artifacts/index.ts';
import { type ActionableError, type Digest, digestOf } from '../../base/index.ts';
import { artifactName } from '../../evals/index.ts';
import { type SampleArtifacts, sampleArtifacts } from '../../targets/index.ts';
import type { ArtifactPlan } from './artifact-plans.ts';
import type { ArtifactSupply } from './artifact-supply.ts';
import type { PaidBuilds } from './paid-builds.ts';
import type { RowNeeds } from './row-needs.ts';

/** How a generation that a run uses came to be here. `here`: it was. `peer`: another process built it meanwhile. */
export type ArtifactOrigin = 'here' | 'peer' | 'built' | 'fetched' | 'seeded';

/** One artifact that is ready for use, or why it is not. `mended`: a sentence about what was damaged here, and has a whole copy elsewhere. */
export type ArtifactState =
  | {
      readonly kind: 'ready';
      readonly generation: StoredGeneration;
      readonly origin: ArtifactOrigin;
      readonly mended?: string;
    }
  /** It has to be built first: forecasts leave it so, and whoever hands a run over to workers. */
  | { readonly kind: 'unbuilt' }
  /** It has to be taken from the store or a seed first: of a forecast, or of a worker that has not needed it yet. */
  | { readonly kind: 'elsewhere'; readonly manifest: { readonly digest: string }; readonly mended?: string }
  /** `isStopped`: nothing is wrong with it, but the run was told to stop, or its money is spent. */
  | { readonly kind: 'unavailable'; readonly error: ActionableError; readonly isStopped: boolean };

export interface NeededArtifact {
  readonly plan: ArtifactPlan;
  readonly state: ArtifactState;
}

/** The artifacts of a run: one generation of each, pinned before its samples are planned. */
export class RunArtifacts {
  /** In the order of the needs. */
  readonly needed: readonly NeededArtifact[];
  readonly #needs: RowNeeds;

  /** Each once, with those that others are made of. */
  readonly all: readonly NeededArtifact[];

  /** What this command paid for builds; null when nobody knows. */
  readonly spentUsd: number | null;
  readonly spentTokens: number;
  /** What builds cost it that no journal of the run says yet. */
  readonly paid: PaidBuilds | undefined;
  readonly #supply: ArtifactSupply | undefined;

  constructor(
    ready: Pick<RunArtifacts, 'needed' | 'all' | 'spentUsd' | 'spentTokens'> & {
      readonly paid?: PaidBuilds;
      readonly supply?: ArtifactSupply;
    },
    needs: RowNeeds,
  ) {
    this.#supply = ready.supply;
    this.paid = ready.paid;
    this.spentUsd = ready.spentUsd;
    this.spentTokens = ready.spentTokens;
    this.needed = ready.needed;
    this.all = ready.all;
    this.#needs = needs;
  }

  /** What the run uses, for its log: whoever goes on with it takes the same. */
  pins(): readonly Pin[] {
    const pins = new Map<string, Pin>();
    for (const { state } of this.needed)
      if (state.kind === 'ready') pins.set(state.generation.manifest.digest, pinOf(state.generation));
    return [...pins.values()];
  }

  /** The digests of what a row's samples use, by name: a result that was made with others is another result. */
  digestsOf(row: number): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.#of(row).map(({ plan, state }) => [
        artifactName(plan.unit),
        manifestIn(state)?.digest ?? `none of ${plan.unit.recipe}`,
      ]),
    );
  }

  /** One digest for all of them, as a part of keys; undefined when the row needs none. */
  digestOf(row: number): Digest | undefined {
    const digests = Object.entries(this.digestsOf(row)).sort(([a], [b]) => (a < b ? -1 : 1));
    return digests.length === 0 ? undefined : digestOf(JSON.stringify(digests));
  }

  /** False when something that the row needs cannot be had. */
  isAvailable(row: number): boolean {
    return this.#of(row).every(({ state }) => state.kind !== 'unavailable');
  }

  /** True when that is for a reason that running on does not end: it was not merely stopped. */
  isRefused(row: number): boolean {
    return this.#of(row).some(({ state }) => state.kind === 'unavailable' && !state.isStopped);
  }

  /** What a sample may read; an error when something that it needs is not there. */
  forRow(row: number): SampleArtifacts | ActionableError {
    const of = this.#of(row);
    for (const { state } of of) if (state.kind === 'unavailable') return state.error;
    return sampleArtifacts(
      of.flatMap(({ plan: { unit }, state }) =>
        state.kind === 'ready' ? [{ kind: unit.kind, key: unit.key, dir: state.generation.filesDir }] : [],
      ),
    );
  }

  /** What a row needs and nobody has built yet. */
  unbuiltOf(row: number): readonly ArtifactPlan[] {
    return this.#of(row).flatMap(({ plan, state }) => (state.kind === 'unbuilt' ? [plan] : []));
  }

  /** When the store has them, or would not take them: sentences about the latter. */
  async shared(): Promise<readonly string[]> {
    return (await this.#supply?.settled()) ?? [];
  }

  #of(row: number): readonly NeededArtifact[] {
    return this.#needs.of(row).flatMap((number) => this.needed[number] ?? []);
  }
}

function manifestIn(state: ArtifactState): { readonly digest: string } | undefined {
  if (state.kind === 'elsewhere') return state.manifest;
  return state.kind === 'ready' ? state.generation.manifest : undefined;
}
