import { ArtifactCache, artifactErrors, type Pin } from '../../artifacts/index.ts';
import type { Dataset } from '../../datasets/index.ts';
import type { RunSettings, RunTask } from '../settings.ts';
import { type ArtifactPlan, ArtifactPlans } from './artifact-plans.ts';
import { needsOfRows } from './row-needs.ts';
import { type ArtifactState, RunArtifacts } from './run-artifacts.ts';

/** What a run would use, without building anything, and without reading what is in it. */
export async function lookForArtifacts(options: {
  readonly task: RunTask;
  readonly settings: RunSettings;
  readonly dataset: Dataset;
  readonly pins: () => Promise<ReadonlyMap<string, Pin>>;
}): Promise<RunArtifacts | undefined> {
  const { task, settings, dataset } = options;
  const { requires } = task.eval;
  if (!requires) return undefined;
  const { disk, clock, random, artifacts } = settings;
  const cache = ArtifactCache.open({ disk, clock, random, dir: artifacts.dir });
  const plans = new ArtifactPlans({ disk, baseDir: task.baseDir });
  const needs = await needsOfRows(requires, dataset);
  const pins = await options.pins();
  const needed = [];
  for (const { artifact } of needs.all) {
    const plan = await plans.of(artifact);
    needed.push({ plan, state: await stateOf(cache, plan, pins.get(plan.unit.recipe)) });
  }
  return new RunArtifacts({ needed, all: needed, spentUsd: 0 }, needs);
}

async function stateOf(
  cache: ArtifactCache,
  plan: ArtifactPlan,
  pin: Pin | undefined,
): Promise<ArtifactState> {
  const here = await cache.generations(plan.unit);
  const pinned = pin && here.find(({ manifest }) => manifest.digest === pin.digest);
  if (pinned) return { kind: 'ready', generation: pinned, origin: 'here' };
  const standing = await cache.standing(plan.unit);
  if (standing.kind === 'absent') return { kind: 'unbuilt' };
  // A run refuses it, and does not go back to what it superseded.
  if (standing.kind === 'damaged')
    return { kind: 'unavailable', error: artifactErrors.damaged(standing.damage), isStopped: false };
  return { kind: 'ready', generation: standing.generation, origin: 'here' };
}
