import { type Clock, definedOf } from '../base/index.ts';
import type { PlannedSample } from './plan.ts';
import type { SampleOutcome } from './run-sample.ts';
import { areTooMany } from './too-many-errors.ts';

/** How a run is told to stop. Both leave it resumable. */
export interface StopSignals {
  /** Admit nothing more; what is running may finish within the grace period. */
  readonly drain: AbortSignal;
  /** Stop everything now. */
  readonly abort: AbortSignal;
}

export interface ExecuteOptions {
  /** Pulled one by one, each only when there is a slot for it. */
  readonly samples: AsyncIterable<PlannedSample> | Iterable<PlannedSample>;
  readonly slots: Slots;
  readonly clock: Clock;
  readonly signals: StopSignals;
  readonly graceMs: number;
  /** How often a sample with an execution error is tried again at once. */
  readonly retries: number;
  readonly failOnError: boolean | number;
  readonly planned: number;
  readonly isBudgetSpent: () => boolean;
  /** Aborted with its error when the journal takes nothing more: whatever runs then could not be kept. */
  readonly journalFailure: AbortSignal;
  /** Aborted with its error when whatever is called fails every time: to go on would only burn the rest. */
  readonly hopeless?: AbortSignal;
  /** `before`: how the try before this one ended. */
  readonly runOne: (
    sample: PlannedSample,
    signal: AbortSignal,
    before?: SampleOutcome,
  ) => Promise<SampleOutcome>;
  readonly onStart?: (sample: PlannedSample) => void;
  readonly onEnd?: (sample: PlannedSample, outcome: SampleOutcome) => void;
}

export type StopReason = 'interrupted' | 'budget' | 'failed';

export interface Executed {
  /** Undefined: every sample was admitted and ended. */
  readonly stopped?: StopReason;
  /** Why, when there is more to say. */
  readonly cause?: unknown;
}

/** As long as a timer can be: about 24 days. */
const ALIVE_MS = 2 ** 31 - 1;

/** Places to run a sample in, shared by all runs of a set. First come, first served. */
export class Slots {
  readonly #waiting: Array<() => void> = [];
  readonly count: number;
  #free: number;

  constructor(count: number) {
    this.count = count;
    this.#free = count;
  }

  take(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}

/**
 * Runs samples, as many at a time as there are slots, until all ended or the run must stop. A journal that fails stops
 * the run with its error; everything else is an outcome of a sample.
 */
export async function executeSamples(options: ExecuteOptions): Promise<Executed> {
  const stop = new Stopper(options);
  const running = new Set<Promise<void>>();
  // A target may wait for something that keeps no handle: the process must not end under it as if all were done.
  const done = new AbortController();
  const alive = options.clock.sleep(ALIVE_MS, done.signal).catch(() => undefined);
  try {
    await admitSamples(options, stop, running);
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
    done.abort();
    await alive;
    stop.dispose();
  }
  if (stop.failure) throw stop.failure.error;
  if (stop.reason === undefined) return {};
  return { stopped: stop.reason, ...definedOf({ cause: stop.cause }) };
}

/** Slot first, sample second: what is not admitted is never pulled, so it can still be given to somebody else. */
async function admitSamples(
  options: ExecuteOptions,
  stop: Stopper,
  running: Set<Promise<void>>,
): Promise<void> {
  const samples = iteratorOf(options.samples);
  try {
    for (;;) {
      const waiting = options.slots.take();
      if (waiting) await waiting;
      const next = stop.isStopping() ? undefined : await pull(samples, options);
      if (!next || stop.isStopping()) return options.slots.give();
      const work = runToEnd(next, options, stop).finally(() => {
        options.slots.give();
        running.delete(work);
      });
      running.add(work);
    }
  } finally {
    await samples.return?.();
  }
}

/** A source that fails must not keep the slot. */
async function pull(
  samples: AsyncIterator<PlannedSample> | Iterator<PlannedSample>,
  { slots }: ExecuteOptions,
): Promise<PlannedSample | undefined> {
  try {
    const next = await samples.next();
    return next.done ? undefined : next.value;
  } catch (error) {
    slots.give();
    throw error;
  }
}

function iteratorOf(
  samples: ExecuteOptions['samples'],
): AsyncIterator<PlannedSample> | Iterator<PlannedSample> {
  return Symbol.asyncIterator in samples ? samples[Symbol.asyncIterator]() : samples[Symbol.iterator]();
}

async function runToEnd(sample: PlannedSample, options: ExecuteOptions, stop: Stopper): Promise<void> {
  options.onStart?.(sample);
  try {
    let outcome = await options.runOne(sample, stop.signal);
    for (
      let retry = 0;
      retry < options.retries && outcome.status === 'errored' && !stop.isStopping();
      retry++
    ) {
      outcome = await options.runOne(sample, stop.signal, outcome);
    }
    options.onEnd?.(sample, outcome);
    stop.noteOutcome(outcome);
  } catch (error) {
    stop.fail(error);
  }
}

/** Decides when and why to stop, and carries the signal that running samples hang on. */
class Stopper {
  readonly #options: ExecuteOptions;
  readonly #abort = new AbortController();
  readonly #grace = new AbortController();
  #errors = 0;
  reason: StopReason | undefined;
  cause: unknown;
  failure: { readonly error: unknown } | undefined;

  constructor(options: ExecuteOptions) {
    this.#options = options;
    const { drain, abort } = options.signals;
    drain.addEventListener('abort', this.#onDrain);
    abort.addEventListener('abort', this.#onAbort);
    options.journalFailure.addEventListener('abort', this.#onJournalFailure);
    options.hopeless?.addEventListener('abort', this.#onHopeless);
    if (options.journalFailure.aborted) this.#onJournalFailure();
    if (drain.aborted) this.#onDrain();
    if (abort.aborted) this.#onAbort();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  isStopping(): boolean {
    if (this.reason === undefined && this.#options.isBudgetSpent()) this.reason = 'budget';
    return this.reason !== undefined;
  }

  noteOutcome(outcome: SampleOutcome): void {
    if (outcome.status === 'interrupted') this.reason ??= 'budget';
    if (outcome.status !== 'errored') return;
    this.#errors++;
    if (!areTooMany(this.#errors, this.#options)) return;
    this.reason ??= 'failed';
    this.#abort.abort(new Error('The run stops: too many samples failed'));
  }

  /** The journal cannot take any more: nothing that runs now could be kept. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.reason ??= 'failed';
    this.#abort.abort(error);
  }

  dispose(): void {
    this.#grace.abort();
    this.#options.signals.drain.removeEventListener('abort', this.#onDrain);
    this.#options.signals.abort.removeEventListener('abort', this.#onAbort);
    this.#options.journalFailure.removeEventListener('abort', this.#onJournalFailure);
    this.#options.hopeless?.removeEventListener('abort', this.#onHopeless);
  }

  readonly #onDrain = () => {
    this.reason ??= 'interrupted';
    const { clock, graceMs } = this.#options;
    const endOfGrace = clock.sleep(graceMs, this.#grace.signal);
    endOfGrace.then(this.#onAbort, () => undefined); // Rejected only by `dispose`: all samples ended in time.
  };

  /** At the first failed write, whether or not the user's code lets the error through. */
  readonly #onJournalFailure = () => this.fail(this.#options.journalFailure.reason);

  /** What is running would fail in the same way: it is left as it is, to be gone on with. */
  readonly #onHopeless = () => {
    if (this.reason !== undefined) return;
    this.reason = 'failed';
    this.cause = this.#options.hopeless?.reason;
    this.#abort.abort(this.cause);
  };

  readonly #onAbort = () => {
    this.reason ??= 'interrupted';
    this.#abort.abort(new Error('The run was interrupted'));
  };
}
