import { join } from 'node:path';
import { counted } from '../base/index.ts';
import { openRunJournals, type RunJournals, segmentKeysOf } from '../journal/index.ts';
import { countNotIn, planSeal, shipLog } from '../seal/index.ts';
import type { SegmentPlace } from './places.ts';
import type { RunSettings } from './settings.ts';

/**
 * Removes the segments of a run whose journals are gone and whose log is there: a crash came between the two, or the journals
 * were set aside. `runDir` holds journals that were made from those segments. Gives a sentence when they hold what the log
 * does not.
 *
 * ### Ordering
 * The log is in the bucket, and was compared there, before a segment goes. Only what was read goes, and what is damaged stays [SEG-9].
 */
export async function removeSealedSegments(
  settings: RunSettings,
  segments: SegmentPlace,
  runDir: string,
): Promise<string | undefined> {
  const { disk, places } = settings;
  const journals = await openRunJournals({ disk, runDir });
  try {
    const { runId, logName } = journals.run();
    const absent = await countAbsent(journals, settings);
    if (absent > 0)
      return `The segments of run ${runId} hold ${counted(absent, 'sample')} that its log ${logName} lacks. They were left as they are: holdfast recover ${runId} --segments ${segments.bucket.url} --output <log> makes a log of them.`;
    await shipLog({ disk, path: join(places.logDir, logName), bucket: segments.bucket, key: logName });
    await segments.bucket.removeAll(await segmentKeysOf(journals, { disk, ...segments }));
    return undefined;
  } finally {
    journals.close();
  }
}

/** Samples of which the segments hold more than the log does: a result, or an answer. */
async function countAbsent(journals: RunJournals, { places }: RunSettings): Promise<number> {
  const plan = await planSeal(journals, places.logs);
  return countNotIn(places.logs, plan.run.logName, plan);
}
