import type { Pin, UnitRecipe } from '../../artifacts/index.ts';
import type { Dataset } from '../../datasets/index.ts';
import type { RunSettings, RunTask } from '../settings.ts';
import type { RunTaskOf } from './build-by-run.ts';
import { makeReady } from './make-ready.ts';
import { needsOfRows } from './row-needs.ts';
import { RunArtifacts } from './run-artifacts.ts';

export interface EvalArtifactsOptions {
  readonly task: RunTask;
  readonly settings: RunSettings;
  readonly dataset: Dataset;
  readonly pins: () => Promise<ReadonlyMap<string, Pin>>;
  readonly runTask: RunTaskOf;
  /** The user asked for builds: what may not be built by a run is built, and what is named is built anew. */
  readonly build?: BuildWish | undefined;
}

export interface BuildWish {
  isRebuilt(unit: UnitRecipe): boolean;
}

/** The artifacts of an eval, found or built; undefined when it requires none. */
export async function artifactsOfEval(options: EvalArtifactsOptions): Promise<RunArtifacts | undefined> {
  const { task, settings, dataset, runTask } = options;
  const { requires } = task.eval;
  if (!requires) return undefined;
  const needs = await needsOfRows(requires, dataset);
  const onNote = (text: string) => task.observer?.onNote?.(text);
  const { build } = options;
  const all = build ? needs.all.map((need) => ({ ...need, mayBuild: true })) : needs.all;
  const ready = await makeReady(all, {
    task,
    settings,
    runTask,
    pins: await options.pins(),
    onNote,
    isRebuilt: (plan) => build?.isRebuilt(plan.unit) ?? false,
  });
  return new RunArtifacts(ready, needs);
}
