import { type Clock, DamageError, isoTime } from '../base/index.ts';
import { damageOf } from './damage.ts';
import { leavePurse, othersOfPurse } from './purse.ts';
import { activePrefix, fetchedKey, parseActiveKey, SharedKeys, type SharedPlace } from './shared-keys.ts';
import { encodeShared, SHARED_VERSION } from './shared-records.ts';
import { SharedRun } from './shared-run.ts';

/** Says in the bucket that the log of the latest round is home, and whether all its artifacts are. */
export async function noteFetched(
  shared: SharedRun,
  { bucket }: SharedPlace,
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
  await bucket.create(fetchedKey(keys, round, isMerged), encodeShared('fetched', record));
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
  /** Only what was brought home longer ago than this, by the clock of the bucket. */
  readonly olderThanMs: number;
  readonly nowMs: number;
  readonly isDryRun: boolean;
  /** Why a run that could go must stay all the same. */
  readonly reasonOf?: ((run: string) => Promise<string | undefined>) | undefined;
}

/**
 * Removes runs that nobody can need any more: complete, without a failure that could be run again, and brought home with all their artifacts.
 *
 * ### Ordering
 * The submission goes first: from then on there is no such run. What says that it was brought home goes last, so that a collection which died
 * in between is finished by the next. Hints where to look are found by the run's name.
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
    const collectable = await tryLook(place, run, options);
    if (!collectable) continue;
    if (collectable.isRemoved && !options.isDryRun) await removeRun(place, run);
    found.push(collectable);
  }
  return found;
}

/** One that is damaged is kept, and keeps nobody from the others. */
async function tryLook(
  place: SharedPlace,
  run: string,
  options: CollectOptions,
): Promise<Collectable | undefined> {
  try {
    const reason = await reasonToKeep(place, run, options);
    if (reason === '') return { run, isRemoved: true, reason: 'complete, brought home and merged' };
    return reason === undefined ? undefined : { run, isRemoved: false, reason };
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    return { run, isRemoved: false, reason: error.message, isDamaged: true };
  }
}

/** Empty when it may go; undefined for what is no run. */
async function reasonToKeep(
  place: SharedPlace,
  run: string,
  { olderThanMs, nowMs, reasonOf }: CollectOptions,
): Promise<string | undefined> {
  const keys = new SharedKeys(place.prefix, run);
  const shared = await SharedRun.open(place, run);
  if (!shared) return (await isHalfRemoved(place, keys)) ? '' : undefined;
  const [damage] = shared.damaged;
  if (damage) throw damageOf(damage);
  if (shared.isCancelled) return 'cancelled: it can be resumed';
  if (!shared.isComplete) return 'not complete: it can be resumed';
  const failed = [...shared.jobs()].filter((job) => shared.endOf(job)?.status !== 'completed').length;
  if (failed > 0) return `${failed} of its jobs failed: it can be resumed`;
  const home = await place.bucket.stat(fetchedKey(keys, shared.round, true));
  if (!home) {
    const partly = await place.bucket.stat(fetchedKey(keys, shared.round, false));
    return partly ? 'not all its artifacts and evidence are home' : 'not fetched';
  }
  if (nowMs - home.modifiedMs < olderThanMs) return 'fetched a short while ago';
  for (const other of await othersOfPurse(place, shared.submission)) {
    const isOver = (await SharedRun.open(place, other))?.isComplete ?? true;
    // Whoever counts anew what was spent needs to know what this one had of it.
    if (!isOver) return `it has one budget with ${other}, which is not complete`;
  }
  return (await reasonOf?.(run)) ?? '';
}

async function isHalfRemoved({ bucket }: SharedPlace, keys: SharedKeys): Promise<boolean> {
  for await (const _ of bucket.list(keys.fetched)) return true;
  return false;
}

async function removeRun({ bucket, prefix }: SharedPlace, run: string): Promise<void> {
  const keys = new SharedKeys(prefix, run);
  await leavePurse({ bucket, prefix }, run);
  await bucket.remove(keys.submission);
  const rest: string[] = [];
  for await (const { key } of bucket.list(activePrefix(prefix)))
    if (parseActiveKey(key)?.run === run) rest.push(key);
  for await (const { key } of bucket.list(`${prefix}${run}/`))
    if (!key.startsWith(keys.fetched)) rest.push(key);
  await bucket.removeAll(rest);
  const last: string[] = [];
  for await (const { key } of bucket.list(keys.fetched)) last.push(key);
  await bucket.removeAll(last);
}
