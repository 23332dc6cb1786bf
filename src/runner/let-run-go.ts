import { join } from 'node:path';
import { messageOf } from '../base/index.ts';
import { type RunJournals, segmentKeysOf } from '../journal/index.ts';
import { releaseRun, shipLog } from '../seal/index.ts';
import { dropEmptyFolders } from './drop-empty-folders.ts';
import type { RunSettings } from './settings.ts';

export interface RunToLetGo {
  readonly runId: string;
  /** The log that holds all of it; undefined when there is nothing in it that was paid for. */
  readonly logName: string | undefined;
  /** Still open: they say which segments they hold. */
  readonly journals: RunJournals;
  /** Closes whatever is open of the run. */
  readonly close: () => void;
}

/**
 * Lets a run go whose log is in place and holds all of it. With a bucket the log goes there first; when that cannot be done
 * everything stays, and the next run of the eval does it. Gives the reason why it stays.
 *
 * ### Ordering
 * The log is in the bucket, and was compared there, before a segment goes [SEG-9]. The segments go before the journals, which
 * alone say what is theirs. A crash in between leaves journals of a run whose log is there: `releaseSealed` lets them go.
 */
export async function letRunGo(run: RunToLetGo, settings: RunSettings): Promise<string | undefined> {
  const { disk, places } = settings;
  try {
    await clearBucket(run, settings);
  } catch (error) {
    run.close();
    return messageOf(error);
  }
  run.close();
  await releaseRun(disk, places.state, run.runId);
  // What agents wrote is evidence and stays; where they wrote nothing there is none.
  await dropEmptyFolders(disk, places.state.workDir(run.runId));
  return undefined;
}

/** Only segments whose rows the journals held: what another writer may have added since is nobody's to remove. */
async function clearBucket({ logName, journals }: RunToLetGo, { disk, places }: RunSettings): Promise<void> {
  if (!places.segments) return;
  const { bucket } = places.segments;
  if (logName !== undefined)
    await shipLog({ disk, path: join(places.logDir, logName), bucket, key: logName });
  await bucket.removeAll(await segmentKeysOf(journals, { disk, ...places.segments }));
}
