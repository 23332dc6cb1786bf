import { counted, DamageError } from '../base/index.ts';
import { type FoundRun, isNameless, type RunJournals } from '../journal/index.ts';
import type { EvalError } from '../log/index.ts';
import { applySeal, countNotIn, isWhole, planSeal, type SealPlan, setRunAside } from '../seal/index.ts';
import { fenceFound } from './fence-found.ts';
import { letRunGo } from './let-run-go.ts';
import { openJournals } from './open-journals.ts';
import type { OpenRunOptions } from './open-run.ts';
import type { RunTally } from './run-tally.ts';
import type { RunSettings } from './settings.ts';
import { tryLockRun } from './try-lock.ts';

type StartOf = OpenRunOptions['startOf'];

export interface TakeOverPorts {
  readonly settings: RunSettings;
  readonly startOf: StartOf;
  /** Told what became of it. */
  readonly tally: RunTally;
}

/**
 * Turns a run that did not finish and whose plan was another into a log, with everything that was bought in it: whatever of
 * that is still of use, the run that comes now takes from there. What of it is lost, is told as damage, with its price.
 *
 * ### Ordering
 * The run is locked first, so that two processes do not take it over at once, and writers that somebody vouched for are
 * fenced. It is let go only after its log is in place [SEAL-5].
 */
export async function takeOver(stale: FoundRun, ports: TakeOverPorts): Promise<void> {
  const { settings, tally } = ports;
  const busy = `The unfinished run ${stale.run.runId} was taken over by another process just now.`;
  const lock = tryLockRun(stale.dir);
  if (!lock) return tally.note(busy);
  try {
    if (!(await fenceFound(stale, settings))) return tally.note(busy);
    const { journals, notes, clear } = await openJournals(
      { dir: stale.dir, runId: stale.run.runId },
      settings,
    );
    for (const note of notes) tally.note(note);
    try {
      await sealAndRelease(stale, journals, ports);
    } finally {
      journals.close();
      await clear();
    }
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    tally.noteDamage(`A journal could not be read and was left as it is: ${error.message} ${error.hint}`);
  } finally {
    lock.release();
  }
}

async function sealAndRelease(
  { run }: FoundRun,
  source: RunJournals,
  { settings, startOf, tally }: TakeOverPorts,
): Promise<void> {
  const { runId, logName } = run;
  const { disk, places } = settings;
  const close = () => source.close();
  if (source.isUnpaid()) {
    await letRunGo({ runId, logName: undefined, journals: source, close }, settings);
    return tally.note(`The unfinished run ${runId} held nothing that was paid for, and was removed.`);
  }
  const left = await sealStale(source, settings, startOf);
  const told = `The unfinished run ${runId} had another plan: it became ${logName}, from which all that still holds is taken.`;
  if (left.length === 0) {
    // Why it stays, if it does, is told with the logs that the bucket lacks.
    await letRunGo({ runId, logName, journals: source, close }, settings);
    return tally.note(told);
  }
  const { lost } = source.damage;
  close();
  const kept = await setRunAside(disk, places.state, runId);
  // What it had paid for may be bought again now: that is no mere note.
  if (lost) tally.countLost(lost);
  tally.noteDamage(
    `${told} Not all of it is in there, so its journals are kept in ${kept}: ${left.join(' ')}`,
  );
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
