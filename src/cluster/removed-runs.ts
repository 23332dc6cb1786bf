import { UsageError } from '../base/index.ts';
import type { SharedPlace } from './shared-keys.ts';
import type { SharedRun } from './shared-run.ts';

/**
 * Refuses to go on with a run that was removed, or is being removed as it was in `round` [SHR-26]. What the caller put into the bucket before it
 * asked is taken back: nothing of a run stays behind that is gone.
 *
 * ### Ordering
 * First it is asked whether the run is being removed, then whether there is a submission: what says the first goes last, after everything else.
 */
export async function refuseRemoved(
  { run, keys }: Pick<SharedRun, 'run' | 'keys'>,
  { bucket }: SharedPlace,
  { round, withdraw }: { readonly round: number; readonly withdraw?: () => Promise<void> },
): Promise<void> {
  const isRemoving = (await bucket.stat(keys.removing(round))) !== undefined;
  if (!isRemoving && (await bucket.stat(keys.submission))) return;
  await withdraw?.();
  throw new UsageError({
    code: 'E_SHARED_REMOVED',
    message: `The shared run ${run} was removed from ${bucket.url} meanwhile.`,
    hint: '"holdfast runs gc" removes only what is complete and was brought home whole: look for its log where it was fetched.',
  });
}
