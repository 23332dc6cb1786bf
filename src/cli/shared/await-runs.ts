import { type Clock, systemClock, systemRandom } from '../../base/index.ts';
import {
  cancelIfFailing,
  enqueueDue,
  isSettled,
  type JobQueue,
  type RunStatus,
  type SeenWorkers,
  type SharedRun,
  statusOf,
  WorkersWatch,
} from '../../cluster/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { AskedAgain, DOUBT_MS } from './asked-again.ts';
import { exitAfterDamage } from './damage-lines.ts';
import { type OpenedPlace, submitterName } from './shared-place.ts';
import { progressLine, unservedText } from './status-lines.ts';

export interface WaitFlags {
  readonly timeout?: number;
  /** The duration of `--no-progress`. */
  readonly progress?: number | boolean;
  readonly quiet?: true;
}

/** Why somebody stopped waiting. */
export type WaitEnd =
  | 'complete'
  | 'cancelled'
  | 'stalled'
  | 'timed-out'
  | 'no-progress'
  | 'unknown'
  | 'interrupted';

export interface Waited {
  readonly end: WaitEnd;
  readonly status: RunStatus;
}

const LOOK_MS = 1_000;
/** A look at a large run takes a while: a bucket is not asked for more than a tenth of the time. */
const LOOK_SHARE = 10;
const ENQUEUE_MS = 10_000;
const SAY_MS = 30_000;
/** How long what was cancelled may take to end or to be returned before it is not waited for. */
const SETTLE_MS = 30_000;
/** How long a run may lie in the queue before it is said that nobody will take it. */
const UNSERVED_MS = 30_000;

export interface WaitOptions {
  readonly place: OpenedPlace;
  /** Without one nothing that a queue lost is put back. */
  readonly queue: JobQueue | undefined;
  readonly flags: WaitFlags;
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
  /** Whoever waits says at once how it ended: it is not said twice. */
  readonly isEndSaid?: true;
  /** Of several who wait each sees the same workers. */
  readonly workers?: WorkersSeenLately | undefined;
  readonly clock?: Clock;
}

/** All workers, as they were less than a second ago. */
export class WorkersSeenLately {
  readonly #watch: WorkersWatch;
  readonly #clock: Clock;
  #last: { readonly looking: Promise<SeenWorkers>; readonly atMs: number } | undefined;

  constructor(place: OpenedPlace, clock: Clock = systemClock) {
    this.#watch = new WorkersWatch(place, { random: systemRandom });
    this.#clock = clock;
  }

  look(): Promise<SeenWorkers> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#last && nowMs - this.#last.atMs < LOOK_MS) return this.#last.looking;
    const looking = this.#watch.look();
    this.#last = { looking, atMs: nowMs };
    return looking;
  }
}

/** Waits until a run is over, and puts into the queue again what that has lost. */
export async function waitForRun(shared: SharedRun, options: WaitOptions): Promise<Waited> {
  const watch = new Watch(options);
  for (let before = statusOf(shared, NOBODY_SEEN); ; ) {
    const status = await watch.look(shared, before);
    const end = watch.endOf(status) ?? (options.signal.aborted ? 'interrupted' : undefined);
    if (end) return { end, status };
    await watch.enqueue(shared);
    await watch.pause();
    before = status;
  }
}

const NOBODY_SEEN = { workers: [], nowMs: undefined };

class Watch {
  readonly #options: WaitOptions;
  readonly #clock: Clock;
  readonly #bucket: AskedAgain;
  readonly #queue: AskedAgain;
  readonly #failures: AskedAgain;
  readonly #startMs: number;
  #enqueuedMs = Number.NEGATIVE_INFINITY;
  #saidMs = Number.NEGATIVE_INFINITY;
  #said = '';
  #ended = -1;
  #progressMs: number;
  #cancelledMs: number | undefined;
  #hasWarned = false;
  #doubt: { readonly end: WaitEnd; readonly sinceMs: number } | undefined;
  readonly #workers: WorkersSeenLately;
  /** How long the last look took. */
  #tookMs = 0;

  constructor(options: WaitOptions) {
    const { place, note, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#bucket = new AskedAgain({ what: 'bucket', note, clock });
    // The run can be waited for without them.
    this.#queue = new AskedAgain({ what: 'queue', note, clock, isDispensable: true });
    this.#failures = new AskedAgain({ what: 'bucket', note, clock, isDispensable: true });
    this.#startMs = clock.monotonicMs();
    this.#progressMs = this.#startMs;
    this.#workers = options.workers ?? new WorkersSeenLately(place, clock);
  }

  /** A bucket that is away says nothing of the run: what was known is unknown until it is back. */
  async look(shared: SharedRun, before: RunStatus): Promise<RunStatus> {
    const startedMs = this.#clock.monotonicMs();
    const seen = await this.#bucket.ask(async () => {
      await shared.refresh();
      return statusOf(shared, await this.#workers.look());
    });
    if (seen) this.#tookMs = this.#clock.monotonicMs() - startedMs;
    return seen ?? { ...before, state: 'unknown' };
  }

  /** Until the next look, or until whoever waits has waited long enough. */
  async pause(): Promise<void> {
    const { signal, flags } = this.#options;
    const leftMs = (flags.timeout ?? Number.POSITIVE_INFINITY) - (this.#clock.monotonicMs() - this.#startMs);
    try {
      await this.#clock.sleep(Math.min(pauseMs(this.#tookMs), Math.max(0, leftMs)), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  endOf(status: RunStatus): WaitEnd | undefined {
    const nowMs = this.#clock.monotonicMs();
    const end = this.#endOf(status, nowMs);
    if (!(end && this.#options.isEndSaid)) this.#say(status, nowMs);
    return end;
  }

  #endOf(status: RunStatus, nowMs: number): WaitEnd | undefined {
    const { timeout, progress } = this.#options.flags;
    const ended = endedOf(status.samples) + endedOf(status.builds);
    if (ended !== this.#ended) this.#progressMs = nowMs;
    this.#ended = ended;
    if (status.state === 'complete') return 'complete';
    if (status.state === 'cancelled') return this.#isLeft(status, nowMs) ? 'cancelled' : undefined;
    this.#warn(status, nowMs);
    if (timeout !== undefined && nowMs - this.#startMs >= timeout) return 'timed-out';
    if (typeof progress === 'number' && nowMs - this.#progressMs >= progress) return 'no-progress';
    return this.#doubted(status.state, nowMs);
  }

  async enqueue(shared: SharedRun): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const { place, queue } = this.#options;
    if (!queue || nowMs - this.#enqueuedMs < ENQUEUE_MS) return;
    this.#enqueuedMs = nowMs;
    await this.#queue.ask(() => enqueueDue(shared, queue));
    await this.#failures.ask(() =>
      cancelIfFailing(shared, place, { clock: systemClock, by: submitterName() }),
    );
  }

  /** What is under way of it ends within seconds, mostly; whoever has what takes longer is not waited for. */
  #isLeft(status: RunStatus, nowMs: number): boolean {
    this.#cancelledMs ??= nowMs;
    return isSettled(status) || nowMs - this.#cancelledMs >= SETTLE_MS;
  }

  /** Once: a run that nobody will take looks like one that is about to begin. */
  #warn(status: RunStatus, nowMs: number): void {
    const text = unservedText(status);
    if (text === undefined || this.#hasWarned || nowMs - this.#startMs < UNSERVED_MS) return;
    this.#hasWarned = true;
    this.#options.note(text);
  }

  /** What looks bad is looked at for a minute before it is believed. */
  #doubted(state: RunStatus['state'], nowMs: number): WaitEnd | undefined {
    const end =
      state === 'unknown'
        ? 'unknown'
        : state === 'stalled' || state === 'interrupted'
          ? 'stalled'
          : undefined;
    if (end !== this.#doubt?.end) this.#doubt = end && { end, sinceMs: nowMs };
    return this.#doubt && nowMs - this.#doubt.sinceMs >= DOUBT_MS ? end : undefined;
  }

  #say(status: RunStatus, nowMs: number): void {
    const line = progressLine(status);
    const isNews = status.state !== this.#said || nowMs - this.#saidMs >= SAY_MS;
    if (this.#options.flags.quiet || !isNews) return;
    this.#said = status.state;
    this.#saidMs = nowMs;
    this.#options.note(line);
  }
}

/** What failed has ended as well. */
function endedOf({ completed, errored, aside, damaged }: RunStatus['builds']): number {
  return completed + errored + aside + damaged;
}

export function pauseMs(tookMs: number): number {
  return Math.max(LOOK_MS, (LOOK_SHARE - 1) * tookMs);
}

export function exitOfWait(waited: Waited, missed: readonly string[]): ExitCode {
  return exitAfterDamage(exitOfEnd(waited, missed), waited.status.damaged);
}

function exitOfEnd({ end, status }: Waited, missed: readonly string[]): ExitCode {
  if (end === 'complete') {
    if (missed.length > 0) return EXIT.failed;
    if (status.samples.errored + status.samples.aside > 0) return EXIT.samplesFailed;
    return Object.keys(status.scorersFailed).length > 0 ? EXIT.failed : EXIT.ok;
  }
  const codes = {
    ...{ cancelled: EXIT.cancelled, stalled: EXIT.stalled, unknown: EXIT.unknown },
    ...{ 'timed-out': EXIT.timedOut, 'no-progress': EXIT.timedOut, interrupted: EXIT.interrupted },
  } as const;
  return codes[end];
}
