import { ActionableError, counted, definedOf, messageOf, sampleKeyText } from '../base/index.ts';
import type { Dataset } from '../datasets/index.ts';
import type { SegmentShipper } from '../journal/index.ts';
import { unionOfAnswers } from '../log/index.ts';
import { createWorkspace, NO_ARTIFACTS, type RunnableTarget } from '../targets/index.ts';
import type { RunArtifacts } from './artifacts/run-artifacts.ts';
import { earlierErrors } from './earlier-errors.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import type { EndedElsewhere, OpenElsewhere } from './elsewhere.ts';
import { type Executed, executeSamples } from './execute.ts';
import { findFinishedTarget } from './finished-target.ts';
import { answersToReplay, NO_ANSWERS, type RecordedAnswers } from './journal-recorder.ts';
import { type KeptOutput, readKeptOutput } from './kept-output.ts';
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
  readonly opened: Pick<OpenRun, 'run' | 'writer' | 'journals'>;
  readonly stock: Stock;
  readonly earlier: EarlierRuns;
  readonly tally: RunTally;
  readonly shipper: SegmentShipper | undefined;
  readonly artifacts: RunArtifacts | undefined;
  /** Where samples run, if not here. */
  readonly elsewhere?: OpenElsewhere | undefined;
}

/** Runs what is left to run, until all of it ended or the run must stop. */
export async function runSamples(about: SamplesToRun): Promise<Executed> {
  const { settings, task, plan, opened, stock, tally } = about;
  const runner = sampleRunner(about);
  let completed = 0;
  const executed = await executeSamples({
    samples: stock.toDo,
    slots: settings.slots,
    clock: settings.clock,
    signals: settings.signals,
    graceMs: settings.graceMs,
    // Whoever runs them elsewhere tries again there.
    retries: about.elsewhere ? 0 : task.eval.retries,
    failOnError: task.eval.failOnError,
    planned: plan.size,
    isBudgetSpent: () => task.models.budget.isExhausted(),
    journalFailure: opened.writer.onFailure,
    hopeless: task.models.calls.stop,
    runOne: (sample, signal, before) =>
      about.elsewhere
        ? runElsewhere(sample, signal, { ...about, runner, elsewhere: about.elsewhere })
        : runOne({ planned: sample, before }, signal, { ...about, runner }),
    onStart: (sample) => task.observer?.onSampleStart?.(sample),
    onEnd: (sample, outcome) => {
      if (outcome.status === 'completed') completed++;
      tally.countEnd(sample, outcome, stock.tried.get(nameOf(sample)));
    },
  });
  const isWhole = settings.sealsWhatIsWhole === true && completed === stock.toDo.length;
  return isWhole && executed.stopped !== 'failed' ? {} : executed;
}

async function runElsewhere(
  planned: PlannedSample,
  signal: AbortSignal,
  about: SamplesToRun & { readonly runner: SampleRunner; readonly elsewhere: OpenElsewhere },
): Promise<SampleOutcome> {
  const { stock, tally, elsewhere, artifacts } = about;
  const name = nameOf(planned);
  // What cannot be run at all is told here.
  const refused = artifacts?.forRow(planned.index);
  if (refused instanceof ActionableError) return runOne({ planned, before: undefined }, signal, about);
  const wasTried = stock.tried.has(name);
  const ended = await elsewhere.runSample({ planned, kept: stock.outputs.get(name), wasTried, signal });
  if (ended.kind === 'lost')
    return runOne({ planned, before: undefined }, signal, about, noneCameBack(ended));
  if (ended.kind === 'interrupted')
    return { status: 'interrupted', reason: signal.reason, totals: NOTHING_COUNTED };
  tally.ledger.add(ended.counted);
  return ended.outcome;
}

const NOTHING_COUNTED: SampleOutcome['totals'] = {
  ...{ tokens: 0, turns: 0, messages: 0, boughtCalls: 0, replayedCalls: 0, failedCalls: 0 },
  ...{ spentUsd: 0, savedUsd: 0, savedTokens: 0, unpricedCalls: 0, unpricedReplays: 0 },
};

function noneCameBack({ reasons }: Extract<EndedElsewhere, { kind: 'lost' }>): ActionableError {
  return new ActionableError({
    code: 'E_WORKERS_LOST',
    message: `${counted(reasons.length, 'worker')} did not come back from this sample: ${reasons.join('; ')}.`,
    hint: 'Look for what takes so much memory, or ends the process, with --workers 1 and this sample alone (--id).',
  });
}

/** Tries a sample until it has a result, as often as its eval allows. */
export async function runToResult(
  planned: PlannedSample,
  signal: AbortSignal,
  about: SamplesToRun,
): Promise<SampleOutcome> {
  const runner = sampleRunner(about);
  let outcome = await runOne({ planned, before: undefined }, signal, { ...about, runner });
  for (let retry = 0; retry < about.task.eval.retries && outcome.status === 'errored'; retry++) {
    if (signal.aborted) break;
    outcome = await runOne({ planned, before: outcome }, signal, { ...about, runner });
  }
  return outcome;
}

function sampleRunner({ settings, task, target, plan, opened }: SamplesToRun): SampleRunner {
  const { disk, clock, random, places, onFolder } = settings;
  return {
    target,
    scorers: task.eval.scorers,
    scorerTimeMs: task.eval.scorerTimeMs,
    limits: task.eval.limits,
    models: task.models,
    clock,
    random,
    disk,
    code: task.code,
    scoring: plan.identity.scoring,
    openWorkspace: ({ id, epoch }, existing) =>
      createWorkspace({
        ...definedOf({ existing }),
        disk,
        workDir: places.state.workDir(opened.run.runId),
        sampleId: id,
        epoch,
        onFolder,
      }),
  };
}

interface Try {
  readonly planned: PlannedSample;
  /** How the try before ended, in this very session. */
  readonly before: SampleOutcome | undefined;
}

async function runOne(
  { planned, before }: Try,
  signal: AbortSignal,
  about: SamplesToRun & { readonly runner: SampleRunner },
  failure?: ActionableError,
): Promise<SampleOutcome> {
  const { settings, target, dataset, opened, stock, earlier, tally, shipper, runner, artifacts } = about;
  const { journals, writer } = opened;
  const wasTried = stock.tried.has(nameOf(planned)) || before !== undefined;
  const kept = await keptOutput(planned, about);
  const finished =
    wasTried && target.startsOver ? await findFinishedTarget(settings.disk, journals, planned) : undefined;
  const outcome = await runSample(runner, {
    planned,
    ...(kept ? { kept } : {}),
    ...(finished ? { finished } : {}),
    row: await dataset.row(planned.index),
    artifacts: failure ?? artifacts?.forRow(planned.index) ?? NO_ARTIFACTS,
    journal: writer,
    answers: await answersFor({ planned, before }, about),
    earlier: kept ? [] : await earlierErrors(journals, planned, earlier),
    signal,
  });
  if (kept && outcome.status !== 'interrupted') tally.ledger.reused(kept.fields);
  tally.ledger.attempt(outcome.totals);
  // What an agent that starts over did before is worth nothing; neither are answers that are not to be given again.
  if (outcome.status !== 'completed' && target.startsOver) tally.ledger.waste(outcome.totals);
  else if (before && !before.canReplay) tally.ledger.waste(before.totals);
  // With a bucket, a sample counts as completed only after the bucket was offered its result.
  if (outcome.status !== 'interrupted') await shipper?.ship();
  return outcome;
}

/**
 * All that was ever bought for the sample. But a sample that is tried again in this session, although none of its calls
 * failed, is tried with new answers: those it had led to the error.
 */
async function answersFor(
  { planned, before }: Try,
  { earlier, opened, stock }: SamplesToRun,
): Promise<RecordedAnswers> {
  if (before && !before.canReplay) return NO_ANSWERS;
  const { journals, run } = opened;
  const wasTried = before !== undefined || stock.tried.has(nameOf(planned));
  const rows = wasTried ? journals.answersAt(planned.id, planned.epoch) : [];
  const own = rows.map((answer) => ({ from: run.runId, ...answer }));
  return answersToReplay(unionOfAnswers([await earlier.answers(planned), own]));
}

/** Undefined when the output is not there after all: then the target runs. */
async function keptOutput(
  planned: PlannedSample,
  { stock, earlier, settings, tally, target }: SamplesToRun,
): Promise<KeptOutput | undefined> {
  const found = stock.outputs.get(nameOf(planned));
  if (!found) return undefined;
  try {
    return await readKeptOutput(await earlier.log(found.log), { planned, found, settings, target });
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    tally.noteDamage(
      `The output of sample ${planned.id}, epoch ${planned.epoch}, in ${found.log} cannot be read, and the target runs again: ${messageOf(error)}`,
    );
    return undefined;
  }
}

function nameOf({ id, epoch }: PlannedSample): string {
  return sampleKeyText(id, epoch);
}
