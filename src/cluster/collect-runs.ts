import { type Clock, DamageError, isoTime } from '../base/index.ts';
import { damageOf } from './damage.ts';
import { submissionGone } from './lost-submission.ts';
import { othersOfPurse } from './purse.ts';
import { removeRun, roundsOf } from './remove-run.ts';
import { refuseRemoved } from './removed-runs.ts';
import { fetchedKey, removedKey, SharedKeys, type SharedPlace } from './shared-keys.ts';
import { encodeShared, SHARED_VERSION } from './shared-records.ts';
import { SharedRun } from './shared-run.ts';

/** Says in the bucket that the log of the latest round is home, and whether all its artifacts are. Refuses a run that was removed meanwhile. */
export async function noteFetched(
  shared: SharedRun,
  place: SharedPlace,
  about: { readonly clock: Clock; readonly by: string; readonly isMerged: boolean },
): Promise<void> {
  const { run, round, keys } = shared;
  const { by, isMerged } = about;
  const at = isoTime(about.clock.nowMs());
  const record = {
    format: 'holdfast-fetched',
    version: SHARED_VERSION,
    run,
    round,
    by,
    at,
    isMerged,
  } as const;
  const key = fetchedKey(keys, round, isMerged);
  await place.bucket.create(key, encodeShared('fetched', record));
  await refuseRemoved(shared, place, { round, withdraw: () => place.bucket.remove(key) });
}

/** What a collection would do with a run, or did, and why. */
export interface Collectable {
  readonly run: string;
  readonly isRemoved: boolean;
  readonly reason: string;
  /** Something that is stored of it cannot be read: it stays, whatever else is so. */
  readonly isDamaged?: true;
}

export interface CollectOptions {
  readonly clock: Clock;
  /** Only what was brought home longer ago than this, by the clock of the bucket. */
  readonly olderThanMs: number;
  readonly nowMs: number;
  readonly isDryRun: boolean;
  /** The keys of what a submit left that died, if that is what a folder without a submission holds. */
  readonly leftBy?: ((run: string) => Promise<readonly string[] | undefined>) | undefined;
  /** Why a run that could go must stay all the same. */
  readonly reasonOf?: ((run: string) => Promise<string | undefined>) | undefined;
}

/** What is to become of a run: it stays, or it goes as it was in a round. */
type Verdict =
  | { readonly keep: string }
  | { readonly round: number; readonly reason: string }
  | { readonly left: readonly string[]; readonly reason: string };

/**
 * Removes runs that nobody can need any more: complete, without a failure that could be run again, and brought home with all their artifacts. A
 * removal that died is finished.
 */
export async function collectRuns(
  place: SharedPlace,
  options: CollectOptions,
): Promise<readonly Collectable[]> {
  const { bucket, prefix } = place;
  const found: Collectable[] = [];
  const runs: string[] = [];
  for await (const { kind, key } of bucket.listFolder(prefix))
    if (kind === 'folder') runs.push(key.slice(prefix.length, -1));
  for (const run of runs) {
    const collectable = await tryCollect(place, run, options);
    if (collectable) found.push(collectable);
  }
  return found;
}

/** One that is damaged is kept, and keeps nobody from the others. */
async function tryCollect(
  place: SharedPlace,
  run: string,
  options: CollectOptions,
): Promise<Collectable | undefined> {
  try {
    const verdict = await judge(place, run, options);
    if (!verdict) return undefined;
    if ('keep' in verdict) return { run, isRemoved: false, reason: verdict.keep };
    const { isDryRun, clock } = options;
    if ('left' in verdict) {
      if (!isDryRun) await place.bucket.removeAll(verdict.left);
      return { run, isRemoved: true, reason: verdict.reason };
    }
    const { round, reason } = verdict;
    if (isDryRun || (await removeRun(place, { run, round, clock }))) return { run, isRemoved: true, reason };
    return { run, isRemoved: false, reason: 'resumed at this very moment' };
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    return { run, isRemoved: false, reason: error.message, isDamaged: true };
  }
}

/** Undefined for what is no run. */
async function judge(place: SharedPlace, run: string, options: CollectOptions): Promise<Verdict | undefined> {
  const keys = new SharedKeys(place.prefix, run);
  const seen = await roundsOf(place, keys);
  if (seen.removing > 0 && seen.removing >= seen.latest) return finishing(seen.removing);
  const shared = await SharedRun.open(place, run);
  if (!shared) {
    const left = await options.leftBy?.(run);
    if (left) return { left, reason: 'a submit that died left it, with nothing done' };
    return await judgeUnsubmitted(place, { run, keys, nowMs: options.nowMs });
  }
  const keep = await reasonToKeep(place, shared, options);
  return keep === '' ? { round: shared.round, reason: 'complete, brought home and merged' } : { keep };
}

function finishing(round: number): Verdict {
  return { round, reason: 'its removal was begun, and is finished' };
}

/** [SHR-26] What was found complete, home and merged once is so for good, whatever round was begun since. Of all else that is there nobody can tell. */
async function judgeUnsubmitted(
  place: SharedPlace,
  { run, keys, nowMs }: { readonly run: string; readonly keys: SharedKeys; readonly nowMs: number },
): Promise<Verdict | undefined> {
  // Looked at again: somebody else may remove it at this very moment, and says so before the submission goes.
  const { removing, latest } = await roundsOf(place, keys);
  if (removing > 0) return finishing(Math.max(removing, latest));
  // Somebody submits it at this very moment.
  if (await place.bucket.stat(keys.submission)) return undefined;
  const left: string[] = [];
  for await (const { key } of place.bucket.list(`${place.prefix}${run}/`)) left.push(key);
  if (left.length === 0) return undefined;
  if (await place.bucket.stat(removedKey(place.prefix, run)))
    return { left, reason: 'it was removed before, and a worker that did not know wrote to it since' };
  const isShared = left.some((key) => key.startsWith(keys.root));
  // Other folders beside runs have no segments.
  const isPaid = left.some((key) => key.startsWith(`${place.prefix}${run}/segments/`));
  if (isShared || (isPaid && !(await isAnyYoung(place, left, nowMs)))) throw submissionGone(place, run);
  return undefined;
}

const DAY_MS = 86_400_000;

/** What comes before a submission may be a submit that is under way. */
async function isAnyYoung({ bucket }: SharedPlace, keys: readonly string[], nowMs: number): Promise<boolean> {
  for (const key of keys) {
    const stat = await bucket.stat(key);
    if (stat && nowMs - stat.modifiedMs <= DAY_MS) return true;
  }
  return false;
}

/** Empty when it may go. */
async function reasonToKeep(
  place: SharedPlace,
  shared: SharedRun,
  { olderThanMs, nowMs, reasonOf }: CollectOptions,
): Promise<string> {
  const { keys, round } = shared;
  const [damage] = shared.damaged;
  if (damage) throw damageOf(damage);
  if (!shared.isComplete) return `${shared.isCancelled ? 'cancelled' : 'not complete'}: it can be resumed`;
  const failed = failedOf(shared);
  if (failed > 0) return `${failed} of its jobs failed: it can be resumed`;
  const home = await place.bucket.stat(fetchedKey(keys, round, true));
  if (!home) {
    const partly = await place.bucket.stat(fetchedKey(keys, round, false));
    return partly ? 'not all its artifacts and evidence are home' : 'not fetched';
  }
  if (nowMs - home.modifiedMs < olderThanMs) return 'fetched a short while ago';
  for (const other of await othersOfPurse(place, shared.submission)) {
    const shares = await SharedRun.open(place, other);
    // Whoever counts anew what was spent needs to know what this one had of it.
    if (shares && !(shares.isComplete && failedOf(shares) === 0))
      return `it has one budget with ${other}, which can be resumed`;
  }
  return (await reasonOf?.(shared.run)) ?? '';
}

/** How many of its jobs another round would do again. */
function failedOf(shared: SharedRun): number {
  return [...shared.jobs()].filter((job) => shared.endOf(job)?.status !== 'completed').length;
}
