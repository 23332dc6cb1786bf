import { type Clock, isoTime } from '../base/index.ts';
import { leavePurse } from './purse.ts';
import {
  activePrefix,
  parseActiveKey,
  parseNumberedKey,
  parseRemovingKey,
  removedKey,
  SharedKeys,
  type SharedPlace,
} from './shared-keys.ts';
import { encodeShared, SHARED_VERSION } from './shared-records.ts';

export interface RemoveAbout {
  readonly run: string;
  /** The round in which all of it was complete, home and merged. */
  readonly round: number;
  readonly clock: Clock;
}

/**
 * Removes a run of which everything was found complete, home and merged in a round; false when it has a later round by now, and nothing was
 * removed. That it is being removed is said for good before anything goes [SHR-26], so that a removal which died is finished by the next, and a
 * run that lost something otherwise is never taken for one.
 *
 * ### Ordering
 * What says so, a look for later rounds, that it was removed, the purse, the submission (from then on there is no such run), hints, all the rest,
 * and what says so last. That it was removed stays: a worker that slept may write to it at any time. Whoever begins a round looks for what says so after its round is there: one of the two sees the other.
 */
export async function removeRun(place: SharedPlace, { run, round, clock }: RemoveAbout): Promise<boolean> {
  const { bucket, prefix } = place;
  const keys = new SharedKeys(prefix, run);
  const record = { format: 'holdfast-removing', version: SHARED_VERSION, run, round } as const;
  const at = isoTime(clock.nowMs());
  await bucket.create(keys.removing(round), encodeShared('removing', { ...record, at }));
  const { latest } = await roundsOf(place, keys);
  if (latest > round) return false;
  await bucket.create(removedKey(prefix, run), new Uint8Array());
  await leavePurse(place, run);
  await bucket.remove(keys.submission);
  const rest: string[] = [];
  for await (const { key } of bucket.list(activePrefix(prefix)))
    if (parseActiveKey(key)?.run === run) rest.push(key);
  const last: string[] = [];
  for await (const { key } of bucket.list(`${prefix}${run}/`))
    (parseRemovingKey(key) === undefined ? rest : last).push(key);
  await bucket.removeAll(rest);
  await bucket.removeAll(last);
  return true;
}

export interface RoundsSeen {
  /** 0 when there is none. */
  readonly latest: number;
  /** The last round of which it is said that the run is being removed; 0 when none is. */
  readonly removing: number;
}

export async function roundsOf({ bucket }: SharedPlace, keys: SharedKeys): Promise<RoundsSeen> {
  let [latest, removing] = [0, 0];
  for await (const { key } of bucket.list(keys.rounds)) {
    latest = Math.max(latest, parseNumberedKey(key) ?? 0);
    removing = Math.max(removing, parseRemovingKey(key) ?? 0);
  }
  return { latest, removing };
}
