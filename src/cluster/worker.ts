import type { Clock } from '../base/index.ts';
import { Company } from './company.ts';
import type { Handled, JobQueue, QueuedJob } from './job-queue.ts';
import type { LeaseBook } from './lease-book.ts';
import { patiently } from './patiently.ts';
import { enqueueDue } from './reconcile.ts';
import { activePrefix, parseActiveKey, parseJob, type SharedPlace } from './shared-keys.ts';
import { SharedRun } from './shared-run.ts';
import type { SignsOfLife } from './signs-of-life.ts';
import { type JobOutcome, type JobPorts, workOnJob } from './work-on-job.ts';

/** One run, opened by this worker: its code is there, and it has a journal of its own. */
export interface RunSession {
  readonly book: LeaseBook;
  readonly writer: string;
  readonly lostMax: number;
  readonly work: JobPorts['work'];
}

export interface WorkerOptions {
  readonly worker: string;
  readonly place: SharedPlace;
  readonly queue: JobQueue;
  readonly signs: SignsOfLife;
  readonly clock: Clock;
  readonly slots: number;
  /** Aborted when this worker must go. */
  readonly signal: AbortSignal;
  /** Opened once for each run; undefined when there is no such run. */
  readonly openSession: (run: string) => Promise<RunSession | undefined>;
  readonly onOutcome?: ((job: QueuedJob, outcome: JobOutcome) => void) | undefined;
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

/** A job that somebody else has is looked at again after a while, in case that one dies. */
const HELD_AGAIN_MS = 5_000;
/** How often a worker with nothing to do compares the bucket with the queue: one that came back empty says nothing. */
const LOOK_MS = 10_000;

/** Serves the queue until it is told to go. What it holds then is returned. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #sessions = new Map<string, Promise<RunSession | undefined>>();
  readonly #inHand = new Set<string>();
  readonly #company = new Company();
  #isLooking = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  async serve(): Promise<void> {
    const { queue, signs, clock, slots, signal } = this.#options;
    if (!(await this.#isHeard())) return;
    using _look = clock.every(LOOK_MS, () => this.#lookWhenIdle());
    try {
      await queue.serve({ slots, signal, handle: (job) => this.#handle(job) });
    } finally {
      await signs.stop();
    }
  }

  /** False when it is told to go before the bucket took its first sign of life: then it has taken nothing. */
  async #isHeard(): Promise<boolean> {
    const { signs, signal } = this.#options;
    try {
      await patiently(() => signs.start(), this.#options);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  async #handle(queued: QueuedJob): Promise<Handled> {
    const name = `${queued.run}/${queued.job}`;
    // A queue that was lost and filled again may hand out what is being worked on here.
    if (this.#inHand.has(name)) return { againMs: HELD_AGAIN_MS };
    this.#inHand.add(name);
    try {
      return await this.#work(queued);
    } catch (error) {
      if (!this.#options.signal.aborted) this.#options.onProblem?.(error);
      return { againMs: this.#options.signal.aborted ? 0 : HELD_AGAIN_MS };
    } finally {
      this.#inHand.delete(name);
    }
  }

  async #work(queued: QueuedJob): Promise<Handled> {
    const session = await this.#session(queued.run);
    if (!session) return 'done';
    const { place, onOutcome } = this.#options;
    const cancelled = session.book.keys.cancelled(queued.round);
    const outcome = await workOnJob(queued.job, {
      ...this.#options,
      ...session,
      company: this.#company,
      round: queued.round,
      isCancelled: async () => (await place.bucket.stat(cancelled)) !== undefined,
    });
    onOutcome?.(queued, outcome);
    if (outcome.kind === 'held') return { againMs: HELD_AGAIN_MS };
    if (outcome.kind === 'ended' && isDueAgain(outcome)) return { againMs: 0 };
    if (parseJob(queued.job)?.kind === 'build') await this.#enqueueDue(queued.run);
    return 'done';
  }

  #session(run: string): Promise<RunSession | undefined> {
    const known = this.#sessions.get(run);
    if (known) return known;
    const opening = this.#options.openSession(run);
    this.#sessions.set(run, opening);
    // One that could not be opened is tried again with the next job.
    opening.catch(() => this.#sessions.delete(run));
    return opening;
  }

  /** What a build was waited for by is due now, all of it together. */
  async #enqueueDue(run: string): Promise<void> {
    const { place, queue } = this.#options;
    await patiently(async () => {
      const shared = await SharedRun.open(place, run);
      if (shared) await enqueueDue(shared, queue);
    }, this.#options);
  }

  #lookWhenIdle(): void {
    if (this.#isLooking || this.#inHand.size > 0) return;
    this.#isLooking = true;
    this.#lookAtActive()
      .catch((error: unknown) => this.#options.onProblem?.(error))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  async #lookAtActive(): Promise<void> {
    const { place, queue } = this.#options;
    const folder = activePrefix(place.prefix);
    for await (const { key } of place.bucket.list(folder)) {
      const active = parseActiveKey(key);
      const shared = active && (await SharedRun.open(place, active.run));
      if (!shared) continue;
      const isPast = shared.round > active.round || shared.isComplete || shared.isCancelled;
      if (isPast) await place.bucket.remove(key);
      else await enqueueDue(shared, queue);
    }
  }
}

function isDueAgain({ end }: Extract<JobOutcome, { kind: 'ended' }>): boolean {
  return end.status === 'returned' || end.status === 'lost';
}
