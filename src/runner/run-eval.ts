import { join } from 'node:path';
import {
  ActionableError,
  counted,
  DamageError,
  definedOf,
  messageOf,
  namedOnce,
  type RunId,
  toJson,
  UsageError,
} from '../base/index.ts';
import { createFile, sweepTemps } from '../disk/index.ts';
import { type JournalReader, journalPath, type SegmentShipper, sweepShells } from '../journal/index.ts';
import { releaseRun, sweepReleased } from '../seal/index.ts';
import type { BudgetAccount } from './account.ts';
import { spentByAgent } from './agent-spending.ts';
import { findDone } from './already-done.ts';
import { artifactAccount } from './artifacts/artifact-account.ts';
import { unfinishedOf } from './artifacts/earlier-pins.ts';
import { artifactsOfEval } from './artifacts/eval-artifacts.ts';
import type { RunArtifacts } from './artifacts/run-artifacts.ts';
import { type BroughtHome, bringHome } from './bring-home.ts';
import { bringLogsHome } from './bring-logs-home.ts';
import { checkSpace } from './check-space.ts';
import { boughtUntold } from './count-lost.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import { logStartOf } from './eval-spec.ts';
import type { Executed } from './execute.ts';
import { endRun, leaveFailed, type RunOutcome } from './finish-run.ts';
import { type LookBack, lookBack } from './look-back.ts';
import type { RunStarted } from './observer.ts';
import { beginRun, goOnWith, isBusy, type OpenRun } from './open-run.ts';
import { earlierRunsOf, type PreparedEval, prepareEval } from './prepare-eval.ts';
import { releaseSealed } from './release-sealed.ts';
import { runSamples, type SamplesToRun } from './run-samples.ts';
import { RunTally } from './run-tally.ts';
import { addCosts, type ExpectedCost, expectedCost } from './sample-costs.ts';
import type { RunSettings, RunTask } from './settings.ts';
import { shipLogs } from './ship-logs.ts';
import { takeOver } from './take-over.ts';
import { isBegunFresh, type Stock, takeStock } from './take-stock.ts';
import { unrecordedNotes } from './unrecorded.ts';

/** How often it is tried to open a run that others want, too. */
const ROUNDS_MAX = 5;

/** Runs one eval on one target: completes whatever earlier attempts left, and ends with the account. */
export async function runEval(task: RunTask, settings: RunSettings): Promise<RunOutcome> {
  let brought: BroughtHome | undefined;
  const prepared = await prepareEval(task, settings, {
    artifactsOf: ({ dataset, identity }) =>
      artifactsOfEval({
        ...{ task, settings, dataset, runTask: runEval },
        asker: identity,
        unfinished: async () => {
          // A run whose machine is gone says what it had pinned only when it is here.
          brought = await bringHome(settings, { identity });
          return unfinishedOf(settings, identity);
        },
      }),
  });
  try {
    const outcome = await runPlanned({ ...prepared, ...definedOf({ brought }) });
    await tryKeepAccount(outcome, settings);
    return outcome;
  } finally {
    await prepared.dataset.close();
  }
}

async function runPlanned(prepared: PreparedEval & { readonly brought?: BroughtHome }): Promise<RunOutcome> {
  const { task, settings, target, plan } = prepared;
  const { disk, places, clock } = settings;
  const tally = new RunTally({ target: target.name, plan, observer: task.observer, budget: budgetOf(task) });
  if (prepared.artifacts) tellArtifacts(prepared.artifacts, tally);
  await disk.makeDir(places.state.path);
  await checkSpace(places.state.path);
  await sweepReleased(disk, places.state);
  await sweepShells(disk, places.state.path, clock);
  // An unfinished log of a process that died: whoever comes next sweeps it, whether or not a log is made.
  await sweepTemps(disk, places.logDir);
  for (const note of await bringLogsHome(settings, plan)) tally.note(note);
  tally.unshipped = await shipLogs(settings, plan);
  const brought = prepared.brought ?? (await bringHome(settings, plan));
  for (const note of brought.notes) tally.note(note);
  for (const sentence of brought.damage) tally.noteDamage(sentence);
  const found = await openRun({ ...prepared, tally });
  await prepared.artifacts?.paid?.forget();
  const { states } = tally;
  if ('account' in found) return { ...found, states };
  const { opened } = found;
  await using earlier = found.earlier;
  try {
    const outcome = await work({ ...prepared, tally, earlier, opened });
    return { ...outcome, states, paidUsd: tally.paidUsd };
  } catch (error) {
    if (error instanceof UsageError && opened.journals.isUnpaid()) await forget(opened, settings);
    throw error;
  } finally {
    opened.close();
    await opened.clear();
  }
}

function tellArtifacts(artifacts: RunArtifacts, tally: RunTally): void {
  tally.artifacts = artifactAccount(artifacts);
  for (const sentence of tally.artifacts.mended) tally.note(sentence);
  for (const { state } of artifacts.all)
    if (state.kind === 'unavailable' && state.error instanceof DamageError)
      tally.noteDamage(`${state.error.message} ${state.error.hint}`);
}

/** Asked for when the account is made: until then it is spent from. */
function budgetOf({ models, isBudgetShared = false }: RunTask): () => BudgetAccount | undefined {
  const { budget } = models;
  return () =>
    budget.limitUsd === undefined
      ? undefined
      : {
          limitUsd: budget.limitUsd,
          spentUsd: budget.spentUsd,
          isShared: isBudgetShared,
          allowsUnpriced: !budget.needsPrices,
        };
}

interface Planned extends PreparedEval {
  readonly tally: RunTally;
}

interface Opened {
  readonly opened: OpenRun;
  readonly earlier: EarlierRuns;
}

/** A run to work on; or the outcome, when there is nothing to do. */
async function openRun(planned: Planned): Promise<Opened | RunOutcome> {
  const { settings, plan, tally } = planned;
  const options = { settings, plan, startOf: startOf(planned), builds: planned.artifacts?.paid?.costs };
  for (let round = 1; ; round++) {
    const back = await lookBackWhenFree(planned);
    for (const sealed of back.sealed) await releaseSealed(sealed, { settings, tally });
    if (back.stale.length > 0) await planned.artifacts?.paid?.keepOnRecord();
    for (const stale of back.stale) await takeOver(stale, { ...options, tally });
    const earlier = await openEarlier(planned);
    try {
      const done = back.goOn
        ? undefined
        : await findDone({ plan, earlier, tally, logs: settings.places.logs });
      if (done) {
        await earlier[Symbol.asyncDispose]();
        return done;
      }
      const opened = back.goOn ? await goOnWith(back.goOn, options) : await beginRun(options);
      noteFound(back, opened, tally);
      // What a command that buys everything anew began itself is its own.
      const isOwn = settings.reuse === 'none' && settings.ownRuns.size > 0;
      return {
        opened,
        earlier: isBegunFresh(opened.journals) && !isOwn ? await earlier.withoutLogs() : earlier,
      };
    } catch (error) {
      await earlier[Symbol.asyncDispose]();
      // Another process was quicker to go on with the run that was found. It is that one's now.
      if (!isBusy(error) || round === ROUNDS_MAX) throw error;
    }
  }
}

async function openEarlier({ tally, ...prepared }: Planned): Promise<EarlierRuns> {
  const earlier = await earlierRunsOf(prepared, {
    onDamage: (sentence) => tally.noteDamage(sentence),
    onNote: (sentence) => tally.note(sentence),
  });
  for (const { path, reason, isOurs, isRead, isPublished } of earlier.unreadable) {
    if (isPublished) {
      tally.note(`${path} could not be read, and lends nothing: ${reason}`);
      continue;
    }
    const sentence = isRead
      ? `A log is damaged and was left as it is: ${namedOnce(path, reason)} Its whole samples are taken over; when they stand in a new log, it can be removed.`
      : `A log could not be read and was left as it is: ${namedOnce(path, reason)} What is whole in it can be saved: holdfast recover ${path} --force-dead`;
    if (isOurs) tally.noteDamage(sentence);
    else tally.note(sentence);
  }
  return earlier;
}

/** A crashed run that another process has in its hands for a moment is worth waiting for: all of it is paid for already. */
const WAITS_MAX = 50;
const WAIT_MS = 200;

async function lookBackWhenFree({ settings, plan, task }: Planned): Promise<LookBack> {
  for (let wait = 0; ; wait++) {
    const back = await lookBack(settings, plan, task);
    const isStopping = settings.signals.drain.aborted || settings.signals.abort.aborted;
    if (!back.isBusy || wait === WAITS_MAX || isStopping) return back;
    await settings.clock.sleep(WAIT_MS);
  }
}

function noteFound(back: LookBack, opened: OpenRun, tally: RunTally): void {
  for (const note of [...back.notes, ...opened.notes]) tally.note(note);
  const { damage } = opened;
  for (const sentence of [...back.damage, ...damage.sentences]) tally.noteDamage(sentence);
  if (damage.lost) tally.countLost(damage.lost);
  if (damage.lost && damage.lost.results > 0)
    tally.note(
      `${damage.lost.results} of the samples that had ended lost their results. They are run again, and counted by what is left of them: as fresh when that is nothing.`,
    );
}

async function work(planned: Planned & Opened): Promise<RunOutcome> {
  const { task, settings, target, plan, tally, earlier, opened, dataset } = planned;
  tally.previous = opened.previous;
  tally.earlierUsd = opened.journals.spentUsd() + spentByAgent(opened.journals, target);
  task.models.budget.countEarlier(opened.run.runId, tally.earlierUsd);
  task.models.calls.onFailedTry = (failed) => task.observer?.onFailedTry?.(failed);
  const shipper = startShipper(planned);
  const finish = { settings, task, plan, opened, tally, shipper };
  try {
    const stock = await takeStock(opened, { plan, earlier, tally, artifacts: planned.artifacts });
    noteStartingOver(stock.tried, planned);
    for (const note of unrecordedNotes(stock.unrecorded, target)) tally.note(note);
    task.observer?.onRunStart?.({
      runId: opened.run.runId,
      eval: plan.identity.eval,
      target: target.name,
      planned: plan.size,
      kept: tally.states.kept,
      reused: tally.states.reused,
      ...forecastOf(stock, earlier),
      ...(opened.previous ? { previous: opened.previous } : {}),
    });
    const { stopped, cause } = await runWherever({ ...planned, stock, shipper }, finish);
    for (const sentence of (await planned.artifacts?.shared()) ?? []) tally.note(sentence);
    // Every sample is in the journals now, and its rows weigh as much as sealing does.
    await dataset.close();
    const ended = await endRun(stopped, finish);
    return cause === undefined ? ended : { ...ended, error: cause };
  } catch (error) {
    if (opened.writer.failure === undefined) throw error;
    return await leaveFailed(opened.writer.failure, finish);
  } finally {
    shipper?.stop();
    for (const reader of finish.opened.journals.readers)
      if (!opened.journals.readers.includes(reader)) reader.close();
  }
}

/** Only a command can start itself again; a program that calls `runEval` has its eval in its own memory. */
const NOT_ISOLATED =
  'The samples run in this process, although the eval says `isolate`: run it with "holdfast run" or "holdfast submit".';

/** Here, or in other processes: then their journals are part of what is sealed. */
async function runWherever(
  samples: Omit<SamplesToRun, 'elsewhere'> & { readonly opened: OpenRun },
  finish: { opened: OpenRun },
): Promise<Executed> {
  const { settings, task, opened, tally } = samples;
  if (samples.stock.toDo.length === 0) return runSamples(samples);
  const elsewhere = await settings.elsewhere?.open({
    ...{ task, run: opened.run, writer: opened.writer.record },
    onNote: (sentence) => tally.note(sentence),
    onDamage: (sentence) => tally.noteDamage(sentence),
  });
  if (!elsewhere) {
    if (task.eval.isIsolated) tally.note(NOT_ISOLATED);
    return runSamples(samples);
  }
  try {
    return await runSamples({ ...samples, elsewhere });
  } finally {
    const runDir = settings.places.state.runDir(opened.run.runId);
    const theirs: JournalReader[] = [];
    const { journals } = finish.opened;
    try {
      for (const { writer, toldBefore } of await elsewhere.close()) {
        const journal = journals.read(journalPath(runDir, writer));
        theirs.push(journal);
        if (toldBefore) tally.ledger.add(boughtUntold(journal, toldBefore));
      }
    } finally {
      // Also when one of them cannot be read: those that were opened are closed with all others.
      finish.opened = { ...finish.opened, journals: journals.with(...theirs) };
    }
  }
}

export function startShipper({
  settings,
  opened,
  tally,
}: Pick<Planned, 'settings' | 'tally'> & {
  readonly opened: Pick<OpenRun, 'writer'>;
}): SegmentShipper | undefined {
  const { segments } = settings.places;
  if (!segments) return undefined;
  const shipper = opened.writer.shipTo({
    ...segments,
    intervalMs: settings.segmentIntervalMs,
    onProblem: (error) => {
      // A writer that was fenced ships nothing more; what it ends with says so.
      if (opened.writer.failure === undefined) tally.note(shippingProblem(error));
    },
  });
  shipper.start();
  return shipper;
}

function shippingProblem(error: unknown): string {
  if (error instanceof ActionableError && error.code === 'E_SEGMENT_CONFLICT')
    return `${error.message} ${error.hint}`;
  return `The bucket did not take a segment, and will be asked again: ${messageOf(error)}`;
}

export function startOf({ task, settings, target, plan, dataset, artifacts }: PreparedEval) {
  return (runId: RunId, created: string) =>
    logStartOf({
      runId,
      created,
      eval: task.eval,
      target,
      plan,
      dataset,
      concurrency: settings.slots.count,
      version: settings.version,
      revision: settings.revision,
      random: settings.random,
      file: task.file,
      pins: artifacts?.pins(),
      redaction: task.models.redaction,
    });
}

function forecastOf(
  { toDo, outputs, toReplay, refused, costs }: Stock,
  earlier: EarlierRuns,
): Pick<RunStarted, 'toScore' | 'toReplay' | 'toBuy' | 'refused' | keyof ExpectedCost> {
  const toBuy = toDo.length - outputs.size - toReplay - refused;
  const expected = expectedCost(addCosts(earlier.costs(), costs), { toBuy, toReplay });
  return { toScore: outputs.size, toReplay, toBuy, refused, ...expected };
}

function noteStartingOver(tried: ReadonlyMap<string, string>, { target, tally }: Planned): void {
  if (!target.startsOver) return;
  const count = [...tried.values()].filter((status) => status === 'interrupted').length;
  if (count === 0) return;
  tally.note(
    `${counted(count, 'interrupted sample')} to start over, unless only the scoring was left: what happens inside a command cannot be replayed.`,
  );
}

/** A run that could not begin, because the eval is wrong, leaves nothing behind. */
async function forget(opened: OpenRun, { disk, places }: RunSettings): Promise<void> {
  opened.journals.close();
  opened.writer.close();
  await releaseRun(disk, places.state, opened.run.runId);
}

/**
 * The account goes to a file too, one for each time the run was worked on. Best effort: on a full disk it is only
 * printed.
 */
async function tryKeepAccount({ account, error }: RunOutcome, settings: RunSettings): Promise<void> {
  const { disk, places, clock } = settings;
  const name = `${account.runId}-${clock.nowMs()}.json`;
  try {
    await disk.makeDir(places.state.accountsDir);
    const text = `${JSON.stringify(toJson(account), null, 2)}\n`;
    await createFile(disk, join(places.state.accountsDir, name), Buffer.from(text));
  } catch (failure) {
    if (error === undefined || !(failure instanceof ActionableError)) throw failure;
  }
}
