import { DamageError } from '../base/index.ts';
import { type FoundRun, openRunJournals } from '../journal/index.ts';
import { countNotIn, planSeal, releaseRun } from '../seal/index.ts';
import { fenceFound } from './fence-found.ts';
import type { RunTally } from './run-tally.ts';
import type { RunSettings } from './settings.ts';
import { tryLockRun } from './try-lock.ts';

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
  const lock = tryLockRun(found.dir);
  if (!lock) return;
  try {
    await fenceFound(found, settings);
    const { absent, problems } = await compare(found, settings);
    if (absent === 0 && problems.length === 0) return await releaseRun(disk, places.state, runId);
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

/** What the journals hold and the log does not. The journals are closed again: they may be let go next. */
async function compare(
  { dir, run }: FoundRun,
  { disk, places }: RunSettings,
): Promise<{ readonly absent: number; readonly problems: readonly string[] }> {
  const journals = await openRunJournals({ disk, runDir: dir });
  try {
    const plan = await planSeal(journals, places.logs);
    return { absent: await countNotIn(places.logs, run.logName, plan), problems: plan.problems };
  } finally {
    journals.close();
  }
}
