import { definedOf, UsageError } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { type ModelTarget, type PlannedTarget, planTarget, type TargetSpec } from '../evals/index.ts';
import { commandTarget } from './command-target.ts';
import { functionTarget } from './function-target.ts';
import { httpTarget } from './http-target.ts';
import { isLanguageModel, type LanguageModel } from './language-model.ts';
import { modelTarget } from './model-target.ts';
import type { Models } from './models.ts';
import type { RunnableTarget } from './runnable-target.ts';

/** What users may give as a target; a model object is one too. */
export type AnyTargetSpec = TargetSpec<never, unknown, never> | LanguageModel;

export interface ResolveTargetOptions {
  readonly models: Models;
  /** The model named on the command line: the target itself when the eval has none, else what `generate` asks. */
  readonly model?: string;
  readonly disk: Disk;
  /** Where relative paths in the target start: the folder of the eval file. */
  readonly baseDir: string;
}

/** Makes a planned target ready to run, and says what is wrong with it before anything is called or paid for. */
export async function resolvePlanned(
  target: PlannedTarget,
  options: ResolveTargetOptions,
): Promise<RunnableTarget> {
  const { models } = options;
  const named = options.model === undefined ? undefined : await models.open(options.model);
  switch (target.kind) {
    case 'none':
      return modelTarget(named ?? missing(), { models, settings: {} });
    case 'function':
      return functionTarget(target.run, { models, model: named });
    case 'model':
      return openModelTarget(target.spec, models);
    case 'modelObject':
      if (!isLanguageModel(target.model)) throw unknownTarget();
      return modelTarget(models.adopt(target.model), { models, settings: {} });
    case 'http':
      return httpTarget(target.spec, models);
    case 'command':
      return commandTarget(target.spec, options);
  }
}

/** Like `resolvePlanned`, for a target as users give it. */
export async function resolveTarget(
  spec: AnyTargetSpec | undefined,
  options: ResolveTargetOptions,
): Promise<RunnableTarget> {
  return resolvePlanned(planTarget(spec), options);
}

async function openModelTarget(spec: ModelTarget, models: Models): Promise<RunnableTarget> {
  const { model, baseUrl, apiKeyEnv, ...settings } = spec;
  const opened = await models.open(model, {
    ...definedOf({ baseUrl, apiKeyEnv }),
  });
  return modelTarget(opened, { models, settings });
}

function missing(): never {
  throw new UsageError({
    code: 'E_TARGET_NONE',
    message: 'The eval has no target, and no model is named.',
    hint: 'Add `target` to the eval, or name a model with --model, such as --model openai/gpt-5.',
  });
}

function unknownTarget(): UsageError {
  return new UsageError({
    code: 'E_TARGET_UNKNOWN',
    message: 'The target is none that Holdfast knows.',
    hint: 'Give a function, a model name, or an object with `model`, `command` (or `preset`), or `url`.',
  });
}
