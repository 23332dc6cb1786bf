import { type Clock, counted, DamageError, type Json, type JsonObject } from '../base/index.ts';
import type { CreatedLog, EvalError, LogHeader, LogStatus, LogStore, VerifyReport } from '../log/index.ts';
import { isWhole, planWithout, type SealPlan } from './plan-seal.ts';
import { findSealedLog } from './sealed-log.ts';
import { sampleOfMember, UnreadableSamples, writePlan } from './write-plan.ts';

export interface ApplySealOptions {
  readonly clock: Clock;
  readonly logs: LogStore;
  /** Where the logs are that lend samples; by default the same store. */
  readonly lenders?: LogStore | undefined;
  /** The name of the log; by default the one that the run chose when it began. */
  readonly name?: string | undefined;
  /** How the run ended, if all of it can be written. */
  readonly outcome: { readonly status: LogStatus; readonly error?: EvalError };
  /** False leaves the transcripts out, to keep the log small. Samples of other logs are copied as they are. */
  readonly withEvents?: boolean | undefined;
  /** What the log says about itself: the account is made from the plan that is written [SEAL-4]. */
  readonly metadata?: ((plan: SealPlan) => JsonObject) | undefined;
  /** For the log's statistics: how the limits of concurrent calls changed. */
  readonly connectionLimits?: readonly Json[] | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Asked right before the log gets its name; throws when the run is somebody else's by now. */
  readonly assertOwned?: (() => void) | undefined;
}

export interface SealReport {
  readonly name: string;
  /** How people name the log. */
  readonly place: string;
  /** True when another seal had made this very log already: an earlier one that died before it could say so, or one at the same time. */
  readonly wasThere: boolean;
  readonly header: LogHeader;
  /** What the log holds: the plan that was given, less what could not be written. */
  readonly plan: SealPlan;
  /** Where the samples are that could not be written. */
  readonly aside?: string;
}

/** Each round leaves out what the one before could not write, so more are never needed. */
const ROUNDS_MAX = 3;

/**
 * Writes exactly what the plan says. A clean run, a crashed one and one on many machines all end here.
 *
 * A sample that does not pass the check never holds the others hostage [SEAL-5]: the log with it is set aside, and
 * another is made without it.
 *
 * ### Ordering
 * See `LogStore.create`: the log is whole, checked and named before this returns, and only then may anything go [SEAL-1].
 */
export async function applySeal(plan: SealPlan, options: ApplySealOptions): Promise<SealReport> {
  const { logs, name = plan.run.logName } = options;
  const place = logs.placeOf(name);
  const sealed = await findSealedLog(logs, name, plan.run);
  if (sealed) return { name, place, wasThere: true, header: sealed, plan };
  let current = plan;
  let aside: string | undefined;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const written = await writeOnce(current, { ...options, name });
    if (written.unwritable) {
      current = planWithout(current, written.unwritable);
      if (written.isAside) aside = `${place}.damaged`;
      continue;
    }
    if (written.created.outcome === 'exists') {
      // Of two who seal one run at once, as two fetches do, the first was faster.
      const other = await findSealedLog(logs, name, plan.run);
      if (!other) throw nameTaken(place);
      return { name, place, wasThere: true, header: other, plan };
    }
    const report = { name, place, wasThere: false, header: written.created.written, plan: current };
    return aside === undefined ? report : { ...report, aside };
  }
  throw notReadBack(place, 'samples were left out, and it still is not whole');
}

type Written =
  | { readonly created: CreatedLog<LogHeader>; readonly unwritable?: undefined }
  | { readonly unwritable: ReadonlyMap<string, string>; readonly isAside: boolean };

async function writeOnce(
  plan: SealPlan,
  options: ApplySealOptions & { readonly name: string },
): Promise<Written> {
  const { logs, name } = options;
  const place = logs.placeOf(name);
  const unwritable = new Map<string, string>();
  try {
    const created = await logs.create<LogHeader>(name, {
      write: (file) => writePlan(file, plan, { ...options, outcome: outcomeOf(plan, options) }),
      judge: (report) => {
        noteProblems(report, unwritable, place);
        if (unwritable.size > 0) return 'set aside';
        if (report.samples !== plan.choices.length)
          throw notReadBack(place, `${report.samples} samples instead of ${plan.choices.length}`);
        options.assertOwned?.();
        return 'commit';
      },
    });
    return unwritable.size > 0 ? { unwritable, isAside: true } : { created };
  } catch (error) {
    if (error instanceof UnreadableSamples) return { unwritable: error.reasons, isAside: false };
    throw error;
  }
}

/** Problems of samples are theirs alone; one of any other document is a failure of the log. */
function noteProblems(report: VerifyReport, unwritable: Map<string, string>, place: string): void {
  const broken = report.problems.find(({ member }) => sampleOfMember(member) === undefined);
  for (const { member, message } of report.problems) {
    const sample = sampleOfMember(member);
    if (sample !== undefined && !unwritable.has(sample)) unwritable.set(sample, message);
  }
  // When samples are left out, what else is wrong may be their doing: the next round tells.
  if (broken && unwritable.size === 0) throw notReadBack(place, `${broken.member}: ${broken.message}`);
}

function outcomeOf(plan: SealPlan, { outcome }: ApplySealOptions): ApplySealOptions['outcome'] {
  if (plan.unwritable.size === 0 || outcome.status !== 'success' || isWhole(plan)) return outcome;
  const names = [...plan.unwritable.keys()].slice(0, 10).join(', ');
  const message = `Not written, but kept beside this log: ${counted(plan.unwritable.size, 'sample')} (${names})`;
  return { status: 'error', error: { message, traceback: `${message}\n`, traceback_ansi: `${message}\n` } };
}

function notReadBack(place: string, because: string): DamageError {
  return new DamageError({
    code: 'E_SEAL_VERIFY',
    message: `The new log ${place} did not read back as it was written (${because}).`,
    hint: 'Nothing was lost: the journal is untouched. Check the disk, then run the same command again.',
  });
}

function nameTaken(place: string): DamageError {
  return new DamageError({
    code: 'E_LOG_EXISTS',
    message: `${place} exists and is not the log of this run.`,
    hint: 'Nothing was overwritten. Move that file away, then run the same command again.',
  });
}
