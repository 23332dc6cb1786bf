import { DamageError } from '../base/index.ts';
import { type FoundRun, lockRun, openRunJournals } from '../journal/index.ts';
import { countNotIn, planSeal, releaseRun } from '../seal/index.ts';
import { fenceFound } from './fence-found.ts';
import { isBusy } from './open-run.ts';
import type { RunTally } from './run-tally.ts';
import type { RunSettings } from './settings.ts';

/**
 * Lets a run go whose log is in place: the process that sealed it died before it could. Only when everything that the
 * journals hold is in that log [SEAL-5]; else they stay, and it is said.
 */
export async function releaseSealed(
  found: FoundRun,
  { settings, tally }: { readonly settings: RunSettings; readonly tally: RunTally },
): Promise<void> {
  const { disk, places } = settings;
  const { runId } = found.run;
  let lock: ReturnType<typeof lockRun>;
  try {
    lock = lockRun(found.dir);
  } catch (error) {
    if (isBusy(error)) return; // Somebody else does it just now.
    throw error;
  }
  try {
    await fenceFound(found, settings);
    const { absent, isWhole } = await compare(found, settings);
    if (absent === 0 && isWhole) return await releaseRun(disk, places.state, runId);
    tally.note(
      `The log of run ${runId} is finished, but its journals hold ${absent} sample(s) that are not in it, or are damaged. They were left as they are: holdfast recover ${runId} --output <log> makes a log of them.`,
    );
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    tally.note(`A journal could not be read and was left as it is: ${error.message} ${error.hint}`);
  } finally {
    lock.release();
  }
}

/** How many samples the journals hold and the log does not, and whether all of them can be read. */
async function compare(
  { dir, run }: FoundRun,
  { disk, places }: RunSettings,
): Promise<{ readonly absent: number; readonly isWhole: boolean }> {
  const journals = await openRunJournals({ disk, runDir: dir });
  try {
    const plan = await planSeal(journals, places.logs);
    return { absent: await countNotIn(places.logs, run.logName, plan), isWhole: plan.problems.length === 0 };
  } finally {
    journals.close();
  }
}
