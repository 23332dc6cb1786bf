/** Runs evals in this process, with scripted models and a real disk. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/index.ts';
import { nodeDisk } from '../src/disk/index.ts';
import { type EvalDefinition, normalizeEval } from '../src/evals/index.ts';
import { type EvalSample, openLog } from '../src/log/index.ts';
import { type RunEvalOptions, type RunOutcome, runEval, Slots, stateDirOf } from '../src/runner/index.ts';
import { createBudget, createModels, type LanguageModel } from '../src/targets/index.ts';

export interface Harness {
  readonly dir: string;
  readonly logDir: string;
  readonly stateDir: string;
  run(definition: AnyEval, more?: HarnessOptions): Promise<RunOutcome>;
  samples(logPath: string | undefined): Promise<readonly EvalSample[]>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: a harness takes evals of every type
type AnyEval = EvalDefinition<any, any, any>;

export interface HarnessOptions extends Partial<Omit<RunEvalOptions, 'eval' | 'target' | 'model'>> {
  readonly model?: LanguageModel;
  readonly budgetUsd?: number;
  readonly concurrency?: number;
}

export async function createHarness(): Promise<Harness> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-run-'));
  const logDir = join(dir, 'logs');
  const stateDir = stateDirOf(logDir);
  return {
    dir,
    logDir,
    stateDir,
    run(definition, { model, budgetUsd, concurrency = 4, ...more } = {}) {
      const models = createModels({
        env: {},
        concurrency,
        budget: createBudget(budgetUsd),
        retry: { retriesMax: 0 },
        ...(model ? { scripted: { 'mock/scripted': model } } : {}),
      });
      return runEval({
        eval: normalizeEval(definition),
        target: definition.target,
        ...(model ? { model: 'mock/scripted' } : {}),
        baseDir: dir,
        places: { logDir, stateDir },
        disk: nodeDisk,
        clock: systemClock,
        models,
        slots: new Slots(concurrency),
        signals: { drain: new AbortController().signal, abort: new AbortController().signal },
        reuse: 'same',
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
