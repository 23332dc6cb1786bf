import { type FoundRun, fenceWriter, fenceWriterInBucket } from '../journal/index.ts';
import type { RunSettings } from './settings.ts';

/**
 * Fences the writers of a run that somebody vouched for, here and in the bucket [JRN-13]. Whoever takes anything from a run,
 * or lets it go, does this first and reads its journals afterwards: then all that was ever acknowledged is read.
 */
export async function fenceFound(found: FoundRun, { disk, places }: RunSettings): Promise<void> {
  if (found.liveness !== 'unknown') return;
  for (const { writer, liveness } of found.writers) {
    if (liveness === 'dead') continue;
    await fenceWriter(disk, found.dir, writer);
    const { segments } = places;
    if (!segments) continue;
    const { bucket, prefix } = segments;
    await fenceWriterInBucket(bucket, { prefix, run: found.run.runId, writer });
  }
}
