import type { Skeleton } from '../../../../src/server/api.ts';
import { OPEN_EVENTS_MAX } from './kind-looks.ts';

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

const FIRST_EVENTS = 2_048;

/** One number of every event. */
class Column<Array extends Numbers> {
  items: Array;
  readonly #make: (length: number) => Array;

  constructor(make: (length: number) => Array) {
    this.#make = make;
    this.items = make(FIRST_EVENTS);
  }

  put(from: number, values: readonly number[]): void {
    const length = from + values.length;
    if (length > this.items.length) {
      const larger = this.#make(Math.max(length, Math.ceil(this.items.length * 1.5)));
      larger.set(this.items);
      this.items = larger;
    }
    this.items.set(values, from);
  }

  at(event: number): number {
    return this.items[event] ?? 0;
  }
}

/**
 * What is known of every event of a transcript without its body: 300,000 of them take about 40 MB. It lives outside of React's
 * state: whoever shows it subscribes and reads.
 */
export class SkeletonStore {
  readonly #kind = new Column((length) => new Uint16Array(length));
  readonly #lane = new Column((length) => new Uint16Array(length));
  readonly #depth = new Column((length) => new Uint8Array(length));
  readonly #turn = new Column((length) => new Uint32Array(length));
  readonly #start = new Column((length) => new Float64Array(length));
  readonly #durationMs = new Column((length) => new Float32Array(length));
  readonly #tokens = new Column((length) => new Uint32Array(length));
  readonly #usd = new Column((length) => new Float32Array(length));
  readonly #flags = new Column((length) => new Uint8Array(length));
  readonly #sizeBytes = new Column((length) => new Float64Array(length));
  #labels: string[] = [];
  #kinds: string[] = [];
  #lanes: string[] = [];
  readonly #watchers = new Set<() => void>();

  /** How many events are here; with `known`, how many the server has read. */
  count = 0;
  known = 0;
  /** The server has read the sample to its end. */
  isRead = false;
  progress = 0;
  /** It began short enough to be shown unfolded; that it grew meanwhile does not fold it under somebody's eyes. */
  isShort = false;
  /** Another after every change. */
  version = 0;
  /** Another when events that were here are others now, not when some were only appended. */
  rewritten = 0;
  /** How often labels came later. */
  relabelled = 0;

  get kinds(): readonly string[] {
    return this.#kinds;
  }

  get lanes(): readonly string[] {
    return this.#lanes;
  }

  get isWhole(): boolean {
    return this.isRead && this.count >= this.known;
  }

  put(part: Skeleton): void {
    const { from, columns } = part;
    this.#kinds.splice(part.kindsFrom, part.kinds.length, ...part.kinds);
    this.#lanes.splice(part.lanesFrom, part.lanes.length, ...part.lanes);
    this.#kind.put(from, columns.kind);
    this.#lane.put(from, columns.lane);
    this.#depth.put(from, columns.depth);
    this.#turn.put(from, columns.turn);
    this.#start.put(from, columns.start);
    this.#durationMs.put(from, columns.durationMs);
    this.#tokens.put(from, columns.tokens);
    this.#usd.put(from, columns.usd);
    this.#flags.put(from, columns.flags);
    this.#sizeBytes.put(from, columns.sizeBytes);
    if (from < this.count) {
      this.#labels.length = from;
      this.rewritten++;
    }
    this.#labels = this.#labels.concat(columns.label);
    this.count = from + columns.kind.length;
    this.known = Math.max(part.known, this.count);
    this.isRead = part.isWhole;
    this.progress = part.progress;
    if (this.version === 0) this.isShort = this.known / Math.max(part.progress, 0.01) <= OPEN_EVENTS_MAX;
    this.version++;
    for (const watcher of this.#watchers) watcher();
  }

  /** Labels that were not known when their events were told. */
  relabel({ from, columns }: Skeleton): void {
    this.#flags.put(from, columns.flags.slice(0, this.count - from));
    this.#labels.splice(from, columns.label.length, ...columns.label.slice(0, this.count - from));
    this.relabelled++;
    this.version++;
    for (const watcher of this.#watchers) watcher();
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  kind(event: number): string {
    return this.#kinds[this.#kind.at(event)] ?? '';
  }

  /** Positions in `kinds` and `lanes`, for whoever goes through all events. */
  kindIndex(event: number): number {
    return this.#kind.at(event);
  }

  laneIndex(event: number): number {
    return this.#lane.at(event);
  }

  lane(event: number): string {
    return this.#lanes[this.#lane.at(event)] ?? '';
  }

  depth(event: number): number {
    return this.#depth.at(event);
  }

  turn(event: number): number {
    return this.#turn.at(event);
  }

  /** Milliseconds after the first event. */
  start(event: number): number {
    return this.#start.at(event);
  }

  durationMs(event: number): number {
    return this.#durationMs.at(event);
  }

  tokens(event: number): number {
    return this.#tokens.at(event);
  }

  usd(event: number): number {
    return this.#usd.at(event);
  }

  hasFlag(event: number, flag: number): boolean {
    return (this.#flags.at(event) & flag) !== 0;
  }

  sizeBytes(event: number): number {
    return this.#sizeBytes.at(event);
  }

  label(event: number): string {
    return this.#labels[event] ?? '';
  }

  /** The first event that is not finished; what comes from there on may be another the next time. */
  firstWith(flag: number): number | undefined {
    for (let event = 0; event < this.count; event++) if (this.hasFlag(event, flag)) return event;
    return undefined;
  }
}
