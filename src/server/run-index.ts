import type { Clock } from '../base/index.ts';
import { findInAll, listItemOf, type RunSource } from '../sources/index.ts';
import type { IndexState, LiveEvent, RunItem, SourceState } from './api.ts';
import { Compactor } from './compact-item.ts';
import { mergeIds, mergeItems } from './merge-items.ts';
import { FIRST_ROWS, SourceRuns } from './source-runs.ts';
import type { FoundRun, RunIndex } from './studio.ts';
import { Waiters } from './waiters.ts';

/** Who is told of what changed. */
export interface IndexListeners {
  readonly listeners: number;
  onListening(work: () => void): Disposable;
  tell(event: LiveEvent): void;
}

export interface RunIndexOptions {
  readonly sources: readonly RunSource[];
  readonly clock: Clock;
  readonly live: IndexListeners;
  /** Set where nobody is told how far it got: then also the first rows wait for all of them. */
  readonly isShownWhole?: boolean;
  /** Told what is our own bug: the index goes on without that source. */
  readonly onBug?: (error: unknown) => void;
}

/** How old the knowledge of where a run is kept may be. */
const FOUND_MS = 1_000;
/** How often sources are looked at while somebody listens, and while nobody does. */
const LISTENED_MS = 2_000;
const ALONE_MS = 10_000;
/** How often it is asked whether a run has begun. */
const GLANCE_MS = 500;
/** Looking takes at most this share of the time. */
const LOOK_SHARE = 1 / 20;
/** How long the first rows wait for a source that is slow. */
const PATIENCE_MS = 700;
const PROGRESS_MS = 500;
/** Of more runs than this nobody asks one by one. */
const TOLD_MAX = 500;

/**
 * All runs of all sources. The newest rows are there at once; the rest is read behind them, in slices. From then on each source is asked only
 * for what changed, each at its own pace, and whoever listens is told.
 */
export class SourceIndex implements RunIndex, AsyncDisposable {
  readonly #options: RunIndexOptions;
  readonly #sources: readonly SourceRuns[];
  readonly #stop = new AbortController();
  readonly #boot: string;
  readonly #followers: readonly Promise<void>[];
  /** Two looks at one source never go on at once: what the one finds the other would not see. */
  readonly #looking = new Map<SourceRuns, Promise<void>>();
  readonly #begun = new Waiters();
  readonly #whole = new Waiters();
  /** Wakes whoever waits for the next look. */
  readonly #wake = new Set<() => void>();
  readonly #onChange = new Set<() => void>();
  readonly #held: Disposable[] = [];
  #items: readonly RunItem[] = [];
  #isStale = true;
  #changes = 0;
  #toldMs = Number.NEGATIVE_INFINITY;
  isWhole = false;

  constructor(options: RunIndexOptions) {
    const { sources, clock, live, onBug = () => undefined } = options;
    this.#options = options;
    this.#boot = Math.round(clock.nowMs()).toString(36);
    const compactor = new Compactor();
    const about = { clock, compactor, signal: this.#stop.signal, onBug, onRead: () => this.#read() };
    this.#sources = sources.map((source) => new SourceRuns(source, about));
    this.#held.push(
      live.onListening(() => this.#wakeAll()),
      clock.after(PATIENCE_MS, () => this.#begun.open()),
    );
    this.#followers = this.#sources.map((source) => this.#follow(source));
    if (sources.length === 0) this.#becomeWhole();
  }

  get version(): string {
    return `${this.#boot}-${this.#changes}`;
  }

  get state(): IndexState {
    return { isWhole: this.isWhole, read: this.#sources.reduce((sum, { read }) => sum + read, 0) };
  }

  /** Calls `work` after anything changed. */
  onChange(work: () => void): Disposable {
    this.#onChange.add(work);
    return { [Symbol.dispose]: () => void this.#onChange.delete(work) };
  }

  items(): readonly RunItem[] {
    if (!this.#isStale || this.isWhole) return this.#items;
    const firsts = this.#sources.map((source) => inOrder(source.ids()).slice(0, FIRST_ROWS));
    this.#items = mergeIds(firsts)
      .slice(0, FIRST_ROWS)
      .flatMap((run) => this.#merged(run) ?? []);
    this.#isStale = false;
    return this.#items;
  }

  sources(): readonly SourceState[] {
    return this.#sources.map((source) => source.state());
  }

  begun(signal: AbortSignal): Promise<void> {
    return (this.#options.isShownWhole ? this.#whole : this.#begun).wait(signal);
  }

  whole(signal: AbortSignal): Promise<void> {
    return this.#whole.wait(signal);
  }

  async find(given: string): Promise<FoundRun> {
    const { shown: _, ...inForms } = await findInAll(this.#options.sources, given, { maxAgeMs: FOUND_MS });
    return { run: inForms.run, item: listItemOf(inForms), inForms };
  }

  /** Only sources that were read once: the first look is under way anyway. */
  async lookAgain(kind?: SourceState['kind']): Promise<void> {
    const meant = this.#sources.filter(
      ({ isWhole, source }) => isWhole && (kind ?? source.kind) === source.kind,
    );
    await Promise.all(meant.map((source) => this.#look(source)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#wakeAll();
    for (const held of this.#held) held[Symbol.dispose]();
    this.#begun.close();
    this.#whole.close();
    await Promise.allSettled(this.#followers);
  }

  async #follow(source: SourceRuns): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#look(source);
      if (!signal.aborted) await this.#pause(source);
    }
  }

  async #look(source: SourceRuns): Promise<void> {
    for (let other = this.#looking.get(source); other; other = this.#looking.get(source)) await other;
    const looking = this.#lookNow(source).finally(() => this.#looking.delete(source));
    this.#looking.set(source, looking);
    await looking;
  }

  async #lookNow(source: SourceRuns): Promise<void> {
    const isFirst = !source.isWhole;
    const changed = await source.look();
    if (this.#stop.signal.aborted) return;
    if (isFirst) this.#looked();
    else if (changed.size > 0) this.#change(changed);
  }

  /** A source was looked at for the first time. When it is the last of them, the index is whole. */
  #looked(): void {
    this.#isStale = true;
    this.#changes++;
    if (this.#sources.every(({ hasBegun }) => hasBegun)) this.#begun.open();
    if (this.#sources.every(({ isWhole }) => isWhole)) this.#becomeWhole();
    else this.#tellProgress();
    for (const work of [...this.#onChange]) work();
  }

  #becomeWhole(): void {
    const items: RunItem[] = [];
    for (const run of mergeIds(this.#sources.map((source) => inOrder(source.ids())))) {
      const item = this.#merged(run);
      if (item) items.push(item);
    }
    this.#items = items;
    this.isWhole = true;
    this.#begun.open();
    this.#whole.open();
    this.#options.live.tell({ kind: 'index', index: this.state });
  }

  /** One of the first rows was read. */
  #read(): void {
    this.#isStale = true;
    this.#changes++;
    if (this.#sources.every(({ hasBegun }) => hasBegun)) this.#begun.open();
    this.#tellProgress();
  }

  #tellProgress(): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#toldMs < PROGRESS_MS) return;
    this.#toldMs = nowMs;
    this.#options.live.tell({ kind: 'index', index: this.state });
  }

  /** Runs came, went or are others. The empty id stands for a source that fails now, or does no more. */
  #change(changed: ReadonlySet<string>): void {
    const runs = [...changed].filter((run) => run !== '');
    this.#changes++;
    this.#isStale = true;
    const noted = runs.filter((run) => this.#hasOtherNotes(run));
    if (this.isWhole && runs.length > 0) this.#replace(runs);
    const { live } = this.#options;
    if (runs.length > TOLD_MAX) live.tell({ kind: 'reset' });
    else live.tell({ kind: 'runs', runs });
    if (noted.length > 0 && noted.length <= TOLD_MAX) live.tell({ kind: 'notes', runs: noted });
    for (const work of [...this.#onChange]) work();
  }

  #hasOtherNotes(run: string): boolean {
    const before = this.isWhole ? this.#items[placeOf(this.#items, run)] : undefined;
    return before?.run === run && before.notes !== this.#merged(run)?.notes;
  }

  /** Puts the rows of these runs into the list as they are now. */
  #replace(runs: readonly string[]): void {
    const fresh = runs.flatMap((run) => this.#merged(run) ?? []).sort(newestFirst);
    const gone = new Set(runs);
    const items: RunItem[] = [];
    let next = 0;
    for (const item of this.#items) {
      for (let one = fresh[next]; one && one.run >= item.run; one = fresh[next]) {
        items.push(one);
        next++;
      }
      if (!gone.has(item.run)) items.push(item);
    }
    items.push(...fresh.slice(next));
    this.#items = items;
  }

  #merged(run: string): RunItem | undefined {
    let only: RunItem | undefined;
    let several: RunItem[] | undefined;
    for (const source of this.#sources) {
      const item = source.item(run);
      if (item && only) several = [...(several ?? [only]), item];
      else only ??= item;
    }
    return several ? mergeItems(several) : only;
  }

  async #pause(source: SourceRuns): Promise<void> {
    const { clock, live } = this.#options;
    const usualMs = live.listeners > 0 ? LISTENED_MS : ALONE_MS;
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.#wake.add(wake);
    try {
      const pauseMs = Math.max(usualMs, source.lookMs / LOOK_SHARE);
      if (live.listeners > 0 && source.source.glance) await this.#watchFor(source, pauseMs, woken.signal);
      else await clock.sleep(pauseMs, woken.signal);
    } catch (error) {
      if (!woken.signal.aborted) throw error;
    } finally {
      this.#wake.delete(wake);
    }
  }

  /** Somebody who begins a run looks whether it is there: that is seen before the next look is due. */
  async #watchFor(source: SourceRuns, pauseMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (let leftMs = pauseMs; leftMs > 0; leftMs -= GLANCE_MS) {
      await clock.sleep(Math.min(GLANCE_MS, leftMs), signal);
      if (await source.hasNews()) return;
    }
  }

  #wakeAll(): void {
    for (const wake of [...this.#wake]) wake();
  }
}

function newestFirst(a: RunItem, b: RunItem): number {
  return a.run < b.run ? 1 : a.run > b.run ? -1 : 0;
}

/** Sources give their runs newest first; only what came since is out of order. */
function inOrder(ids: readonly string[]): readonly string[] {
  const isSo = ids.every((id, at) => at === 0 || (ids[at - 1] as string) > id);
  return isSo ? ids : ids.toSorted().reverse();
}

/** Where a run is, or would be. */
function placeOf(items: readonly RunItem[], run: string): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle] as RunItem).run > run) low = middle + 1;
    else high = middle;
  }
  return low;
}
