import { removedMeanwhile, whyUnsubmitted } from './lost-submission.ts';
import type { SharedPlace } from './shared-keys.ts';
import type { SharedRun } from './shared-run.ts';

/**
 * Refuses to go on with a run that was removed, or is being removed as it was in `round` [SHR-26], or that lost its submission. What the caller put into the bucket before it
 * asked is taken back: nothing of a run stays behind that is gone.
 *
 * ### Ordering
 * First it is asked whether the run is being removed, then whether there is a submission: what says the first goes last, after everything else.
 */
export async function refuseRemoved(
  { run, keys }: Pick<SharedRun, 'run' | 'keys'>,
  place: SharedPlace,
  { round, withdraw }: { readonly round: number; readonly withdraw?: () => Promise<void> },
): Promise<void> {
  const { bucket } = place;
  const isRemoving = (await bucket.stat(keys.removing(round))) !== undefined;
  if (!isRemoving && (await bucket.stat(keys.submission))) return;
  await withdraw?.();
  // Asked last: what the caller had put there says nothing of the run. A submit that made way for another takes back all that it had put there.
  throw (isRemoving ? undefined : await whyUnsubmitted(place, run)) ?? removedMeanwhile(place, run);
}
