import { packageVersion } from './base/index.ts';
import { nodeDisk } from './disk/index.ts';
import type { EvalDefinition } from './evals/index.ts';
import {
  type EvalResults,
  type LogReader,
  openLog as openLogOn,
  type VerifyReport,
  verifyLog as verifyLogOn,
} from './log/index.ts';
import {
  type Account,
  type RunEvalsOptions,
  type RunObserver,
  runEvals,
  type StopSignals,
} from './runner/index.ts';

/** How `runEval` runs; the names are those of `holdfast run`. */
export interface RunOptions
  extends Partial<Omit<RunEvalsOptions, 'evals' | 'models' | 'disk' | 'clock' | 'random' | 'version'>> {
  /** The model under test, when the eval names none. */
  readonly model?: string;
  /** Where relative paths in the eval start. Default: `workDir`. */
  readonly baseDir?: string;
  readonly observer?: RunObserver;
  readonly signals?: StopSignals;
}

export interface EvalRunResult {
  readonly account: Account;
  /** Absent while the run is not done. */
  readonly results?: EvalResults;
  /** Sentences about metrics that are below what the eval asks for. */
  readonly missed: readonly string[];
}

/**
 * Runs one eval, or completes what earlier runs of it left, and gives its account. Keys of models are looked for in
 * `env` alone: pass `process.env` where that is wanted.
 */
export async function runEval(
  definition: EvalDefinition,
  options: RunOptions & Pick<RunEvalsOptions, 'workDir'>,
): Promise<EvalRunResult> {
  const { model, baseDir = options.workDir, observer, signals, ...rest } = options;
  const [outcome] = await runEvals(
    {
      env: {},
      ...rest,
      evals: [{ definition, baseDir }],
      version: packageVersion(),
      models: model === undefined ? [] : [model],
    },
    { observerFor: () => observer, signals },
  );
  if (!outcome?.account || outcome.error !== undefined) throw outcome?.error;
  const { account, results, missed } = outcome;
  return { account, missed, ...(results ? { results } : {}) };
}

/** Opens a `.eval` or `.json` log of any age. */
export function openLog(path: string): Promise<LogReader> {
  return openLogOn(nodeDisk, path);
}

/** Reads a log from end to end and lists all that is wrong with it. */
export function verifyLog(path: string): Promise<VerifyReport> {
  return verifyLogOn(nodeDisk, path);
}
