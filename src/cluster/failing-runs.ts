import { type Clock, counted } from '../base/index.ts';
import { areTooMany } from '../runner/index.ts';
import type { QueuedJob } from './job-queue.ts';
import type { KnownRuns } from './known-runs.ts';
import { patiently } from './patiently.ts';
import { writeCancelled } from './rounds.ts';
import { parseJob, type SharedPlace } from './shared-keys.ts';
import type { LeaseEnded } from './shared-records.ts';
import type { SharedRun } from './shared-run.ts';
import type { SignsOfLife } from './signs-of-life.ts';

interface Canceller {
  readonly clock: Clock;
  /** Who says so. */
  readonly by: string;
}

/**
 * [SHR-20] Cancels the round when as many of its samples failed as the submission says. It is counted from what is stored, so whoever looks
 * finds the same, and only the first who does has the word.
 */
export async function cancelIfFailing(
  shared: SharedRun,
  place: SharedPlace,
  { clock, by }: Canceller,
): Promise<void> {
  const { run, round, submission } = shared;
  const { failOnError = false, samples: planned } = submission;
  if (failOnError === false || round === 0 || shared.isCancelled || shared.isComplete) return;
  let failed = 0;
  for (const job of shared.jobs()) if (isFailedSample(shared.endOf(job))) failed++;
  if (!areTooMany(failed, { failOnError, planned })) return;
  const limit = failOnError === true ? '' : `, and the limit is ${failOnError}`;
  const reason = `${counted(failed, 'sample')} failed${limit} (fail-on-error)`;
  await writeCancelled(place, { run, round, clock, by, reason, letsFinish: true, because: 'errors' });
  await shared.refresh();
}

/** Failed, or set aside because it killed whoever had it. */
export function isFailedSample(end: LeaseEnded | undefined): boolean {
  const isFailed = end?.status === 'errored' || end?.status === 'aside';
  return isFailed && parseJob(end.job)?.kind === 'sample';
}

function hasResult(shared: SharedRun): boolean {
  for (const job of shared.jobs())
    if (shared.leasesOf(job).some(({ ended }) => ended?.status === 'completed')) return true;
  return false;
}

interface FailingAbout extends Canceller {
  readonly signs: Pick<SignsOfLife, 'isRefusedByAll'>;
  readonly signal: AbortSignal;
  readonly runs: KnownRuns;
}

interface Looked {
  last: Promise<void>;
  /** Asked for, and not begun: it sees all that ended until now. */
  next?: Promise<void> | undefined;
}

/** Looks for one worker whether its runs fail too often: at each of them once at a time, however many samples fail meanwhile. */
export class FailingRuns {
  readonly #place: SharedPlace;
  readonly #about: FailingAbout;
  readonly #runs = new Map<string, Looked>();

  constructor(place: SharedPlace, about: FailingAbout) {
    this.#place = place;
    this.#about = about;
  }

  /** Resolves when somebody has looked since. */
  look(run: string): Promise<void> {
    const looked: Looked = this.#runs.get(run) ?? { last: Promise.resolve() };
    this.#runs.set(run, looked);
    looked.next ??= looked.last.then(() => {
      looked.next = undefined;
      const look = this.#lookNow(run, looked);
      // Whoever asked hears of its failure; the next look begins anew.
      looked.last = look.catch(() => undefined);
      return look;
    });
    return looked.next;
  }

  /**
   * True when it is hopeless for all, as far as anybody knows: then it is cancelled. Samples may take hours, so it says little that nobody has a
   * result yet: who is there and does not refuse the run may have answers.
   */
  async giveUp({ run, round }: Pick<QueuedJob, 'run' | 'round'>, reason: string): Promise<boolean> {
    const { clock, signal, by, signs } = this.#about;
    return await patiently(
      async () => {
        const shared = await this.#about.runs.look(run);
        if (!shared || shared.round !== round || shared.isCancelled || shared.isComplete) return true;
        if (hasResult(shared) || !(await signs.isRefusedByAll({ run, round }))) return false;
        await writeCancelled(this.#place, { run, round, clock, by, reason, because: 'calls' });
        return true;
      },
      { clock, signal },
    );
  }

  async #lookNow(run: string, looked: Looked): Promise<void> {
    const { clock, signal } = this.#about;
    const shared = await patiently(
      async () => {
        const found = await this.#about.runs.look(run);
        if (found) await cancelIfFailing(found, this.#place, this.#about);
        return found;
      },
      { clock, signal },
    );
    const isOver = !shared || shared.isCancelled || shared.isComplete;
    if (isOver && !looked.next) this.#runs.delete(run);
  }
}
