import { ActionableError, type Clock, type SampleKey, sampleKeyText } from '../base/index.ts';
import type { RunChange, RunReader } from '../log/index.ts';
import type { LiveEvent, RunItem } from './api.ts';
import { Breath } from './breath.ts';
import type { IndexListeners } from './run-index.ts';

type RunEvent = Extract<LiveEvent, { readonly kind: 'run' }>;
type Told = RunEvent['samples'][number];

/** What of the index is needed here. */
export interface WatchedIndex {
  items(): readonly RunItem[];
  onChange(work: () => void): Disposable;
  lookAgain(): Promise<void>;
}

export interface WatchRunsOptions {
  readonly clock: Clock;
  readonly live: IndexListeners;
  readonly index: WatchedIndex;
  /** Whoever opens closes. */
  readonly open: (run: string) => Promise<RunReader>;
  /** Told what is our own bug. */
  readonly onBug?: (error: unknown) => void;
}

/** At most four events a second for each run, however much happens in it. */
const TELL_MS = 250;
/** How soon a run that said that it is finished is looked at once more. */
const SEAL_MS = 100;
/** A run that cannot be watched is tried again after this. */
const AGAIN_MS = 2_000;

/**
 * Watches runs under way while anybody listens, and tells what happens in them. A run is read through `RunReader.changes`, which holds nothing
 * of its journals between two looks. One that is finished is looked at anew in the index.
 */
export class RunWatch implements AsyncDisposable {
  readonly #options: WatchRunsOptions;
  readonly #watched = new Map<string, { readonly stop: AbortController; readonly ended: Promise<void> }>();
  readonly #held: readonly Disposable[];
  #isClosed = false;

  constructor(options: WatchRunsOptions) {
    this.#options = options;
    const { live, index } = options;
    this.#held = [live.onListening(() => this.#choose()), index.onChange(() => this.#choose())];
    this.#choose();
  }

  /** The runs that are being watched. */
  get runs(): readonly string[] {
    return [...this.#watched.keys()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const held of this.#held) held[Symbol.dispose]();
    this.#choose();
    await Promise.all([...this.#watched.values()].map(({ ended }) => ended));
  }

  #choose(): void {
    const { live, index } = this.#options;
    const isWanted = !this.#isClosed && live.listeners > 0;
    const running = new Set(
      isWanted
        ? index
            .items()
            .filter(isRunning)
            .map(({ run }) => run)
        : [],
    );
    // One that ends by itself tells so: only when nobody listens it is left.
    if (!isWanted) for (const { stop } of this.#watched.values()) stop.abort();
    for (const run of running) if (!this.#watched.has(run)) this.#begin(run);
  }

  #begin(run: string): void {
    const stop = new AbortController();
    const ended = this.#watch(run, stop.signal).finally(() => {
      this.#watched.delete(run);
      // Whoever came while it was being stopped.
      if (!this.#isClosed) this.#choose();
    });
    this.#watched.set(run, { stop, ended });
  }

  async #watch(run: string, signal: AbortSignal): Promise<void> {
    const { clock, live, index } = this.#options;
    using told = new Batches(run, { clock, tell: (event) => live.tell(event) });
    try {
      const isFinished = await this.#listen(run, told, signal);
      if (signal.aborted) return;
      await index.lookAgain();
      // It is sealed only now: until its log is there, it is not finished for anybody who looks.
      for (let waitMs = SEAL_MS; isFinished && this.#isOf(run, isRunning); waitMs *= 1.5) {
        await clock.sleep(Math.min(waitMs, AGAIN_MS), signal);
        await index.lookAgain();
      }
      told.end(!this.#isOf(run, isUnfinished));
    } catch (error) {
      // The run was let go, or cannot be read: the index says which.
      if (!(error instanceof ActionableError) && !signal.aborted) this.#options.onBug?.(error);
    }
    await clock.sleep(AGAIN_MS, signal).catch(() => undefined);
  }

  #isOf(run: string, is: (item: RunItem) => boolean): boolean {
    return this.#options.index.items().some((item) => item.run === run && is(item));
  }

  /** True when the run said that it is finished. */
  async #listen(run: string, told: Batches, signal: AbortSignal): Promise<boolean> {
    const { clock, open } = this.#options;
    const reader = await open(run);
    try {
      const breath = new Breath(clock, signal);
      for await (const change of reader.changes(await reader.latest(), signal)) {
        if (change.kind === 'finished') return true;
        told.add(change);
        await breath.take();
      }
      return false;
    } finally {
      await reader.close();
    }
  }
}

function isRunning({ form }: RunItem): boolean {
  return form === 'running';
}

function isUnfinished({ form }: RunItem): boolean {
  return form === 'running' || form === 'interrupted' || form === 'unknown';
}

/** What happened in a run since the last event of it. Of one sample only the latest matters, and its end most. */
class Batches implements Disposable {
  readonly #run: string;
  readonly #clock: Clock;
  readonly #tell: (event: RunEvent) => void;
  #samples = new Map<string, Told>();
  #timer: Disposable | undefined;

  constructor(
    run: string,
    { clock, tell }: { readonly clock: Clock; readonly tell: (event: RunEvent) => void },
  ) {
    this.#run = run;
    this.#clock = clock;
    this.#tell = tell;
  }

  add({ kind, sample }: RunChange): void {
    if (!sample || kind === 'finished') return;
    const key = sampleKeyText(sample.id, sample.epoch);
    const before = this.#samples.get(key);
    if (!before || RANKS[kind] >= RANKS[before.is]) this.#samples.set(key, toldOf(sample, kind));
    this.#timer ??= this.#clock.after(TELL_MS, () => this.#flush(false));
  }

  end(isFinished: boolean): void {
    if (isFinished || this.#samples.size > 0) this.#flush(isFinished);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #flush(isFinished: boolean): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const samples = [...this.#samples.values()];
    this.#samples = new Map();
    this.#tell({ kind: 'run', run: this.#run, samples, isFinished });
  }
}

/** A new attempt at a sample that had ended is news as well. */
const RANKS: Readonly<Record<Told['is'], number>> = { 'went on': 0, begun: 1, ended: 1 };

function toldOf({ id, epoch }: SampleKey, is: Told['is']): Told {
  return { id, epoch, is };
}
