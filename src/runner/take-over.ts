import { counted, DamageError, sampleKeyText } from '../base/index.ts';
import { type FoundRun, type JournalWriter, openRunJournals, type RunJournals } from '../journal/index.ts';
import type { EvalError } from '../log/index.ts';
import { applySeal, countNotIn, countWaiting, isWhole, planSeal, setRunAside } from '../seal/index.ts';
import { fenceFound } from './fence-found.ts';
import { letRunGo } from './let-run-go.ts';
import type { Plan } from './plan.ts';
import type { RunSettings } from './settings.ts';
import { tryLockRun } from './try-lock.ts';

/**
 * Takes what fits from a run whose plan was another, then turns that run into a log: whatever else it holds was paid for
 * too. Gives a sentence about it for the account.
 *
 * ### Ordering
 * The other run is locked first, so that two processes do not take it over at once, and writers that somebody vouched for
 * are fenced. What is carried is durable here before the other run is let go. An attempt keeps its origin, so carrying it again adds nothing [JRN-14].
 */
export async function takeOver(
  stale: FoundRun,
  into: { readonly writer: JournalWriter; readonly journals: RunJournals; readonly plan: Plan },
  settings: RunSettings,
): Promise<string> {
  const { runId } = stale.run;
  const lock = tryLockRun(stale.dir);
  if (!lock) return `The unfinished run ${runId} was taken over by another process just now.`;
  try {
    await fenceFound(stale, settings);
    const journals = await openRunJournals({ disk: settings.disk, runDir: stale.dir });
    try {
      return await carryAndSeal(stale, journals, { ...into, settings });
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

interface Takeover {
  readonly writer: JournalWriter;
  readonly journals: RunJournals;
  readonly plan: Plan;
  readonly settings: RunSettings;
}

async function carryAndSeal(stale: FoundRun, source: RunJournals, into: Takeover): Promise<string> {
  const { runId, logName } = stale.run;
  const { disk, places } = into.settings;
  const close = () => source.close();
  if (source.isUnpaid()) {
    await letRunGo({ runId, logName: undefined, journals: source, close }, into.settings);
    return `The unfinished run ${runId} held nothing that was paid for, and was removed.`;
  }
  const carried = carryAttempts(source, into);
  const wanted = keysOf(into.plan);
  // Those that the new plan holds were carried over just now.
  const waiting = countWaiting(source, ({ key }, name) => wanted.get(name) !== key);
  if (waiting > 0)
    return `The unfinished run ${runId} had another plan: ${counted(carried, 'attempt')} carried over. It stays, since it has answers for ${waiting} more that were under way.`;
  const left = await sealStale(source, into.settings);
  const told = `The unfinished run ${runId} had another plan: ${counted(carried, 'attempt')} carried over, and it became ${logName}.`;
  if (left.length === 0) {
    // Why it stays, if it does, is told with the logs that the bucket lacks.
    await letRunGo({ runId, logName, journals: source, close }, into.settings);
    return told;
  }
  close();
  const kept = await setRunAside(disk, places.state, runId);
  return `${told} Not all of it is in there, so its journals are kept in ${kept}: ${left.join(' ')}`;
}

/** Attempts at samples of this plan with the same content key, each origin once over all journals of the run. */
function carryAttempts(source: RunJournals, { writer, journals, plan }: Takeover): number {
  const known = new Set<string>();
  for (const { origin } of journals.outline()) known.add(origin);
  let carried = 0;
  const wanted = keysOf(plan);
  for (const reader of source.readers) {
    const fitting: number[] = [];
    for (const { n, id, epoch, key, origin, isDamaged } of reader.outline()) {
      if (wanted.get(sampleKeyText(id, epoch)) !== key || known.has(origin) || isDamaged) continue;
      known.add(origin);
      fitting.push(n);
    }
    writer.copyFrom(reader, fitting);
    carried += fitting.length;
  }
  return carried;
}

function keysOf(plan: Plan): ReadonlyMap<string, string> {
  return new Map(plan.samples.map(({ id, epoch, key }) => [sampleKeyText(id, epoch), key]));
}

/** Gives a sentence for everything that the journals hold and the log does not, or that cannot be read [SEAL-5]. */
async function sealStale(source: RunJournals, { clock, places }: RunSettings): Promise<readonly string[]> {
  const { logs } = places;
  const planned = await planSeal(source, logs);
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

const REPLACED: EvalError = {
  message: 'The run was interrupted, and a run with another plan took its place.',
  traceback: '',
  traceback_ansi: '',
};
