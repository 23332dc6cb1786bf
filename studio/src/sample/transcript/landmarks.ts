import { EVENT_FLAGS } from '../../../../src/server/api.ts';
import type { ShownEvents } from './shown-events.ts';
import type { SkeletonStore } from './skeleton-store.ts';

const MARKERS: ReadonlySet<string> = new Set([
  'error',
  'score',
  'score_edit',
  'sample_limit',
  'compaction',
  'interrupt',
]);

/** Whether a turn begins with an event: the first of it that is a model call, or any when the lane has none. */
export function isTurnStart(store: SkeletonStore, event: number): boolean {
  return store.turn(event) > 0 && store.turn(event) !== (event === 0 ? 0 : store.turn(event - 1));
}

export function isMarker(store: SkeletonStore, event: number): boolean {
  return store.hasFlag(event, EVENT_FLAGS.error | EVENT_FLAGS.gapBefore) || MARKERS.has(store.kind(event));
}

/** The next row for which something holds, from a row on in a direction; undefined when there is none. */
export function findRow(
  shown: ShownEvents,
  { from, step, is }: { from: number; step: 1 | -1; is: (event: number) => boolean },
): number | undefined {
  for (let row = from + step; row >= 0 && row < shown.count; row += step)
    if (is(shown.eventOf(row))) return row;
  return undefined;
}

/** The row where a turn begins; that of the nearest before it when it is hidden. */
export function rowOfTurn(store: SkeletonStore, shown: ShownEvents, turn: number): number {
  return shown.rowOf(firstOfTurn(store, turn));
}

/** The event that a turn begins with; that of the next one when there is no such turn. */
export function firstOfTurn(store: SkeletonStore, turn: number): number {
  let low = 0;
  let high = store.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (store.turn(middle) < turn) low = middle + 1;
    else high = middle;
  }
  return low;
}
