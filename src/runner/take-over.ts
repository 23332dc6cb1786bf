import { DamageError } from '../base/index.ts';
import { type FoundRun, openRunJournals, type RunJournals } from '../journal/index.ts';
import type { EvalError } from '../log/index.ts';
import { applySeal, countNotIn, planSeal, releaseRun, setRunAside } from '../seal/index.ts';
import { fenceFound } from './fence-found.ts';
import type { RunSettings } from './settings.ts';
import { tryLockRun } from './try-lock.ts';

/**
 * Turns a run that did not finish and whose plan was another into a log, with everything that was bought in it: whatever of
 * that is still of use, the run that comes now takes from there. Gives a sentence about it for the account.
 *
 * ### Ordering
 * The run is locked first, so that two processes do not take it over at once, and writers that somebody vouched for are
 * fenced. It is let go only after its log is in place [SEAL-5].
 */
export async function takeOver(stale: FoundRun, settings: RunSettings): Promise<string> {
  const { runId } = stale.run;
  const lock = tryLockRun(stale.dir);
  if (!lock) return `The unfinished run ${runId} was taken over by another process just now.`;
  try {
    await fenceFound(stale, settings);
    const journals = await openRunJournals({ disk: settings.disk, runDir: stale.dir });
    try {
      return await sealAndRelease(stale, journals, settings);
    } finally {
      journals.close();
    }
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    return `A journal could not be read and was left as it is: ${error.message} ${error.hint}`;
  } finally {
    lock.release();
  }
}

async function sealAndRelease(
  { run }: FoundRun,
  source: RunJournals,
  settings: RunSettings,
): Promise<string> {
  const { runId, logName } = run;
  const { disk, places } = settings;
  if (source.isUnpaid()) {
    source.close();
    await releaseRun(disk, places.state, runId);
    return `The unfinished run ${runId} held nothing that was paid for, and was removed.`;
  }
  const left = await sealStale(source, settings);
  source.close();
  const told = `The unfinished run ${runId} had another plan: it became ${logName}, from which all that still holds is taken.`;
  if (left.length === 0) {
    await releaseRun(disk, places.state, runId);
    return told;
  }
  const kept = await setRunAside(disk, places.state, runId);
  return `${told} Not all of it is in there, so its journals are kept in ${kept}: ${left.join(' ')}`;
}

/** Gives a sentence for everything that the journals hold and the log does not, or that cannot be read [SEAL-5]. */
async function sealStale(source: RunJournals, { clock, places }: RunSettings): Promise<readonly string[]> {
  const { logs } = places;
  const { plan, name, wasThere } = await applySeal(await planSeal(source, logs), {
    clock,
    logs,
    outcome: { status: 'error', error: REPLACED },
  });
  // Somebody else may have made that log before all of this was known.
  const absent = wasThere ? await countNotIn(logs, name, plan) : 0;
  const found = new Set([...plan.problems, ...source.damage.sentences]);
  return [
    ...[...plan.unwritable].map(([sample, reason]) => `${sample} could not be written (${reason}).`),
    ...found,
    ...(absent > 0 ? [`${name} was made by another process and lacks ${absent} sample(s).`] : []),
  ];
}

const REPLACED: EvalError = {
  message: 'The run was interrupted, and a run with another plan took its place.',
  traceback: '',
  traceback_ansi: '',
};
