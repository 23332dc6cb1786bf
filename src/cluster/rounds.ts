import { type Clock, DamageError, definedOf, isoTime } from '../base/index.ts';
import { orDamage } from './damage.ts';
import { budgetWithOthers, saidByOthers } from './purse-budget.ts';
import { refuseRemoved } from './removed-runs.ts';
import {
  activeKey,
  activePrefix,
  parseActiveKey,
  parseNumberedKey,
  SharedKeys,
  type SharedPlace,
} from './shared-keys.ts';
import { decodeShared, encodeShared, type Round, SHARED_VERSION, type Submission } from './shared-records.ts';
import type { SharedRun } from './shared-run.ts';

/** Puts a submission into the bucket; false when the run was submitted already. */
export function createSubmission({ bucket, prefix }: SharedPlace, submission: Submission): Promise<boolean> {
  const key = new SharedKeys(prefix, submission.run).submission;
  return bucket.create(key, encodeShared('submission', submission));
}

/** The runs that may have something due, by the hints that rounds leave. */
export async function activeRuns({ bucket, prefix }: SharedPlace): Promise<ReadonlySet<string>> {
  const runs = new Set<string>();
  for await (const { key } of bucket.list(activePrefix(prefix))) {
    const hint = parseActiveKey(key);
    if (hint) runs.add(hint.run);
  }
  return runs;
}

export interface RoundOptions {
  readonly clock: Clock;
  readonly by: string;
  /** What the run may cost from this round on. */
  readonly budgetUsd?: number | undefined;
}

/**
 * Begins the next round of a run. Of two who do so at once one begins it, and both see the same. Gives its number, and whether it is
 * this caller's. What cannot be read of the run is named by the round, which goes past it [SHR-24].
 *
 * ### Ordering
 * The hint where to look comes before the round: a round that nobody looks for would wait for ever. Whether the run is being removed is
 * asked after the round is there, as a collection looks for a later round after it said that it removes the run: one of the two sees the other
 * [SHR-26].
 */
export async function beginRound(
  shared: SharedRun,
  place: SharedPlace,
  { clock, by, budgetUsd }: RoundOptions,
): Promise<{ readonly round: number; readonly isOwn: boolean }> {
  const { run, keys } = shared;
  const { bucket, prefix } = place;
  const n = shared.round + 1;
  const goesPast = shared.damaged.map(({ key }) => key.slice(keys.root.length));
  const more = definedOf({ budgetUsd, goesPast: goesPast.length > 0 ? goesPast : undefined });
  const hint = activeKey(prefix, { run, round: n });
  await bucket.create(hint, new Uint8Array());
  const isOwn = await putRound(place, { run, n, by, clock, ...more });
  await refuseRemoved(shared, place, {
    round: n - 1,
    // It may have been cancelled before it was there.
    withdraw: async () => await bucket.removeAll(isOwn ? [keys.round(n), keys.cancelled(n), hint] : [hint]),
  });
  await shared.refresh();
  return { round: n, isOwn };
}

/** False when it is there already. */
async function putRound(
  { bucket, prefix }: SharedPlace,
  { clock, ...about }: Pick<Round, 'run' | 'n' | 'by' | 'budgetUsd' | 'goesPast'> & { readonly clock: Clock },
): Promise<boolean> {
  const at = isoTime(clock.nowMs());
  const record: Round = { format: 'holdfast-round', version: SHARED_VERSION, at, ...about };
  return await bucket.create(new SharedKeys(prefix, about.run).round(about.n), encodeShared('round', record));
}

/**
 * Cancels the latest round: nothing of it is taken any more, and what is under way is returned [SHR-10], also when the round had been
 * cancelled so that it may end [SHR-18]. A run that has no round yet is submitted at this moment, or was by somebody who died over it.
 *
 * ### Ordering
 * The first round of a run is cancelled before it is there: whoever begins it, then or later, finds it so, and nothing of it is ever handed out.
 */
export async function cancelRound(
  shared: SharedRun,
  place: SharedPlace,
  { clock, by, reason }: Pick<RoundOptions, 'clock' | 'by'> & { readonly reason?: string },
): Promise<void> {
  const { run } = shared;
  const round = Math.max(1, shared.round);
  const words = { run, round, clock, by, ...definedOf({ reason }) };
  await writeCancelled(place, words);
  if (shared.round === 0) await beginRound(shared, place, { clock, by });
  else await shared.refresh();
  if (shared.cancelled?.letsFinish || shared.isCancelUnread)
    await place.bucket.create(shared.keys.cancelledNow(round), encoded(words));
}

/** The same for a run of which something that is stored cannot be read: nobody may go on spending for that. */
export async function cancelUnread(
  place: SharedPlace,
  { run, clock, by }: Pick<CancelWords, 'run' | 'clock' | 'by'>,
): Promise<void> {
  const keys = new SharedKeys(place.prefix, run);
  let round = 0;
  for await (const { key } of place.bucket.list(keys.rounds))
    round = Math.max(round, parseNumberedKey(key) ?? 0);
  const words = { run, round: Math.max(1, round), clock, by };
  await writeCancelled(place, words);
  if (round === 0) await putRound(place, { run, n: 1, clock, by });
  else await place.bucket.create(keys.cancelledNow(round), encoded(words));
}

/** True when what is under way of a round is to be returned: it was cancelled, and may not end. One that cannot be read stops all [SHR-24]. */
export async function isUnwanted({ bucket }: SharedPlace, keys: SharedKeys, round: number): Promise<boolean> {
  const key = keys.cancelled(round);
  const bytes = await bucket.read(key);
  if (!bytes) return false;
  const cancelled = orDamage(() => decodeShared('cancelled', bytes, key));
  if (cancelled instanceof DamageError || !cancelled.letsFinish) return true;
  return (await bucket.stat(keys.cancelledNow(round))) !== undefined;
}

export interface CancelWords {
  readonly run: string;
  readonly round: number;
  readonly clock: Clock;
  readonly by: string;
  readonly reason?: string;
  readonly letsFinish?: true;
  readonly because?: 'budget' | 'errors' | 'calls' | 'mistake';
  /** Of a mistake [SHR-25]. */
  readonly code?: string;
  readonly hint?: string;
}

/** Says that a round is cancelled; whoever said so first has said why. */
export async function writeCancelled({ bucket, prefix }: SharedPlace, words: CancelWords): Promise<void> {
  const key = new SharedKeys(prefix, words.run).cancelled(words.round);
  await bucket.create(key, encoded(words));
}

function encoded({ clock, ...about }: CancelWords): Uint8Array {
  const at = isoTime(clock.nowMs());
  return encodeShared('cancelled', { format: 'holdfast-cancelled', version: SHARED_VERSION, at, ...about });
}

/** What the run may cost in a round [SHR-19]. */
export async function budgetOfRound(
  place: SharedPlace,
  { run, purse, work }: Submission,
  round: number,
): Promise<number | undefined> {
  const latestFirst = (await readRounds(place, new SharedKeys(place.prefix, run), round)).reverse();
  const own = budgetSaid(latestFirst, work.budgetUsd);
  return budgetWithOthers(own, latestFirst, await saidByOthers(place, { run, purse }));
}

/**
 * What the latest round says that says anything, else the submission [SHR-19]. A round that cannot be read may have said anything: from it on
 * it is the least that anybody has said [SHR-24].
 */
export function budgetSaid(
  latestFirst: readonly (Round | DamageError)[],
  submittedUsd: number | undefined,
): number | undefined {
  const unread = latestFirst.findIndex((round) => round instanceof DamageError);
  const said = latestFirst.map((round) => (round instanceof DamageError ? undefined : round.budgetUsd));
  const latest = said.findIndex((usd) => usd !== undefined);
  if (unread < 0 || (latest >= 0 && latest < unread)) return said[latest] ?? submittedUsd;
  const all = [...said, submittedUsd].filter((usd) => usd !== undefined);
  return all.length === 0 ? undefined : Math.min(...all);
}

/** Keys of damaged objects that a round, or one before it, goes past [SHR-24]. */
export async function readGoesPast(
  place: SharedPlace,
  keys: SharedKeys,
  round: number,
): Promise<ReadonlySet<string>> {
  return goesPastOf(await readRounds(place, keys, round), keys);
}

export function goesPastOf(
  rounds: Iterable<Round | DamageError>,
  { root }: Pick<SharedKeys, 'root'>,
): ReadonlySet<string> {
  const past = new Set<string>();
  for (const round of rounds)
    if (!(round instanceof DamageError)) for (const key of round.goesPast ?? []) past.add(`${root}${key}`);
  return past;
}

/** The first one first, up to this one. */
async function readRounds(
  { bucket }: SharedPlace,
  keys: SharedKeys,
  last: number,
): Promise<(Round | DamageError)[]> {
  const rounds: (Round | DamageError)[] = [];
  for (let n = 1; n <= last; n++) {
    const key = keys.round(n);
    const bytes = await bucket.read(key);
    if (bytes) rounds.push(orDamage(() => decodeShared('round', bytes, key)));
  }
  return rounds;
}
