import { type Clock, messageOf, type UsageError } from '../base/index.ts';
import { ActiveRuns } from './active-runs.ts';
import { Company } from './company.ts';
import type { Redact } from './evidence-text.ts';
import { FailingRuns, isFailedSample } from './failing-runs.ts';
import type { Handled, JobQueue, QueuedJob } from './job-queue.ts';
import { isIsolated, JobSessions } from './job-sessions.ts';
import { KnownRuns } from './known-runs.ts';
import type { LeaseBook } from './lease-book.ts';
import { isMistake, Mistakes } from './mistakes.ts';
import { patiently } from './patiently.ts';
import { enqueueDue } from './reconcile.ts';
import { isUnwanted } from './rounds.ts';
import { GAVE_UP_MS, RunSessions } from './run-sessions.ts';
import { parseJob, SharedKeys, type SharedPlace } from './shared-keys.ts';
import type { SignsOfLife } from './signs-of-life.ts';
import { type JobOutcome, type JobSession, workOnJob } from './work-on-job.ts';

/** One run, opened by this worker: its code is there, and it has a journal of its own. */
export interface RunSession extends JobSession {
  readonly book: LeaseBook;
  readonly lostMax: number;
  /** How many samples may fail before the round is cancelled [SHR-20]. */
  readonly failOnError?: boolean | number | undefined;
  /** Why nothing that its code calls answers here; undefined as long as something may. */
  readonly gaveUp?: unknown;
  /** True when what runs its code has ended: it is opened again for the next job. */
  readonly isGone?: boolean;
  /** Why it can do nothing more, through no fault of a job: its disk is full. It is opened again after a while. */
  readonly failure?: Error | undefined;
  /** Opens another beside it, in a process that does one job. Whoever has it closes it. */
  readonly apart?: (() => Promise<RunSession>) | undefined;
  /** Resolves when nothing of it is left running here. */
  close?(): Promise<void>;
}

/** A run each of whose jobs has a process of its own [EVI-9]. */
export interface IsolatedRun
  extends Pick<RunSession, 'book' | 'lostMax' | 'failOnError' | 'isGone' | 'close'> {
  /** Opens one that does one job. Whoever has it closes it. */
  readonly alone: () => Promise<RunSession>;
}

export type OpenRun = RunSession | IsolatedRun;

export interface WorkerOptions {
  readonly worker: string;
  readonly place: SharedPlace;
  readonly queue: JobQueue;
  readonly signs: SignsOfLife;
  readonly clock: Clock;
  readonly slots: number;
  /** Aborted when this worker must go. */
  readonly signal: AbortSignal;
  /** It goes by itself when it had nothing to do for this long. */
  readonly idleExitMs?: number | undefined;
  /** Opened once for each run; undefined when there is no such run. */
  readonly openSession: (run: string) => Promise<OpenRun | undefined>;
  /** Shared with others of this process who look at the same runs. */
  readonly runs?: KnownRuns | undefined;
  readonly onOutcome?: ((job: QueuedJob, outcome: JobOutcome) => void) | undefined;
  readonly onProblem?: ((error: unknown) => void) | undefined;
  /** Takes out of what it says in the bucket what must be kept nowhere: reasons may hold what a process printed, or quote an error. */
  readonly redact?: Redact | undefined;
}

/** A job that somebody else has is looked at again after a while, in case that one dies. */
const HELD_AGAIN_MS = 5_000;
/** How often a worker with nothing to do compares the bucket with the queue: one that came back empty says nothing. */
const LOOK_MS = 10_000;
/** How often it looks whether its signs of life arrive. */
const HEARD_LOOK_MS = 1_000;
/** How often it looks whether it has been idle for long enough to go. */
const IDLE_LOOK_MS = 500;
/**
 * What this worker cannot do another may: it is back in the queue soon, and before this one looks for more. Who refused one job after the other
 * without a rest would have all jobs of a long queue in its hands, again and again, as the quickest of all.
 */
const REFUSED_AGAIN_MS = 500;
const REST_MS = 1_000;
const REST_MS_MAX = 8_000;

/** Serves the queue until it is told to go. What it holds then is returned. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #sessions: RunSessions;
  /** What is worked on here, and how the queue gets it back before that is over. */
  readonly #inHand = new Map<string, { readonly working: Promise<void>; readonly letGo: () => void }>();
  readonly #company = new Company();
  readonly #failing: FailingRuns;
  readonly #mistakes: Mistakes;
  readonly #active: ActiveRuns;
  readonly #runs: KnownRuns;
  /**
   * Rounds of runs that this worker had open. What keeps it from opening another process of one, such as a port that the first one has, is no
   * mistake that nobody can get around.
   */
  readonly #wasOpen = new Set<string>();
  /** How many jobs were refused one after the other. */
  #refusals = 0;
  #busyMs: number;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { clock, signs, place, worker: by, signal, onProblem, redact = (text) => text } = options;
    this.#busyMs = clock.monotonicMs();
    this.#runs = options.runs ?? new KnownRuns(place);
    this.#failing = new FailingRuns(place, { clock, by, signal, signs, runs: this.#runs });
    this.#active = new ActiveRuns(options, this.#runs);
    this.#mistakes = new Mistakes({ place, clock, signs, by, signal, redact, onProblem });
    this.#sessions = new RunSessions({
      clock,
      open: options.openSession,
      onRefused: (run, reason, round) =>
        signs.refuse(run, reason === undefined ? undefined : redact(reason), round),
    });
  }

  /** Resolves when it is over: it was told to go, or had nothing to do for as long as it may. */
  async serve(): Promise<void> {
    const { queue, signs, clock, slots } = this.#options;
    if (!(await this.#isHeard())) return;
    const idle = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, idle.signal]);
    using _look = clock.every(LOOK_MS, () => this.#lookWhenIdle());
    using _idle = this.#watchIdle(idle);
    using _heard = clock.every(HEARD_LOOK_MS, () => this.#letGoUnheard());
    try {
      await queue.serve({ slots, signal, handle: (job) => this.#handle(job) });
    } finally {
      await Promise.all([...this.#inHand.values()].map(({ working }) => working));
      await this.#sessions.close();
      await signs.stop();
    }
  }

  #watchIdle(idle: AbortController): Disposable | undefined {
    const { clock, idleExitMs } = this.#options;
    if (idleExitMs === undefined) return undefined;
    this.#busyMs = clock.monotonicMs();
    return clock.every(Math.min(IDLE_LOOK_MS, idleExitMs), () => {
      const idleMs = clock.monotonicMs() - this.#busyMs;
      if (this.#inHand.size === 0 && idleMs >= idleExitMs) idle.abort(new Error('There was nothing to do'));
    });
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

  /** Resolves when the job is over here, or is let go of. */
  async #handle(queued: QueuedJob): Promise<Handled> {
    const name = `${queued.run}/${queued.job}`;
    const { signs, slots, clock } = this.#options;
    if (!signs.isHeard) return this.#passOn();
    // A queue that was lost and filled again may hand out what is being worked on here; what was let go of still has its slot.
    const isTaken = this.#inHand.has(name) || this.#inHand.size >= slots;
    if (isTaken) return { againMs: HELD_AGAIN_MS };
    const handled = Promise.withResolvers<Handled>();
    const working = this.#tryWork(queued).then((result) => {
      this.#inHand.delete(name);
      this.#busyMs = clock.monotonicMs();
      handled.resolve(result);
    });
    this.#inHand.set(name, { working, letGo: () => handled.resolve({ againMs: HELD_AGAIN_MS }) });
    return handled.promise;
  }

  /** Not at once: whoever has nothing to do would have all jobs of the queue in its hands, again and again. */
  async #passOn(): Promise<Handled> {
    await this.#options.clock.sleep(HEARD_LOOK_MS);
    return { againMs: 0 };
  }

  /**
   * [SHR-6] A worker that the bucket does not hear may be lost for all that others know, but a queue that hears it would keep its jobs for it. So
   * others may have them; it goes on, since the bucket may be back before anybody declared it lost.
   */
  #letGoUnheard(): void {
    if (this.#options.signs.isHeard) return;
    for (const { letGo } of this.#inHand.values()) letGo();
  }

  async #tryWork(queued: QueuedJob): Promise<Handled> {
    try {
      const handled = await this.#work(queued);
      this.#refusals = 0;
      return handled;
    } catch (error) {
      if (this.#options.signal.aborted) return { againMs: 0 };
      this.#options.onProblem?.(error);
      if (!this.#sessions.isRefused(queued.run)) return { againMs: HELD_AGAIN_MS };
      return (await this.#isCancelledFor(error, queued)) ? 'done' : this.#refuse();
    }
  }

  /** True when nothing of the round is wanted any more: it was cancelled, or is now, since what keeps this worker from it keeps all others [SHR-25]. */
  async #isCancelledFor(error: unknown, queued: QueuedJob): Promise<boolean> {
    const { place, onProblem } = this.#options;
    const { run, round } = queued;
    try {
      const isCancelled = await place.bucket.stat(new SharedKeys(place.prefix, run).cancelled(round));
      if (isCancelled !== undefined) return true;
      return (
        isMistake(error) &&
        !this.#wasOpen.has(roundOf(queued)) &&
        (await this.#mistakes.cancelIfAll(queued, error))
      );
    } catch (problem) {
      // Whoever is handed the next job of it looks again.
      onProblem?.(problem);
      return false;
    }
  }

  #refuse(): Handled {
    return { againMs: REFUSED_AGAIN_MS, restMs: Math.min(REST_MS * 2 ** this.#refusals++, REST_MS_MAX) };
  }

  async #work(queued: QueuedJob): Promise<Handled> {
    await using used = new AsyncDisposableStack();
    const use = async () => used.use(await this.#sessions.use(queued.run, queued.round))?.session;
    const opened = await use();
    if (!opened) return 'done';
    this.#wasOpen.add(roundOf(queued));
    const { book, lostMax, failOnError = false } = opened;
    const { place, onOutcome } = this.#options;
    const cancelled = book.keys.cancelled(queued.round);
    const sessions = new JobSessions({ opened, use, used });
    let unable: UsageError | undefined;
    const outcome = await workOnJob(queued.job, {
      ...this.#options,
      ...{ book, lostMax, apart: sessions.apart },
      session: () =>
        sessions.session().catch((error: unknown) => this.#cannotStart(queued.run, opened, error)),
      company: this.#company,
      round: queued.round,
      isCancelled: async () => (await place.bucket.stat(cancelled)) !== undefined,
      isUnwanted: () => isUnwanted(place, book.keys, queued.round),
      onUnable: async (error) => {
        if (isMistake(error)) await this.#mistakes.cancel(queued, error);
        else unable = error;
      },
    });
    onOutcome?.(queued, outcome);
    if (failOnError !== false && outcome.kind === 'ended' && isFailedSample(outcome.end))
      await this.#failing.look(queued.run);
    await this.#letGo(queued, sessions, unable);
    return await this.#handled(queued, outcome);
  }

  /** Takes nothing more of a run for a while that this worker turned out to be unable to work on. */
  async #letGo(
    queued: QueuedJob,
    { kept, last }: JobSessions,
    unable: UsageError | undefined,
  ): Promise<void> {
    if (last?.gaveUp !== undefined) await this.#giveUp(queued, kept, last.gaveUp);
    if (unable) await this.#sessions.drop(queued.run, kept, unable);
    // What had a process of its own: the next would find the same full disk.
    if (last?.failure && last !== kept) await this.#sessions.drop(queued.run, kept, last.failure);
  }

  async #handled({ run, job }: QueuedJob, outcome: JobOutcome): Promise<Handled> {
    const { signal } = this.#options;
    if (outcome.kind === 'held') return { againMs: HELD_AGAIN_MS };
    if (outcome.kind === 'ended' && isDueAgain(outcome))
      // What this worker returned without being told to is left to others for a moment.
      return { againMs: outcome.end.status === 'returned' && !signal.aborted ? REFUSED_AGAIN_MS : 0 };
    if (outcome.kind === 'ended') this.#sessions.didWell(run);
    if (parseJob(job)?.kind === 'build') await this.#enqueueDue(run);
    return 'done';
  }

  /** Whoever cannot start the process of one job of an isolated run cannot start that of the next. */
  async #cannotStart(run: string, opened: OpenRun, error: unknown): Promise<never> {
    if (isIsolated(opened)) await this.#sessions.drop(run, opened, error);
    throw error;
  }

  /** [SHR-22] Where others have or may have answers it is this worker that leaves the run to them; where nobody can have any the run is cancelled. */
  async #giveUp({ run, round }: QueuedJob, session: OpenRun, gaveUp: unknown): Promise<void> {
    const { redact = (text) => text } = this.#options;
    // Refused before anything is asked: whatever is taken until then would only be given back.
    await this.#sessions.drop(run, session, gaveUp, GAVE_UP_MS);
    const reason = redact(messageOf(gaveUp));
    if (await this.#failing.giveUp({ run, round }, reason)) this.#sessions.forgive(run);
  }

  /** What a build was waited for by is due now, all of it together. */
  async #enqueueDue(run: string): Promise<void> {
    const { queue } = this.#options;
    await patiently(async () => {
      const shared = await this.#runs.look(run);
      if (shared) await enqueueDue(shared, queue);
    }, this.#options);
  }

  #lookWhenIdle(): void {
    this.#sessions.tidy().catch((error: unknown) => this.#options.onProblem?.(error));
    if (this.#inHand.size === 0) this.#active.look();
  }
}

function roundOf({ run, round }: QueuedJob): string {
  return `${run}.${round}`;
}

function isDueAgain({ end }: Extract<JobOutcome, { kind: 'ended' }>): boolean {
  return end.status === 'returned' || end.status === 'lost';
}
