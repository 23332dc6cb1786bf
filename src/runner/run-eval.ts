import { join } from 'node:path';
import type { Clock } from '../base/index.ts';
import { openDataset } from '../datasets/index.ts';
import { createFile, type Disk } from '../disk/index.ts';
import type { PlannedEval } from '../evals/index.ts';
import type { EvalResults } from '../log/index.ts';
import { type AnyTargetSpec, type Models, resolveTarget } from '../targets/index.ts';
import type { Account } from './account.ts';
import { EvalRun } from './eval-run.ts';
import type { Slots, StopSignals } from './execute.ts';
import type { ReuseMode } from './find-reusable.ts';
import type { RunObserver } from './observer.ts';
import { ACCOUNTS_FOLDER, type Places } from './places.ts';

export interface RunEvalOptions {
  readonly eval: PlannedEval;
  /** The target as the definition gives it; the model named on the command line joins it. */
  readonly target: AnyTargetSpec | undefined;
  readonly model?: string;
  /** The eval's file, as the log shall name it, and its folder. */
  readonly file?: string;
  readonly baseDir: string;
  readonly places: Places;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly models: Models;
  readonly slots: Slots;
  readonly signals: StopSignals;
  readonly graceMs?: number;
  readonly reuse: ReuseMode;
  readonly segmentIntervalMs?: number;
  /** The user vouches that runs whose process cannot be seen from here are dead. */
  readonly forceDead?: boolean;
  readonly observer?: RunObserver;
  /** Holdfast's own version, for the log. */
  readonly version: string;
}

export interface RunOutcome {
  readonly account: Account;
  readonly results?: EvalResults;
}

/** Runs one eval on one target: completes whatever earlier attempts left, and ends with the account. */
export async function runEval(options: RunEvalOptions): Promise<RunOutcome> {
  const { disk, places } = options;
  const target = await resolveTarget(options.target, {
    disk,
    models: options.models,
    baseDir: options.baseDir,
    ...(options.model === undefined ? {} : { model: options.model }),
  });
  const dataset = await openDataset({
    data: options.eval.data,
    baseDir: options.baseDir,
    disk,
    tempDir: places.stateDir,
    ...(options.eval.limit === undefined ? {} : { limit: options.eval.limit }),
    ...(options.eval.filter === undefined ? {} : { filter: options.eval.filter }),
    ...(options.eval.shuffle === undefined ? {} : { shuffle: options.eval.shuffle }),
  });
  try {
    const outcome = await new EvalRun(options, target, dataset).run();
    await keepAccount(options, outcome.account);
    return outcome;
  } finally {
    await dataset.close();
  }
}

/** The account goes to a file too, one for each time the run was worked on. */
async function keepAccount({ disk, places, clock }: RunEvalOptions, account: Account): Promise<void> {
  const dir = join(places.stateDir, ACCOUNTS_FOLDER);
  await disk.makeDir(dir);
  const name = `${account.runId}-${clock.nowMs()}.json`;
  await createFile(disk, join(dir, name), Buffer.from(`${JSON.stringify(account, null, 2)}\n`));
}
