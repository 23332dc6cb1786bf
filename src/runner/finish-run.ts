import {
  ActionableError,
  asSentence,
  counted,
  errnoOf,
  type JsonObject,
  messageOf,
  toJson,
} from '../base/index.ts';
import type { SegmentShipper } from '../journal/index.ts';
import type { EvalResults } from '../log/index.ts';
import {
  ACCOUNT_KEY,
  applySeal,
  countNotIn,
  planSeal,
  type SealPlan,
  type SealReport,
  setRunAside,
} from '../seal/index.ts';
import type { Account } from './account.ts';
import type { StopReason } from './execute.ts';
import { letRunGo } from './let-run-go.ts';
import type { OpenRun } from './open-run.ts';
import type { Plan } from './plan.ts';
import type { RunTally } from './run-tally.ts';
import type { SampleStates } from './sample-states.ts';
import type { RunSettings, RunTask } from './settings.ts';
import { shipLogs } from './ship-logs.ts';

export interface RunOutcome {
  readonly account: Account;
  readonly results?: EvalResults;
  /** What became of each sample. */
  readonly states?: SampleStates;
  /** What the run has cost so far, as far as prices are known, over all attempts at it. */
  readonly paidUsd?: number;
  /** Why the run stopped, when that was no decision: a full disk, a journal that is gone. */
  readonly error?: unknown;
}

export interface Finish {
  readonly settings: RunSettings;
  readonly task: RunTask;
  readonly plan: Plan;
  readonly opened: OpenRun;
  readonly tally: RunTally;
  readonly shipper: SegmentShipper | undefined;
}

/**
 * Ends a run in which everything ran that may. Whatever fails then, its samples are durable: the account is made all the same,
 * with the error beside it.
 */
export async function endRun(stopped: StopReason | undefined, finish: Finish): Promise<RunOutcome> {
  try {
    return await (stopped ? leaveResumable(stopped, finish) : finishRun(finish));
  } catch (error) {
    return await leaveFailed(finish.opened.writer.failure ?? explainedEnd(error, finish.settings), finish);
  }
}

/** A run that stopped early: everything stays, and the same command goes on. */
async function leaveResumable(
  state: StopReason,
  { opened, tally, shipper, settings }: Finish,
): Promise<RunOutcome> {
  await opened.writer.end(state);
  await shipper?.ship();
  const plan = await planSeal(opened.journals, settings.places.logs);
  return {
    account: tally.account(state, opened.run.runId, { isCompleted: (name) => plan.completed.has(name) }),
  };
}

/** The journal took nothing more: what was acknowledged before is there, and the account says so. */
export async function leaveFailed(error: unknown, { opened, tally, settings }: Finish): Promise<RunOutcome> {
  const completed = await tryPlan(opened, settings);
  return {
    account: tally.account('failed', opened.run.runId, {
      isCompleted: (name) => completed?.completed.has(name) ?? true,
    }),
    error,
  };
}

/** Best effort: where writing failed, reading may fail as well, and then the account is what was counted. */
async function tryPlan({ journals }: OpenRun, { places }: RunSettings): Promise<SealPlan | undefined> {
  try {
    return await planSeal(journals, places.logs);
  } catch {
    // What stopped the run is told; that this failed too, or that the journals are closed already, follows from it.
    return undefined;
  }
}

/** ENOTDIR and the like, which no code of ours stands for. Errors of Node itself have names with an underscore. */
function isOfSystem(error: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(errnoOf(error) ?? '');
}

/** What the file system says without a code of ours is about the logs: the journal explains its own failures. Bugs are thrown. */
function explainedEnd(error: unknown, { places }: RunSettings): unknown {
  if (error instanceof ActionableError) return error;
  if (!isOfSystem(error)) throw error;
  return new ActionableError({
    code: 'E_LOG_DIR_GONE',
    message: `The logs in ${places.logDir} cannot be reached any more: ${asSentence(messageOf(error))}`,
    hint: 'All that was paid for is in the journal. Put the directory back, then run the same command again.',
    cause: error,
  });
}

/**
 * Seals a run of which nothing is left to do, and lets it go.
 *
 * ### Ordering
 * The plan is made once. The log is in place and was read back, and with a bucket it is in there as well, before a
 * journal or a segment goes [SEAL-5] [SEG-9].
 */
async function finishRun(finish: Finish): Promise<RunOutcome> {
  const { settings, task, opened, tally } = finish;
  const { clock, places } = settings;
  const plan = await planSeal(opened.journals, places.logs);
  await refuseHoles(plan, finish);
  for (const problem of plan.problems) tally.note(problem);
  const accountOf = (final: SealPlan, log: string) =>
    tally.account('done', opened.run.runId, {
      log,
      isCompleted: (name) => final.completed.has(name),
      unwritable: final.unwritable,
    });
  // Its last word: a writer that was declared dead finds out here, before anything gets a name.
  await opened.writer.end('finished');
  const report = await applySeal(plan, {
    clock,
    assertOwned: () => opened.writer.assertMayWrite(),
    logs: places.logs,
    outcome: { status: 'success' },
    metadata: (final): JsonObject => ({
      [ACCOUNT_KEY]: toJson(accountOf(final, places.logs.placeOf(opened.run.logName))),
    }),
    connectionLimits: task.models.gates.flatMap((gate) => toJson(gate.history) as readonly JsonObject[]),
    onProgress: (done, total) => task.observer?.onSealProgress?.(done, total),
  });
  noteUnwritable(report, tally);
  await letGo(report, finish);
  // Logs of earlier runs, too: one that was taken over became a log just now.
  tally.unshipped = await shipLogs(settings, finish.plan);
  const { results } = report.header;
  return { account: accountOf(report.plan, report.place), ...(results ? { results } : {}) };
}

/** A log that lends samples and is gone before the run is sealed would leave a hole: better to stop, resumable. */
async function refuseHoles({ counts, problems }: SealPlan, { opened }: Finish): Promise<void> {
  if (counts.missing === 0) return;
  await opened.writer.end('failed');
  throw new ActionableError({
    code: 'E_REUSED_GONE',
    message: `Other logs were to lend ${counted(counts.missing, 'sample')}, gone by now: ${problems.join(' ')}`,
    hint: 'Everything else is safe. Run the same command again: those samples are then run anew.',
  });
}

function noteUnwritable({ plan, aside }: SealReport, tally: RunTally): void {
  for (const [sample, reason] of plan.unwritable)
    tally.note(
      `Sample ${sample} could not be written into the log (${reason}). Its journal is kept${aside === undefined ? '' : `, and the log with it is ${aside}`}.`,
    );
}

/** The journals stay while they hold what the log does not, and while the bucket does not have the log. */
async function letGo(report: SealReport, finish: Finish): Promise<void> {
  const { settings, opened, tally, shipper } = finish;
  const { disk, places } = settings;
  const { runId } = opened.run;
  // What the bucket did not take before may go there now, and is then removed with the rest.
  await shipper?.finish();
  const absent = report.wasThere ? await countNotIn(places.logs, report.name, report.plan) : 0;
  if (absent > 0) {
    tally.note(
      `${report.place} was made by another process and lacks ${counted(absent, 'sample')} of this one. The journals were kept: holdfast recover ${runId} --output <log> makes a log of them.`,
    );
    return;
  }
  const close = () => {
    opened.writer.close();
    opened.journals.close();
  };
  if (report.plan.unwritable.size > 0 || report.plan.problems.length > 0) {
    close();
    const kept = await setRunAside(disk, places.state, runId);
    tally.note(`Not all of the journals could be used; they are kept in ${kept}.`);
    return;
  }
  const stays = await letRunGo({ runId, logName: report.name, journals: opened.journals, close }, settings);
  if (stays !== undefined) tally.note(`The journals and the segments of this run stay: ${stays}`);
}
