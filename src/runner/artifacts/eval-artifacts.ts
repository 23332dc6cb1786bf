import type { UnitRecipe } from '../../artifacts/index.ts';
import type { Dataset } from '../../datasets/index.ts';
import type { RunSettings, RunTask } from '../settings.ts';
import type { ArtifactPlan } from './artifact-plans.ts';
import type { RunTaskOf } from './build-by-run.ts';
import type { Asker, Unfinished } from './earlier-pins.ts';
import { makeReady } from './make-ready.ts';
import { PaidBuilds } from './paid-builds.ts';
import { needsOfRows } from './row-needs.ts';
import { RunArtifacts } from './run-artifacts.ts';

export interface EvalArtifactsOptions {
  readonly task: RunTask;
  readonly settings: RunSettings;
  readonly dataset: Dataset;
  /** Who asks, when that is a run. */
  readonly asker?: Asker;
  readonly unfinished?: () => Promise<Unfinished>;
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
  const { pins = new Map(), paid: onRecord = new Map() } = (await options.unfinished?.()) ?? {};
  const paid = await PaidBuilds.open({
    ...{ disk: settings.disk, cacheDir: settings.artifacts.dir, onRecord },
    asker: askerText(options),
    budget: task.models.budget,
  });
  const isRebuilt = (plan: ArtifactPlan) => build?.isRebuilt(plan.unit) ?? false;
  const ready = await makeReady(all, { task, settings, runTask, pins, paid, onNote, isRebuilt });
  return new RunArtifacts(ready, needs);
}

/** Whoever only builds is another than whoever runs. */
function askerText({ asker, task, settings }: EvalArtifactsOptions): readonly string[] {
  if (!asker) return ['build', task.file ?? task.baseDir, task.eval.name];
  const { eval: name, targetName, target, definition } = asker;
  return ['run', settings.places.logDir, name, targetName, target, definition];
}
