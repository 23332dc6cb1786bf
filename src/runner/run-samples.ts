import { sampleKeyText } from '../base/index.ts';
import type { Dataset } from '../datasets/index.ts';
import type { SegmentShipper } from '../journal/index.ts';
import { createWorkspace, type RunnableTarget } from '../targets/index.ts';
import { earlierErrors } from './earlier-errors.ts';
import { type Executed, executeSamples } from './execute.ts';
import type { ReuseFindings } from './find-reusable.ts';
import { findFinishedTarget } from './finished-target.ts';
import { answersToReplay, NO_ANSWERS } from './journal-recorder.ts';
import type { OpenRun } from './open-run.ts';
import type { Plan, PlannedSample } from './plan.ts';
import { runSample, type SampleOutcome, type SampleRunner } from './run-sample.ts';
import type { RunTally } from './run-tally.ts';
import type { RunSettings, RunTask } from './settings.ts';
import type { Stock } from './take-stock.ts';

export interface SamplesToRun {
  readonly settings: RunSettings;
  readonly task: RunTask;
  readonly target: RunnableTarget;
  readonly dataset: Dataset;
  readonly plan: Plan;
  readonly opened: OpenRun;
  readonly stock: Stock;
  readonly findings: ReuseFindings;
  readonly tally: RunTally;
  readonly shipper: SegmentShipper | undefined;
}

/** Runs what is left to run, until all of it ended or the run must stop. */
export function runSamples(about: SamplesToRun): Promise<Executed> {
  const { settings, task, target, plan, opened, stock, tally } = about;
  const runner = sampleRunner(about);
  return executeSamples({
    samples: stock.toRun,
    slots: settings.slots,
    clock: settings.clock,
    signals: settings.signals,
    graceMs: settings.graceMs,
    retries: task.eval.retries,
    failOnError: task.eval.failOnError,
    planned: plan.size,
    isBudgetSpent: () => task.models.budget.isExhausted(),
    journalFailure: opened.writer.onFailure,
    runOne: (sample, signal) => runOne(sample, signal, { ...about, runner }),
    onStart: (sample) => task.observer?.onSampleStart?.(sample),
    onEnd: (sample, outcome) =>
      tally.countEnd(sample, outcome, {
        before: stock.tried.get(nameOf(sample)),
        canReplay: !target.startsOver,
      }),
  });
}

function sampleRunner({ settings, task, target, opened }: SamplesToRun): SampleRunner {
  const { disk, clock, random, places } = settings;
  return {
    target,
    scorers: task.eval.scorers,
    limits: task.eval.limits,
    models: task.models,
    clock,
    random,
    disk,
    openWorkspace: ({ id, epoch }, existing) =>
      createWorkspace({
        ...(existing === undefined ? {} : { existing }),
        disk,
        workDir: places.state.workDir(opened.run.runId),
        sampleId: id,
        epoch,
      }),
  };
}

async function runOne(
  planned: PlannedSample,
  signal: AbortSignal,
  about: SamplesToRun & { readonly runner: SampleRunner },
): Promise<SampleOutcome> {
  const { settings, target, dataset, opened, stock, findings, tally, shipper, runner } = about;
  const { journals, writer } = opened;
  const wasTried = stock.tried.has(nameOf(planned));
  const finished =
    wasTried && target.startsOver ? await findFinishedTarget(settings.disk, journals, planned) : undefined;
  const outcome = await runSample(runner, {
    planned,
    ...(finished ? { finished } : {}),
    row: await dataset.row(planned.index),
    journal: writer,
    answers: wasTried
      ? answersToReplay(journals.answersAt(planned.id, planned.epoch), opened.run.runId)
      : NO_ANSWERS,
    earlier: await earlierErrors(settings.places.logs, { journals, planned, findings }),
    signal,
  });
  const isWasted = outcome.status === 'errored' || (outcome.status === 'interrupted' && target.startsOver);
  tally.ledger.attempt(outcome.totals, isWasted);
  // With a bucket, a sample counts as completed only after the bucket was offered its result.
  if (outcome.status !== 'interrupted') await shipper?.ship();
  return outcome;
}

function nameOf({ id, epoch }: PlannedSample): string {
  return sampleKeyText(id, epoch);
}
