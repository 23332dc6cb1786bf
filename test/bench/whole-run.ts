/** A whole run through the library's own door, with the account it ended with. */
import { join } from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { type EvalDefinition, normalizeEval } from '../../src/evals/index.ts';
import { type RunObserver, type RunOutcome, runEval, Slots, stateDirOf } from '../../src/runner/index.ts';
import { createModels, type LanguageModel } from '../../src/targets/index.ts';

export interface WholeRunOptions {
  readonly dir: string;
  readonly definition: EvalDefinition;
  readonly concurrency: number;
  readonly model?: { readonly name: string; readonly model: LanguageModel };
  readonly observer?: RunObserver;
}

export function runWhole(options: WholeRunOptions): Promise<RunOutcome> {
  const { dir, definition, concurrency, model, observer } = options;
  const logDir = join(dir, 'logs');
  return runEval({
    eval: normalizeEval(definition),
    target: definition.target as Parameters<typeof runEval>[0]['target'],
    baseDir: dir,
    places: { logDir, stateDir: stateDirOf(logDir) },
    disk: nodeDisk,
    clock: systemClock,
    models: createModels({
      env: {},
      concurrency,
      ...(model ? { scripted: { [model.name]: model.model } } : {}),
    }),
    slots: new Slots(concurrency),
    signals: { drain: new AbortController().signal, abort: new AbortController().signal },
    reuse: 'same',
    version: 'bench',
    ...(model ? { model: model.name } : {}),
    ...(observer ? { observer } : {}),
  });
}
