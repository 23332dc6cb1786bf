import { inOrder } from '../../base/index.ts';
import { artifactName, type PlannedNeed } from '../../evals/index.ts';
import { type ArtifactPlan, ArtifactPlans } from './artifact-plans.ts';
import { ArtifactShelf, type ShelfOptions } from './artifact-shelf.ts';
import type { ArtifactSupply } from './artifact-supply.ts';
import type { RunTaskOf } from './build-by-run.ts';
import { mustBeThere } from './must-be-there.ts';
import type { PaidBuilds } from './paid-builds.ts';
import type { NeededArtifact } from './run-artifacts.ts';

export interface ReadyOptions extends Omit<ShelfOptions, 'builder' | 'lenders'> {
  readonly paid: PaidBuilds;
  readonly runTask: RunTaskOf;
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
  const { runTask, paid } = options;
  const shelf = new ArtifactShelf({ ...options, builder: { runTask, paid } });
  const wanted = await lookForAll(needs, shelf, options);
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
  return { needed, all, supply, paid, spentUsd, spentTokens };
}

/** Looks for each, here and elsewhere, and takes what is elsewhere. What may not be built and is nowhere is refused. */
export async function lookForAll(
  needs: readonly PlannedNeed[],
  shelf: ArtifactShelf,
  { settings, task }: Pick<ShelfOptions, 'settings' | 'task'>,
): Promise<readonly WantedArtifact[]> {
  const plans = new ArtifactPlans({ disk: settings.disk, baseDir: task.baseDir });
  const wanted: WantedArtifact[] = [];
  for (const need of needs) wanted.push({ ...need, plan: await plans.of(need.artifact) });
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
  return wanted;
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

export interface WantedArtifact extends PlannedNeed {
  readonly plan: ArtifactPlan;
}
