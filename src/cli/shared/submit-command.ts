import { join, resolve } from 'node:path';
import {
  counted,
  definedOf,
  isoTime,
  type JsonObject,
  messageOf,
  shortId,
  systemClock,
  systemRandom,
  toJson,
} from '../../base/index.ts';
import { type Bundle, rememberBundle, signSubmit, uploadBundle } from '../../bundle/index.ts';
import {
  beginRound,
  createSubmission,
  enqueueDue,
  type JobQueue,
  joinPurse,
  rangesText,
  SHARED_VERSION,
  SharedRun,
  type Submission,
  type SubmittedWork,
  submittedBuilds,
  uploadLenders,
} from '../../cluster/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { PlannedItem } from '../../runner/index.ts';
import { reachedBy } from '../../targets/index.ts';
import { fileProgress } from '../artifacts/file-progress.ts';
import { memoryOfBundle } from '../bundle/project-bundle.ts';
import type { CommandCall } from '../command.ts';
import type { SubmitFlags } from '../commands/submit.ts';
import type { LoadedEval } from '../eval-files/load-eval-file.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { formatBytes } from '../quantities.ts';
import { limitsOf } from '../run/call-limits.ts';
import { changesOf } from '../run/change-options.ts';
import { readPrices } from '../run/prices-file.ts';
import { loadEvals } from '../run/run-command.ts';
import { fileInBundle } from './files-in-bundle.ts';
import { cancelRuns, checkLaunchFor } from './launch-for.ts';
import { stoppingText } from './launch-options.ts';
import { refuseRival, refuseSubmittedMeanwhile } from './refuse-submitted.ts';
import { runsJson, seeThrough } from './see-through.ts';
import { type OpenedPlace, openShared, openSharedQueue, submitterName, unusable } from './shared-place.ts';
import { type Checked, checkSubmission } from './submit-checks.ts';
import { untilStopped } from './until-stopped.ts';

/** `holdfast submit`: refuses what can be refused, uploads, enqueues, and waits unless it is told not to. */
export async function submitCommand(call: CommandCall<SubmitFlags>): Promise<ExitCode> {
  const { flags, terminal } = call;
  const evals = await loadEvals(call.args[0] as readonly string[], { cwd: terminal.cwd });
  const place = await openShared(flags, terminal, { isNew: true });
  const queue = await openSharedQueue(flags, place);
  const onStop = () => terminal.note(stoppingText(flags));
  return await untilStopped({ onStop, note: terminal.note }, async (signals) => {
    const submitted: SharedRun[] = [];
    const about = { evals, place, queue, submitted, signal: signals.drain };
    const { all, keys } = await checkAndSubmit(call, about).catch((error: unknown) => {
      // The exit code says that nothing was submitted, as long as that is so.
      throw submitted.length > 0 ? error : unusable(error);
    });
    if (submitted.length < all) return await sayStopped(submitted, all, { ...call, place });
    return await seeThrough(submitted, { call, place, queue, keys, signals, begun: submitted });
  }).finally(() => queue.close());
}

async function checkAndSubmit(
  call: CommandCall<SubmitFlags>,
  { evals, ...about }: SubmitPorts & { readonly evals: readonly LoadedEval[] },
): Promise<{ readonly all: number; readonly keys: readonly string[] }> {
  const { place } = about;
  const checked = await checkSubmission(call, { evals, place });
  const keys = [...new Set([...checked.keys.values()].flat())];
  await checkLaunchFor({ call, place, keys });
  await submitAll(call, { ...checked, ...about });
  return { all: checked.set.items.length, keys };
}

/** Told to stop before all of them were in the queue: what was submitted is said, and nobody waits for it. */
async function sayStopped(
  submitted: readonly SharedRun[],
  all: number,
  { flags, terminal, place }: CommandCall<SubmitFlags> & { readonly place: OpenedPlace },
): Promise<ExitCode> {
  terminal.note(
    submitted.length === 0
      ? 'Nothing was submitted.'
      : `${submitted.length} of ${all} runs were submitted. Stop them with "holdfast runs cancel".`,
  );
  if (flags.json) {
    const runs = await runsJson(submitted, place);
    terminal.json({ exitCode: EXIT.interrupted, runs, launched: [] });
  }
  return EXIT.interrupted;
}

interface SubmitPorts {
  readonly place: OpenedPlace;
  readonly queue: JobQueue;
  /** Ctrl-C: nothing more is submitted. */
  readonly signal: AbortSignal;
  /** Grows with each that is there to be found. */
  readonly submitted: SharedRun[];
}

interface Submitting extends Checked, SubmitPorts {}

/** [BUN-15] Nothing of its bundle is collected before the submissions are there, which name it. */
async function submitAll(call: CommandCall<SubmitFlags>, submitting: Submitting): Promise<void> {
  const { place, signal } = submitting;
  const onWait = () => call.terminal.note('bundle    somebody collects bundles: waiting until that is done');
  const takeBack = await signSubmit(place, {
    clock: systemClock,
    random: systemRandom,
    signal,
    onWait,
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return undefined;
  });
  if (!takeBack) return;
  try {
    await sendAll(call, submitting);
  } finally {
    // One that stays counts for a day, and harms nobody.
    await takeBack().catch((error: unknown) => call.terminal.note(messageOf(error)));
  }
}

async function sendAll(call: CommandCall<SubmitFlags>, submitting: Submitting): Promise<void> {
  const { set, bundle, place, signal, submitted } = submitting;
  const { terminal } = call;
  const progress = fileProgress(terminal, 'bundle: uploaded');
  const onProgress = call.flags.quiet ? undefined : progress.show;
  const sent = await uploadBundle(place, bundle, { disk: nodeDisk, signal, onProgress })
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    })
    .finally(() => progress.end());
  if (!sent) return;
  await rememberBundle(nodeDisk, await memoryOfBundle(terminal), bundle);
  terminal.note(
    `bundle    ${bundle.digest.slice(0, 12)}: ${counted(sent.files, 'file')}, ${sent.uploaded} new (${formatBytes(sent.bytes)})${bundle.isDirty ? ', not committed' : ''}`,
  );
  // One budget for all of them, as a run of several on one machine has.
  const isShared = call.flags.budget !== undefined && set.items.length > 1;
  const purse = isShared ? shortId(systemRandom) : undefined;
  try {
    for (const item of set.items) {
      if (signal.aborted) break;
      const run = await submitOne(item, call, { ...submitting, purse });
      terminal.note(`submitted ${run}`);
    }
  } catch (error) {
    // Whoever is told that it failed does not look for workers that have begun with the first of them.
    await cancelRuns(submitted, { place, terminal, reason: `not all was submitted: ${messageOf(error)}` });
    throw error;
  }
}

interface SubmittingOne extends Submitting {
  readonly purse: string | undefined;
}

/**
 * ### Ordering
 * Bundle, segments of what is lent, purse, submission, a look for others who submit the same, round, queue: whatever it stops at, nothing is handed out that is not whole, and
 * `runs resume` goes on with a submission that has no round.
 */
async function submitOne(
  item: PlannedItem,
  call: CommandCall<SubmitFlags>,
  { set, bundle, revision, keys, place, queue, purse, submitted }: SubmittingOne,
): Promise<string> {
  const { flags, terminal } = call;
  const handed = await set.handOver(item, {
    ...{ place, store: place.store, revision, observer: { onNote: terminal.note } },
  });
  const { run: record, lent, notes, damage } = handed;
  for (const sentence of [...notes, ...damage]) terminal.note(sentence);
  const isOnce = !flags.fresh && !flags.again && lent.length < record.planned;
  if (isOnce) await refuseSubmittedMeanwhile(record, place);
  const by = submitterName();
  const submission: Submission = {
    ...{ format: 'holdfast-submission', version: SHARED_VERSION, run: record.runId, by },
    ...{ at: isoTime(systemClock.nowMs()), record, samples: record.planned },
    ...{ lent: rangesText(lent), builds: submittedBuilds(handed), lostMax: flags.lostMax },
    ...definedOf({ threshold: thresholdOf(item), failOnError: errorsOf(item), purse }),
    work: await workOf(item, call, { bundle, keys: keys.get(item) ?? [] }),
  };
  const { logDir } = set.places;
  if (handed.lenders.length > 0 && !flags.quiet)
    terminal.note(`lent      by ${counted(handed.lenders.length, 'log')}, which go along`);
  await uploadLenders(place, {
    ...{ run: record.runId, logs: handed.lenders, disk: nodeDisk, pathOf: (log) => join(logDir, log) },
  });
  if (purse !== undefined) await joinPurse(place, { purse, run: record.runId });
  await createSubmission(place, submission);
  const shared = await SharedRun.open(place, record.runId);
  if (!shared) throw new Error(`the submission of ${record.runId} is gone`);
  if (isOnce) await refuseRival(shared, place);
  // Before its round: from then on workers find it, whatever fails here.
  submitted.push(shared);
  await beginRound(shared, place, { clock: systemClock, by });
  await enqueueDue(shared, queue);
  return shared.run;
}

/** What a worker has to know to do as this machine would have done. No value of a key is in it. */
async function workOf(
  item: PlannedItem,
  call: CommandCall<SubmitFlags>,
  { bundle, keys }: { readonly bundle: Bundle; readonly keys: readonly string[] },
): Promise<SubmittedWork> {
  const { flags, terminal } = call;
  return {
    ...{ bundle: bundle.digest, dir: bundle.dir, file: fileInBundle(item, bundle, terminal.cwd) },
    ...{ eval: item.eval.name, changes: toJson(changesOf(flags)) as JsonObject },
    ...{ keys: [...keys], reached: reachedBy(terminal.env) },
    ...{ isUnpricedAllowed: flags.allowUnpriced ?? false, isOutputKept: flags.keepOutputs ?? false },
    reuse: flags.fresh ? 'none' : flags.reuse,
    ...definedOf({ model: item.model, baseUrl: flags.baseUrl, limits: await limitsOf(call) }),
    ...definedOf({ budgetUsd: flags.budget ?? item.eval.budgetUsd }),
    ...definedOf({ prices: await pricesOf(flags, terminal.cwd) }),
    ...definedOf({ isIsolated: item.eval.isIsolated || undefined }),
  };
}

function thresholdOf({ eval: { threshold } }: PlannedItem): Submission['threshold'] {
  return Object.keys(threshold).length === 0 ? undefined : { ...threshold };
}

/** Any number of samples may fail, unless the eval or the command line says otherwise. */
function errorsOf({ eval: { failOnError } }: PlannedItem): Submission['failOnError'] {
  return failOnError === false ? undefined : failOnError;
}

async function pricesOf({ prices }: SubmitFlags, cwd: string): Promise<JsonObject | undefined> {
  if (prices === undefined) return undefined;
  return toJson(await readPrices(nodeDisk, resolve(cwd, prices))) as JsonObject;
}
