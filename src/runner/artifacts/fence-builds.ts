import { fenceWriterInBucket, listSegmentedRuns, listWriters } from '../../journal/index.ts';
import type { SegmentPlace } from '../places.ts';

/**
 * Fences all who worked on a build before, as far as the bucket knows of them: for whoever has its lease, which they have no more.
 * What they shipped is read afterwards, and what they buy is their own from then on. Gives their writers.
 */
export async function fenceBuilds({ bucket, prefix }: SegmentPlace): Promise<ReadonlySet<string>> {
  const writers = new Set<string>();
  for (const run of await listSegmentedRuns(bucket, prefix))
    for (const writer of await listWriters(bucket, prefix, run)) {
      await fenceWriterInBucket(bucket, { prefix, run, writer });
      writers.add(writer);
    }
  return writers;
}
