import { ActionableError, type Clock, messageOf } from '../base/index.ts';
import { listItemOf, oneRow, type RunSource, type SourceChanges, type SourceRun } from '../sources/index.ts';
import type { Problem, RunItem, SourceState } from './api.ts';
import { Breath } from './breath.ts';
import type { Compactor } from './compact-item.ts';

export interface SourceRunsOptions {
  readonly clock: Clock;
  readonly compactor: Compactor;
  readonly signal: AbortSignal;
  /** Told while the first look goes on. */
  readonly onRead: () => void;
  /** Told what is our own bug. */
  readonly onBug: (error: unknown) => void;
}

/** So many of the newest are shown before all are read. */
export const FIRST_ROWS = 200;
/** So long after a run came its source is looked at more often. */
const FRESH_MS = 3_000;

/** The runs of one source, as they were at the last look. */
export class SourceRuns {
  readonly source: RunSource;
  readonly #options: SourceRunsOptions;
  #items = new Map<string, RunItem>();
  /** The newest, while the first look goes on. */
  readonly #first: RunItem[] = [];
  #position: string | undefined;
  #problem: Problem | undefined;
  #lookMs: number | undefined;
  #damaged = 0;
  #glance = '';
  /** When a run came or went that the next look may not see yet. */
  #newsMs = Number.NEGATIVE_INFINITY;
  isWhole = false;

  constructor(source: RunSource, options: SourceRunsOptions) {
    this.source = source;
    this.#options = options;
  }

  get read(): number {
    return this.isWhole ? this.#items.size : Math.max(this.#items.size, this.#first.length);
  }

  get lookMs(): number {
    return this.#lookMs ?? 0;
  }

  /** True when there is something to show of it, or nothing will come. */
  get hasBegun(): boolean {
    return this.isWhole || this.#first.length >= FIRST_ROWS;
  }

  /** Newest first, as the source gave them: what came since stands at the end. */
  ids(): readonly string[] {
    return this.isWhole ? [...this.#items.keys()] : this.#first.map(({ run }) => run);
  }

  item(run: string): RunItem | undefined {
    return this.#items.get(run);
  }

  state(): SourceState {
    const { place, kind } = this.source;
    const state: SourceState = { place, kind, runs: this.read, damaged: this.#damaged };
    if (this.#lookMs !== undefined) state.lookMs = Math.round(this.#lookMs);
    if (this.#problem) state.problem = this.#problem;
    return state;
  }

  /** Whether a run came or went since this was asked last, or a moment ago: what has just begun has not written down who it is. */
  async hasNews(): Promise<boolean> {
    const { clock } = this.#options;
    // A source that fails tells so when it is looked at.
    const glance = await this.source.glance?.().catch(() => this.#glance);
    if (glance === undefined) return false;
    const nowMs = clock.monotonicMs();
    if (glance !== this.#glance) this.#newsMs = nowMs;
    this.#glance = glance;
    return nowMs - this.#newsMs < FRESH_MS;
  }

  /** Looks once more. Gives the ids of the runs that came, went or are others now; a failure is a problem, and keeps what was known. */
  async look(): Promise<ReadonlySet<string>> {
    const { clock, signal } = this.#options;
    const fromMs = clock.monotonicMs();
    const before = this.#problem;
    let changed: ReadonlySet<string> = new Set();
    try {
      changed = await this.#look();
      this.#problem = undefined;
    } catch (error) {
      if (signal.aborted) return changed;
      this.#problem = this.#problemOf(error);
    }
    this.#lookMs = clock.monotonicMs() - fromMs;
    this.isWhole = true;
    this.#first.length = 0;
    // That a source fails, or does no more, is shown in every list.
    return before?.message === this.#problem?.message ? changed : new Set([...changed, '']);
  }

  #problemOf(error: unknown): Problem {
    const { place } = this.source;
    if (error instanceof ActionableError)
      return { code: error.code, message: error.message, hint: error.hint, place };
    this.#options.onBug(error);
    return {
      code: 'E_INTERNAL',
      message: `${place} could not be read: ${messageOf(error)}.`,
      hint: 'This is a bug in Holdfast: please report it.',
      place,
    };
  }

  async #look(): Promise<ReadonlySet<string>> {
    const { clock, signal } = this.#options;
    const changes = await this.#changes();
    const all = changes.isAll ? new Map<string, RunItem>() : undefined;
    const isFirst = !this.isWhole && all !== undefined;
    if (isFirst) this.#items = all;
    const changed = new Set<string>();
    const breath = new Breath(clock, signal);
    for await (const run of changes.runs) {
      const item = this.#itemOf(run);
      if (isFirst) this.#takeFirst(item);
      else if (!isSame(this.#items.get(item.run), item)) changed.add(item.run);
      (all ?? this.#items).set(item.run, item);
      await breath.take();
    }
    signal.throwIfAborted();
    for (const run of changes.gone) if (this.#items.delete(run)) changed.add(run);
    if (all && !isFirst) {
      for (const run of this.#items.keys()) if (!all.has(run)) changed.add(run);
      this.#items = all;
    }
    this.#position = changes.position;
    if (isFirst || changed.size > 0) this.#damaged = countDamaged(this.#items.values());
    return changed;
  }

  #takeFirst(item: RunItem): void {
    if (this.#first.length >= FIRST_ROWS) return;
    this.#first.push(item);
    this.#options.onRead();
  }

  async #changes(): Promise<SourceChanges> {
    const { signal } = this.#options;
    const changes = await this.source.changes?.(this.#position, signal);
    return changes ?? { position: '', isAll: true, runs: this.source.runs({ signal }), gone: [] };
  }

  #itemOf(run: SourceRun): RunItem {
    return this.#options.compactor.item(listItemOf(oneRow([run])));
  }
}

function countDamaged(items: Iterable<RunItem>): number {
  let count = 0;
  for (const { damage } of items) if (damage !== undefined) count++;
  return count;
}

function isSame(one: RunItem | undefined, other: RunItem): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other);
}
