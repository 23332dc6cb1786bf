import { ArtifactCache, type Pin } from '../../artifacts/index.ts';
import type { Dataset } from '../../datasets/index.ts';
import type { RunSettings, RunTask } from '../settings.ts';
import { type ArtifactPlan, ArtifactPlans } from './artifact-plans.ts';
import type { Unfinished } from './earlier-pins.ts';
import { needsOfRows } from './row-needs.ts';
import { type ArtifactState, RunArtifacts } from './run-artifacts.ts';

/** What a run would use, without building anything, and without reading what is in it. */
export async function lookForArtifacts(options: {
  readonly task: RunTask;
  readonly settings: RunSettings;
  readonly dataset: Dataset;
  readonly unfinished: () => Promise<Unfinished>;
}): Promise<RunArtifacts | undefined> {
  const { task, settings, dataset } = options;
  const { requires } = task.eval;
  if (!requires) return undefined;
  const { disk, clock, random, artifacts } = settings;
  const cache = ArtifactCache.open({ disk, clock, random, dir: artifacts.dir });
  const plans = new ArtifactPlans({ disk, baseDir: task.baseDir });
  const needs = await needsOfRows(requires, dataset);
  const { pins } = await options.unfinished();
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
  const generation = pinned ?? (await cache.current(plan.unit));
  return generation ? { kind: 'ready', generation, origin: 'here' } : { kind: 'unbuilt' };
}
