import { type Clock, isoTime } from '../base/index.ts';
import { activeKey, SharedKeys, type SharedPlace } from './shared-keys.ts';
import { encodeShared, type Round, SHARED_VERSION, type Submission } from './shared-records.ts';
import type { SharedRun } from './shared-run.ts';

/** Puts a submission into the bucket; false when the run was submitted already. */
export function createSubmission({ bucket, prefix }: SharedPlace, submission: Submission): Promise<boolean> {
  const key = new SharedKeys(prefix, submission.run).submission;
  return bucket.create(key, encodeShared('submission', submission));
}

export interface RoundOptions {
  readonly clock: Clock;
  readonly by: string;
}

/**
 * Begins the next round of a run. Of two who do so at once one begins it, and both see the same. Gives its number, and whether it is
 * this caller's.
 *
 * ### Ordering
 * The hint where to look comes before the round: a round that nobody looks for would wait for ever.
 */
export async function beginRound(
  shared: SharedRun,
  { bucket, prefix }: SharedPlace,
  { clock, by }: RoundOptions,
): Promise<{ readonly round: number; readonly isOwn: boolean }> {
  const { run } = shared;
  const n = shared.round + 1;
  const record: Round = {
    ...{ format: 'holdfast-round', version: SHARED_VERSION, run, n, by },
    at: isoTime(clock.nowMs()),
  };
  await bucket.create(activeKey(prefix, { run, round: n }), new Uint8Array());
  const isOwn = await bucket.create(shared.keys.round(n), encodeShared('round', record));
  await shared.refresh();
  return { round: n, isOwn };
}

/** Cancels the latest round: nothing of it is taken any more, and what is under way is returned [SHR-10]. */
export async function cancelRound(
  shared: SharedRun,
  { bucket }: SharedPlace,
  { clock, by }: RoundOptions,
): Promise<void> {
  const { run, round } = shared;
  const at = isoTime(clock.nowMs());
  const record = { format: 'holdfast-cancelled', version: SHARED_VERSION, run, round, by, at } as const;
  await bucket.create(shared.keys.cancelled(round), encodeShared('cancelled', record));
  await shared.refresh();
}
