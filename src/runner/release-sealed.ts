import { counted, DamageError } from '../base/index.ts';
import type { FoundRun, RunJournals } from '../journal/index.ts';
import { countNotIn, planSeal } from '../seal/index.ts';
import { fenceFound } from './fence-found.ts';
import { letRunGo } from './let-run-go.ts';
import { openJournals } from './open-journals.ts';
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
  const { runId } = found.run;
  const lock = tryLockRun(found.dir);
  if (!lock) return;
  try {
    if (!(await fenceFound(found, settings))) return;
    const { journals, clear } = await openJournals({ dir: found.dir, runId }, settings);
    const close = () => journals.close();
    try {
      const { absent, problems } = await compare(found, journals, settings);
      // Why it stays, if it does, is told with the logs that the bucket lacks.
      if (absent === 0 && problems.length === 0)
        return void (await letRunGo({ ...found.run, journals, close }, settings));
      tally.noteDamage(
        `The log of run ${runId} is finished, but its journals hold ${counted(absent, 'sample')} more, or are damaged. They were left as they are: holdfast recover ${runId} --output <log> makes a log of them.`,
      );
    } finally {
      close();
      await clear();
    }
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    tally.noteDamage(`A journal could not be read and was left as it is: ${error.message} ${error.hint}`);
  } finally {
    lock.release();
  }
}

/** What the journals hold and the log does not. */
async function compare(
  { run }: FoundRun,
  journals: RunJournals,
  { places }: RunSettings,
): Promise<{ readonly absent: number; readonly problems: readonly string[] }> {
  const plan = await planSeal(journals, places.logs);
  return { absent: await countNotIn(places.logs, run.logName, plan), problems: plan.problems };
}
