import { counted, DamageError } from '../base/index.ts';
import { type FoundRun, isNameless, openRunJournals, type RunJournals } from '../journal/index.ts';
import type { EvalError } from '../log/index.ts';
import { applySeal, countNotIn, isWhole, planSeal, type SealPlan, setRunAside } from '../seal/index.ts';
import { fenceFound } from './fence-found.ts';
import { letRunGo } from './let-run-go.ts';
import type { OpenRunOptions } from './open-run.ts';
import type { RunSettings } from './settings.ts';
import { tryLockRun } from './try-lock.ts';

type StartOf = OpenRunOptions['startOf'];

/**
 * Turns a run that did not finish and whose plan was another into a log, with everything that was bought in it: whatever of
 * that is still of use, the run that comes now takes from there. Gives a sentence about it for the account.
 *
 * ### Ordering
 * The run is locked first, so that two processes do not take it over at once, and writers that somebody vouched for are
 * fenced. It is let go only after its log is in place [SEAL-5].
 */
export async function takeOver(stale: FoundRun, settings: RunSettings, startOf: StartOf): Promise<string> {
  const { runId } = stale.run;
  const lock = tryLockRun(stale.dir);
  if (!lock) return `The unfinished run ${runId} was taken over by another process just now.`;
  try {
    await fenceFound(stale, settings);
    const journals = await openRunJournals({ disk: settings.disk, runDir: stale.dir });
    try {
      return await sealAndRelease(stale, journals, { settings, startOf });
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
  { settings, startOf }: { readonly settings: RunSettings; readonly startOf: StartOf },
): Promise<string> {
  const { runId, logName } = run;
  const { disk, places } = settings;
  const close = () => source.close();
  if (source.isUnpaid()) {
    await letRunGo({ runId, logName: undefined, journals: source, close }, settings);
    return `The unfinished run ${runId} held nothing that was paid for, and was removed.`;
  }
  const left = await sealStale(source, settings, startOf);
  const told = `The unfinished run ${runId} had another plan: it became ${logName}, from which all that still holds is taken.`;
  if (left.length === 0) {
    // Why it stays, if it does, is told with the logs that the bucket lacks.
    await letRunGo({ runId, logName, journals: source, close }, settings);
    return told;
  }
  close();
  const kept = await setRunAside(disk, places.state, runId);
  return `${told} Not all of it is in there, so its journals are kept in ${kept}: ${left.join(' ')}`;
}

/** Gives a sentence for everything that the journals hold and the log does not, or that cannot be read [SEAL-5]. */
async function sealStale(
  source: RunJournals,
  { clock, places }: RunSettings,
  startOf: StartOf,
): Promise<readonly string[]> {
  const { logs } = places;
  const planned = named(await planSeal(source, logs), startOf);
  const { plan, name, wasThere } = await applySeal(planned, {
    clock,
    logs,
    // All of it may have been done when another plan came: then nothing is wrong with it.
    outcome: isWhole(planned) ? { status: 'success' } : { status: 'error', error: REPLACED },
  });
  // Somebody else may have made that log before all of this was known.
  const absent = wasThere ? await countNotIn(logs, name, plan) : 0;
  const found = new Set([...plan.problems, ...source.damage.sentences]);
  return [
    ...[...plan.unwritable].map(([sample, reason]) => `${sample} could not be written (${reason}).`),
    ...found,
    ...(absent > 0 ? [`${name} was made by another process and lacks ${counted(absent, 'sample')}.`] : []),
  ];
}

/** What it was of is known by its attempts: they are of the eval that is run now. */
function named(plan: SealPlan, startOf: StartOf): SealPlan {
  const { run } = plan;
  return isNameless(run) ? { ...plan, run: { ...run, start: startOf(run.runId, run.created) } } : plan;
}

const REPLACED: EvalError = {
  message: 'The run was interrupted, and a run with another plan took its place.',
  traceback: '',
  traceback_ansi: '',
};
