import { isAbsolute, join } from 'node:path';
import { definedOf, type Json, UsageError } from '../base/index.ts';
import { type Dataset, openDataset } from '../datasets/index.ts';
import { type Disk, digestOfFile } from '../disk/index.ts';
import { definitionDigest, definitionParts, scoringDigest, targetDigest } from '../evals/index.ts';
import {
  type BilledName,
  billedTarget,
  digestOfTree,
  type RunnableTarget,
  resolvePlanned,
} from '../targets/index.ts';
import type { Asker } from './artifacts/earlier-pins.ts';
import type { RunArtifacts } from './artifacts/run-artifacts.ts';
import { EarlierRuns, type EarlierRunsOptions } from './earlier-runs.ts';
import { makePlan, type Plan } from './plan.ts';
import { refuseUnpriced } from './refuse-unpriced.ts';
import type { RunSettings, RunTask } from './settings.ts';

/** One eval on one target, with its rows opened and its samples planned. Nothing was called or written yet. */
export interface PreparedEval {
  readonly task: RunTask;
  readonly settings: RunSettings;
  readonly target: RunnableTarget;
  /** Whoever prepares it closes it. */
  readonly dataset: Dataset;
  readonly plan: Plan;
  /** What its samples read, pinned; undefined when the eval requires nothing. */
  readonly artifacts: RunArtifacts | undefined;
}

/** Finds or builds what the rows need, when they and the target are known. */
export type ArtifactsOf = (opened: {
  readonly dataset: Dataset;
  readonly identity: Asker;
}) => Promise<RunArtifacts | undefined>;

export interface PrepareOptions {
  /** Where rows go that are too many for memory. */
  readonly tempDir?: string;
  readonly artifactsOf: ArtifactsOf;
}

/** Nothing of the eval is called or written, except for artifacts that have to be built. */
export async function prepareEval(
  task: RunTask,
  settings: RunSettings,
  { tempDir = settings.places.state.path, artifactsOf }: PrepareOptions,
): Promise<PreparedEval> {
  const { disk } = settings;
  const { baseDir, models, model } = task;
  const target = await resolvePlanned(task.eval.target, { disk, models, baseDir, ...definedOf({ model }) });
  refuseUnpriced(task.eval, task.models, billedAs(task, target));
  const inputs = await readInputs(disk, { inputs: task.eval.inputs, baseDir });
  const scoring = { inputs, code: task.code, models: task.models.surroundings };
  const dataset = await openRows(task, { disk, tempDir });
  try {
    const identity = {
      eval: task.eval.name,
      targetName: target.name,
      target: targetDigest(task.eval, { key: target.key, inputs, code: task.code }),
      definition: definitionDigest(task.eval, scoring),
    };
    const artifacts = await artifactsOf({ dataset, identity });
    const plan = makePlan({
      ...identity,
      artifacts,
      version: String(task.eval.version),
      knownAs: target.knownAs ?? target.name,
      parts: definitionParts(task.eval, { ...scoring, key: target.key }),
      scoring: scoringDigest(task.eval, scoring),
      epochs: task.eval.epochs.count,
      rows: dataset,
    });
    return { task, settings, target, dataset, plan, artifacts };
  } catch (error) {
    await dataset.close();
    throw error;
  }
}

/** The rows of an eval; whoever opens them closes them. */
export function openRows(
  { eval: planned, baseDir, shard }: RunTask,
  place: { readonly disk: Disk; readonly tempDir: string },
): Promise<Dataset> {
  const { data, limit, filter, shuffle, scorers } = planned;
  return openDataset({
    ...place,
    data,
    baseDir,
    check: (row) => {
      for (const scorer of scorers) scorer.check(row);
    },
    ...definedOf({ limit, filter, shuffle, shard }),
  });
}

/** A model that is ready has its whole name. */
function billedAs({ eval: planned, model }: RunTask, { kind, name }: RunnableTarget): BilledName | undefined {
  return kind === 'model' ? { name, tellsTokens: true } : billedTarget(planned.target, model);
}

/** What finished logs hold that this eval can use. */
export function earlierRunsOf(
  { task, settings, plan }: PreparedEval,
  about: Pick<EarlierRunsOptions, 'onDamage' | 'onNote' | 'isLooking'>,
): Promise<EarlierRuns> {
  return EarlierRuns.open(settings, {
    plan,
    limits: task.eval.limits,
    mode: settings.reuse,
    keepOutputs: settings.keepOutputs,
    code: task.code,
    ...about,
  });
}

/** Files and folders that the code reads itself: what they say counts as code does. */
export async function readInputs(
  disk: Disk,
  { inputs, baseDir }: { readonly inputs: readonly string[]; readonly baseDir: string },
): Promise<Json> {
  const read: Json[] = [];
  for (const input of inputs) {
    const path = isAbsolute(input) ? input : join(baseDir, input);
    const kind = (await disk.stat(path))?.kind;
    if (kind === 'directory') read.push([input, await digestOfTree(disk, path)]);
    else if (kind === 'file') read.push([input, await digestOfFile(disk, path)]);
    else throw missingInput(input, path);
  }
  return read;
}

function missingInput(input: string, path: string): UsageError {
  return new UsageError({
    code: 'E_INPUT_MISSING',
    message: `The eval declares "${input}" among its inputs, but there is no file or folder ${path}.`,
    hint: 'Correct the path, which starts at the folder of the eval file, or take it out of `inputs`.',
  });
}
