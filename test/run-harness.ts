/** Runs evals in this process, with scripted models and a real disk. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '../src/base/index.ts';
import { nodeDisk } from '../src/disk/index.ts';
import { type EvalDefinition, normalizeEval } from '../src/evals/index.ts';
import { StateDir } from '../src/journal/index.ts';
import { directoryLogStore, type EvalSample, openLog } from '../src/log/index.ts';
import {
  type Places,
  type RunOutcome,
  type RunSettings,
  type RunTask,
  runEval,
  Slots,
} from '../src/runner/index.ts';
import { createBudget, createModels, type LanguageModel } from '../src/targets/index.ts';

export interface Harness {
  readonly dir: string;
  readonly logDir: string;
  readonly stateDir: string;
  readonly places: Places;
  run(definition: AnyEval, more?: HarnessOptions): Promise<RunOutcome>;
  samples(logPath: string | undefined): Promise<readonly EvalSample[]>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: a harness takes evals of every type
type AnyEval = EvalDefinition<any, any, any>;

export interface HarnessOptions
  extends Partial<RunSettings>,
    Partial<Pick<RunTask, 'observer' | 'baseDir' | 'file' | 'models' | 'code'>> {
  readonly model?: LanguageModel;
  readonly budgetUsd?: number;
  readonly concurrency?: number;
}

export async function createHarness(): Promise<Harness> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-run-'));
  const logDir = join(dir, 'logs');
  const state = StateDir.of(logDir);
  const places: Places = { logs: directoryLogStore(nodeDisk, logDir), logDir, state };
  return {
    dir,
    logDir,
    stateDir: state.path,
    places,
    run(
      definition,
      { model, budgetUsd, concurrency = 4, observer, baseDir = dir, file, models, code, ...more } = {},
    ) {
      const task: RunTask = {
        eval: normalizeEval(definition),
        model: model ? 'mock/scripted' : undefined,
        file,
        baseDir,
        observer,
        code,
        models:
          models ??
          createModels({
            env: {},
            concurrency,
            budget: createBudget(budgetUsd),
            retry: { retriesMax: 0 },
            ...(model ? { scripted: { 'mock/scripted': model } } : {}),
          }),
      };
      return runEval(task, {
        places,
        artifacts: { dir: join(dir, 'artifacts'), hostPaths: [dir] },
        disk: nodeDisk,
        clock: systemClock,
        random: systemRandom,
        slots: new Slots(concurrency),
        signals: { drain: new AbortController().signal, abort: new AbortController().signal },
        graceMs: 30_000,
        segmentIntervalMs: undefined,
        forceDead: false,
        reuse: 'same',
        keepOutputs: false,
        ownRuns: new Set(),
        version: 'test',
        ...more,
      });
    },
    async samples(logPath) {
      const log = await openLog(nodeDisk, logPath ?? '');
      const found: EvalSample[] = [];
      for await (const { id, epoch } of log.summaries()) {
        const sample = await log.sample(id, epoch);
        if (sample) found.push(sample);
      }
      await log.close();
      return found;
    },
    close: () => rm(dir, { recursive: true, force: true }),
  };
}
