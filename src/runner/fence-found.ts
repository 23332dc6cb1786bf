import { type FoundRun, fenceWriter, fenceWriterInBucket, lookAtWriters } from '../journal/index.ts';
import type { RunSettings } from './settings.ts';

/**
 * Fences the writers of a run that somebody vouched for, here and in the bucket [JRN-13]. Whoever takes anything from a run,
 * or lets it go, locks it, does this and reads its journals afterwards: then all that was ever acknowledged is read. False,
 * and nothing is fenced, when the run is gone, or somebody is at work there of whom nothing was known when it was found.
 */
export async function fenceFound(found: FoundRun, { disk, places }: RunSettings): Promise<boolean> {
  const { dir, run } = found;
  // Whoever had it may have let it go between our finding and our locking it: nothing of it is missing then.
  if ((await disk.stat(dir)) === undefined) return false;
  // Looked at again: until the run was locked others may have come and gone.
  const living = (await lookAtWriters(disk, dir)).filter(({ liveness }) => liveness !== 'dead');
  const vouchedFor = new Set(found.liveness === 'unknown' ? found.writers.map(({ writer }) => writer) : []);
  if (living.some(({ writer, liveness }) => liveness === 'alive' || !vouchedFor.has(writer))) return false;
  for (const { writer } of living) {
    await fenceWriter(disk, dir, writer);
    const { segments } = places;
    if (!segments) continue;
    const { bucket, prefix } = segments;
    await fenceWriterInBucket(bucket, { prefix, run: run.runId, writer });
  }
  return true;
}
