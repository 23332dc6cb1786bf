import { join } from 'node:path';
import { ActionableError, type JsonObject, messageOf, toJson } from '../base/index.ts';
import { type SegmentShipper, segmentKeysOf } from '../journal/index.ts';
import type { EvalResults } from '../log/index.ts';
import {
  ACCOUNT_KEY,
  applySeal,
  countNotIn,
  planSeal,
  releaseRun,
  type SealPlan,
  type SealReport,
  setRunAside,
  shipLog,
} from '../seal/index.ts';
import type { Account, RunState } from './account.ts';
import type { OpenRun } from './open-run.ts';
import type { RunTally } from './run-tally.ts';
import type { RunSettings, RunTask } from './settings.ts';

export interface RunOutcome {
  readonly account: Account;
  readonly results?: EvalResults;
  /** Why the run stopped, when that was no decision: a full disk, a journal that is gone. */
  readonly error?: unknown;
}

export interface Finish {
  readonly settings: RunSettings;
  readonly task: RunTask;
  readonly opened: OpenRun;
  readonly tally: RunTally;
  readonly shipper: SegmentShipper | undefined;
}

/** A run that stopped early: everything stays, and the same command goes on. */
export async function leaveResumable(
  state: Exclude<RunState, 'done'>,
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

/** Best effort: on a disk that failed, reading may fail as well, and then the account is what was counted. */
async function tryPlan({ journals }: OpenRun, { places }: RunSettings): Promise<SealPlan | undefined> {
  try {
    return await planSeal(journals, places.logs);
  } catch (error) {
    if (error instanceof ActionableError) return undefined;
    throw error;
  }
}

/**
 * Seals a run of which nothing is left to do, and lets it go.
 *
 * ### Ordering
 * The plan is made once. The log is in place and was read back, and with a bucket it is in there as well, before a
 * journal or a segment goes [SEAL-5] [SEG-9].
 */
export async function finishRun(finish: Finish): Promise<RunOutcome> {
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
  const { results } = report.header;
  return { account: accountOf(report.plan, report.place), ...(results ? { results } : {}) };
}

/** A log that lends samples and is gone before the run is sealed would leave a hole: better to stop, resumable. */
async function refuseHoles({ counts, problems }: SealPlan, { opened }: Finish): Promise<void> {
  if (counts.missing === 0) return;
  await opened.writer.end('failed');
  throw new ActionableError({
    code: 'E_REUSED_GONE',
    message: `${counts.missing} sample(s) that other logs were to lend are gone: ${problems.join(' ')}`,
    hint: 'Everything else is safe. Run the same command again: those samples are then run anew.',
  });
}

function noteUnwritable({ plan, aside }: SealReport, tally: RunTally): void {
  for (const [sample, reason] of plan.unwritable)
    tally.note(
      `Sample ${sample} could not be written into the log (${reason}). Its journal is kept${aside === undefined ? '' : `, and the log with it is ${aside}`}.`,
    );
}

async function letGo(report: SealReport, finish: Finish): Promise<void> {
  const { settings, opened, tally, shipper } = finish;
  const { disk, places } = settings;
  const { runId } = opened.run;
  // What the bucket did not take before may go there now, and is then removed with the rest.
  await shipper?.finish();
  const keys = await tryListSegments(finish);
  const absent = report.wasThere ? await countNotIn(places.logs, report.name, report.plan) : 0;
  opened.writer.close();
  opened.journals.close();
  if (absent > 0) {
    tally.note(
      `${report.place} was made by another process and lacks ${absent} sample(s) of this one. The journals were kept: holdfast recover ${runId} --output <log> makes a log of them.`,
    );
    return;
  }
  const isShipped = await tryShip(report, finish);
  if (report.plan.unwritable.size > 0 || report.plan.problems.length > 0) {
    const kept = await setRunAside(disk, places.state, runId);
    tally.note(`Not all of the journals could be used; they are kept in ${kept}.`);
    return;
  }
  await releaseRun(disk, places.state, runId);
  if (isShipped) await tryRemoveSegments(keys, finish);
}

/** Best effort: the log is whole here, and the segments stay in the bucket until it is there too. */
async function tryShip({ name }: SealReport, { settings, tally }: Finish): Promise<boolean> {
  const { disk, places } = settings;
  if (!places.segments) return false;
  try {
    const { bucket } = places.segments;
    await shipLog({ disk, path: join(places.logDir, name), bucket, key: name });
    return true;
  } catch (error) {
    tally.note(`The log could not be put into the bucket, so its segments stay there: ${messageOf(error)}`);
    return false;
  }
}

/** Asked for while the journals are still there: they say which segments they hold. None when the bucket does not answer [SEG-6]. */
async function tryListSegments({ settings, opened, tally }: Finish): Promise<readonly string[]> {
  const { disk, places } = settings;
  if (!places.segments) return [];
  try {
    return await segmentKeysOf(opened.journals, { disk, ...places.segments });
  } catch (error) {
    tally.note(
      `The segments of this run could not be listed, so they stay in the bucket: ${messageOf(error)}`,
    );
    return [];
  }
}

/** Only those whose rows the journals held: what another writer may have added since is nobody's to remove [SEG-9]. */
async function tryRemoveSegments(keys: readonly string[], { settings, tally }: Finish): Promise<void> {
  try {
    await settings.places.segments?.bucket.removeAll(keys);
  } catch (error) {
    tally.note(`The segments of this run could not be removed from the bucket: ${messageOf(error)}`);
  }
}
