import { dirname, resolve } from 'node:path';
import { UsageError } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { SampleLimits } from '../../evals/index.ts';
import type { EvalConfig, LogHeader } from '../../log/index.ts';
import { type EvalChanges, planSetItems } from '../../runner/index.ts';
import { NO_MODEL } from '../../targets/index.ts';
import type { RetryFlags } from '../commands/retry.ts';
import { findEvalFiles } from '../eval-files/find-eval-files.ts';
import { type LoadedEval, loadEvalFile } from '../eval-files/load-eval-file.ts';

export interface RetriedLog {
  readonly log: string;
  readonly header: LogHeader;
  readonly flags: RetryFlags;
  readonly cwd: string;
}

/** The eval that a log was made by, and what the command line had changed in it. */
export interface RetriedEval {
  readonly source: LoadedEval;
  readonly models: readonly string[];
  readonly changes: EvalChanges;
}

/** Finds the eval of a log of ours. What has changed in it since is treated as any edit is. */
export async function findRetriedEval(retried: RetriedLog): Promise<RetriedEval> {
  const source = await evalOf(retried);
  const { redact } = retried.flags;
  const changes = { ...changesOf(retried.header, source), ...(redact && { redact }) };
  const models = modelsOf(retried.header, source);
  const { model } = retried.flags;
  return { source, models: model === undefined ? models : [model], changes };
}

async function evalOf(retried: RetriedLog): Promise<LoadedEval> {
  const { header, cwd } = retried;
  const file = await fileOf(retried);
  const evals = await loadEvalFile(file, { disk: nodeDisk, cwd });
  const found = evals.find(({ definition }) => definition.name === header.eval.task);
  if (found) return found;
  throw new UsageError({
    code: 'E_EVAL_CHOICE',
    message: `${file} holds no eval called "${header.eval.task}" as in the log.`,
    hint: `Name the right file with --eval; there ${evals.length === 1 ? 'is' : 'are'} ${evals.map(({ definition }) => definition.name).join(', ')}.`,
  });
}

/** The log names its eval file from where the run was started: that is here, or near the log. */
async function fileOf({ log, header, flags, cwd }: RetriedLog): Promise<string> {
  if (flags.eval !== undefined) {
    const [file = ''] = await findEvalFiles([flags.eval], { disk: nodeDisk, cwd });
    return file;
  }
  const named = header.eval.task_file;
  if (named === undefined) throw goneFile(`${log} does not say which file its eval is in.`);
  const places = [cwd, dirname(log), dirname(dirname(resolve(cwd, log)))].map((place) =>
    resolve(place, named),
  );
  for (const path of places) if ((await nodeDisk.stat(path))?.kind === 'file') return path;
  throw goneFile(`The eval file ${named}, which ${log} was made by, is gone.`);
}

function goneFile(message: string): UsageError {
  return new UsageError({
    code: 'E_RETRY_FILE',
    message,
    hint: 'Name the eval file with --eval, or run the command in the folder where the run was started.',
  });
}

/** A command-line agent has its model inside, and a function may need none. */
function modelsOf({ eval: spec }: LogHeader, source: LoadedEval): readonly string[] {
  if (spec.model === NO_MODEL) return [];
  const { notes } = planSetItems([source], { models: [spec.model], changes: {} });
  return notes.length > 0 ? [] : [spec.model];
}

/** The samples, epochs and limits that the log was made with, wherever they came from. */
function changesOf({ eval: spec }: LogHeader, source: LoadedEval): EvalChanges {
  const { config, dataset } = spec;
  const limits = limitsOf(config, source.definition.limits ?? {});
  return {
    ...(dataset.sample_ids ? { ids: dataset.sample_ids.map(String) } : {}),
    ...(typeof config.epochs === 'number' ? { epochs: config.epochs } : {}),
    ...(typeof config.retry_on_error === 'number' ? { retries: config.retry_on_error } : {}),
    ...(typeof config.fail_on_error === 'number' || typeof config.fail_on_error === 'boolean'
      ? { failOnError: config.fail_on_error }
      : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
}

function limitsOf(config: EvalConfig, own: SampleLimits): SampleLimits {
  return {
    ...numberAs('messages', config.message_limit),
    ...numberAs('tokens', config.token_limit),
    ...numberAs('turns', config.turn_limit),
    ...numberAs('costUsd', config.cost_limit),
    ...secondsAs('timeMs', config.time_limit, own.timeMs),
    ...secondsAs('workingMs', config.working_limit, own.workingMs),
  };
}

function numberAs(name: keyof SampleLimits, value: unknown): SampleLimits {
  return typeof value === 'number' ? { [name]: value } : {};
}

/** A log knows whole seconds: what the eval itself says is more exact, when it is that. */
function secondsAs(name: keyof SampleLimits, value: unknown, ownMs: number | undefined): SampleLimits {
  if (typeof value !== 'number') return {};
  const isOwn = ownMs !== undefined && Math.max(1, Math.ceil(ownMs / 1_000)) === value;
  return { [name]: isOwn ? ownMs : value * 1_000 };
}
