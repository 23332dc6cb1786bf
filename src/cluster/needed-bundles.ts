import { DamageError } from '../base/index.ts';
import { SharedKeys, type SharedPlace } from './shared-keys.ts';
import { readSubmission } from './shared-run.ts';

/**
 * The bundles that runs of a bucket name, by digest; a sentence when nobody can tell, because something of a run cannot be read, or its submission is
 * gone: then all may be needed [BUN-16]. Runs that are about to go are left out; of those that were found damaged without a submission nobody can tell.
 */
export async function neededBundles(
  place: SharedPlace,
  { goneSoon = NONE, damaged = NONE }: BundleAbout = {},
): Promise<ReadonlySet<string> | string> {
  const { bucket, prefix } = place;
  const needed = new Set<string>();
  for await (const { kind, key } of bucket.listFolder(prefix)) {
    const run = key.slice(prefix.length, -1);
    if (kind !== 'folder' || goneSoon.has(run)) continue;
    const bundle = (await bundleOf(place, run)) ?? (damaged.has(run) ? 'unknown' : undefined);
    if (bundle === 'unknown') return `nobody can tell which one ${run} needs`;
    if (bundle) needed.add(bundle.digest);
  }
  return needed;
}

export interface BundleAbout {
  readonly goneSoon?: ReadonlySet<string>;
  readonly damaged?: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** Undefined for what is no run. */
async function bundleOf(
  place: SharedPlace,
  run: string,
): Promise<{ readonly digest: string } | 'unknown' | undefined> {
  try {
    const submission = await readSubmission(place, run);
    if (submission) return { digest: submission.work.bundle };
  } catch (error) {
    if (error instanceof DamageError) return 'unknown';
    throw error;
  }
  for await (const _ of place.bucket.list(new SharedKeys(place.prefix, run).root)) return 'unknown';
  return undefined;
}
