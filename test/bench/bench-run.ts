import { join } from 'node:path';
import { isoSeconds, newRunId, systemClock, systemRandom } from '../../src/base/index.ts';
import { openDataset } from '../../src/datasets/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import {
  definitionDigest,
  type EvalDefinition,
  normalizeEval,
  scoringDigest,
  targetDigest,
} from '../../src/evals/index.ts';
import { createWriter, type JournalWriter, type RunRecord } from '../../src/journal/index.ts';
import { logFileName } from '../../src/log/index.ts';
import { logStartOf } from '../../src/runner/eval-spec.ts';
import { executeSamples, Slots } from '../../src/runner/execute.ts';
import { NO_ANSWERS } from '../../src/runner/journal-recorder.ts';
import { makePlan } from '../../src/runner/plan.ts';
import { runSample, type SampleRunner } from '../../src/runner/run-sample.ts';
import type { SampleJournal } from '../../src/runner/sample-journal.ts';
import {
  createModels,
  createWorkspace,
  type LanguageModel,
  NO_ARTIFACTS,
  resolveTarget,
} from '../../src/targets/index.ts';

export interface BenchRunOptions {
  readonly definition: EvalDefinition;
  readonly concurrency: number;
  readonly dir: string;
  readonly model?: { readonly name: string; readonly model: LanguageModel };
}

/** The parts of a run as the runner puts them together, so that the journal can be taken out. */
export interface BenchRun {
  readonly samples: number;
  createJournal(): Promise<JournalWriter>;
  /** Runs a slice of the samples, or all; gives the milliseconds it took. */
  execute(journal: SampleJournal, slice?: { readonly from: number; readonly to: number }): Promise<number>;
  readonly logPath: string;
  close(): Promise<void>;
}

export async function openBenchRun(options: BenchRunOptions): Promise<BenchRun> {
  const planned = normalizeEval(options.definition);
  const models = createModels({
    env: {},
    concurrency: options.concurrency,
    ...(options.model ? { scripted: { [options.model.name]: options.model.model } } : {}),
  });
  const target = await resolveTarget(options.definition.target as Parameters<typeof resolveTarget>[0], {
    models,
    disk: nodeDisk,
    baseDir: options.dir,
    ...(options.model ? { model: options.model.name } : {}),
  });
  const dataset = await openDataset({
    data: planned.data,
    baseDir: options.dir,
    disk: nodeDisk,
    tempDir: options.dir,
  });
  const plan = makePlan({
    eval: planned.name,
    version: String(planned.version),
    targetName: target.name,
    target: targetDigest(planned, { key: target.key }),
    scoring: scoringDigest(planned),
    definition: definitionDigest(planned),
    epochs: planned.epochs.count,
    rows: dataset,
  });
  const nowMs = systemClock.nowMs();
  const runId = newRunId(nowMs, systemRandom);
  const created = isoSeconds(nowMs);
  const start = logStartOf({
    runId,
    created,
    eval: planned,
    target,
    plan,
    dataset,
    concurrency: options.concurrency,
    version: 'bench',
    random: systemRandom,
    file: undefined,
    redaction: models.redaction,
  });
  const run: RunRecord = {
    runId,
    created,
    start,
    identity: { ...plan.identity, plan: plan.digest },
    planned: plan.samples.length,
    logName: logFileName({ created, task: planned.name, taskId: start.eval.task_id }),
  };
  const runner: SampleRunner = {
    target,
    scorers: planned.scorers,
    scorerTimeMs: planned.scorerTimeMs,
    limits: planned.limits,
    models,
    clock: systemClock,
    random: systemRandom,
    disk: nodeDisk,
    scoring: plan.identity.scoring,
    code: undefined,
    openWorkspace: ({ id, epoch }) =>
      createWorkspace({ disk: nodeDisk, workDir: options.dir, sampleId: id, epoch }),
  };
  const never = new AbortController().signal;
  return {
    samples: plan.samples.length,
    logPath: join(options.dir, run.logName),
    createJournal: () =>
      createWriter({
        runDir: join(options.dir, 'journal'),
        run,
        writer: { writer: 'bench', generation: 1, after: [], reuse: 'same' },
        ports: { disk: nodeDisk, clock: systemClock },
      }),
    async execute(journal, slice) {
      const samples = slice ? plan.samples.slice(slice.from, slice.to) : plan.samples;
      const startedMs = performance.now();
      await executeSamples({
        samples,
        slots: new Slots(options.concurrency),
        clock: systemClock,
        signals: { drain: never, abort: never },
        graceMs: 0,
        retries: 0,
        failOnError: true,
        planned: plan.samples.length,
        isBudgetSpent: () => false,
        journalFailure: never,
        runOne: async (sample, signal) =>
          runSample(runner, {
            planned: sample,
            row: await dataset.row(sample.index),
            journal,
            artifacts: NO_ARTIFACTS,
            answers: NO_ANSWERS,
            earlier: [],
            signal,
          }),
      });
      return performance.now() - startedMs;
    },
    close: () => dataset.close(),
  };
}
