import { type ActionableError, DamageError, UsageError } from '../base/index.ts';
import { roundsOf } from './remove-run.ts';
import { removedKey, SharedKeys, type SharedPlace } from './shared-keys.ts';

/**
 * Why there is no submission of a run: it was removed, or it lost it [SHR-26]. Undefined where there is nothing of a shared run, or its submit is
 * still under way.
 */
export async function whyUnsubmitted(place: SharedPlace, run: string): Promise<ActionableError | undefined> {
  const { bucket, prefix } = place;
  const keys = new SharedKeys(prefix, run);
  if (await bucket.stat(removedKey(prefix, run))) return removedMeanwhile(place, run);
  if ((await roundsOf(place, keys)).removing > 0) return removedMeanwhile(place, run);
  // Asked last: whoever submits it puts the submission there before all else below that folder, and whoever removes it says so before.
  for await (const _ of bucket.list(keys.root))
    return (await bucket.stat(keys.submission)) ? undefined : submissionGone(place, run);
  return undefined;
}

export function removedMeanwhile({ bucket }: SharedPlace, run: string): UsageError {
  return new UsageError({
    code: 'E_SHARED_REMOVED',
    message: `The shared run ${run} was removed from ${bucket.url} meanwhile.`,
    hint: '"holdfast runs gc" removes only what is complete and was brought home whole: look for its log where it was fetched.',
  });
}

export function submissionGone({ bucket, prefix }: SharedPlace, run: string): DamageError {
  return new DamageError({
    code: 'E_SHARED_DAMAGED',
    message: `The submission of ${run} is gone (${new SharedKeys(prefix, run).submission}), and nothing says that the run was being removed: what is left of it stays.`,
    hint: `Restore the submission from a copy of ${bucket.url}; or remove what is left by hand.`,
  });
}
