import type { SkeletonStore } from './skeleton-store.ts';

/** Kinds that tell how the machinery works, not what the agent did: hidden until they are asked for, as in Inspect. */
export const HIDDEN_BY_DEFAULT: ReadonlySet<string> = new Set([
  'sample_init',
  'sandbox',
  'state',
  'store',
  'branch',
  'anchor',
  'checkpoint',
  'span_end',
]);

export interface ShownChoice {
  /** Kinds that are hidden. */
  readonly hidden: ReadonlySet<string>;
  /** Only this lane; all when empty. */
  readonly lane: string;
}

/** The events that are shown, in order: a row each. */
export class ShownEvents {
  readonly #events: Uint32Array;
  readonly count: number;

  constructor(store: SkeletonStore, { hidden, lane }: ShownChoice) {
    const isHidden = store.kinds.map((kind) => hidden.has(kind));
    const only = lane === '' ? -1 : store.lanes.indexOf(lane);
    const events = new Uint32Array(store.count);
    let count = 0;
    for (let event = 0; event < store.count; event++) {
      if (isHidden[store.kindIndex(event)] === true) continue;
      if (only >= 0 && store.laneIndex(event) !== only) continue;
      events[count++] = event;
    }
    this.#events = events.subarray(0, count);
    this.count = count;
  }

  eventOf(row: number): number {
    return this.#events[Math.max(0, Math.min(row, this.count - 1))] ?? 0;
  }

  /** The row of an event; of the next that is shown when it is not, or of the last. */
  rowOf(event: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] ?? 0) < event) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, Math.min(low, this.count - 1));
  }

  has(event: number): boolean {
    return this.count > 0 && this.eventOf(this.rowOf(event)) === event;
  }
}
