import { EVENT_FLAGS } from '../../../../src/server/api.ts';
import type { SkeletonStore } from '../transcript/skeleton-store.ts';

/** What is drawn of a lane at one pixel, as bits. */
export const MARK = { model: 1, tool: 2, other: 4 } as const;

export interface LanePicture {
  readonly width: number;
  /** Names of the lanes that are drawn; the last stands for several when there are too many. */
  readonly lanes: readonly string[];
  /** By lane, then by pixel. */
  readonly marks: Uint8Array;
  /** By pixel: tokens that were used, and whether something failed or is missing. */
  readonly tokens: Float64Array;
  readonly failures: Uint8Array;
  readonly gaps: Uint8Array;
}

export type Axis = 'events' | 'time';

/** Which pixel an event is at, and back. */
export interface AxisScale {
  x(event: number): number;
  event(x: number): number;
}

export function axisScale(store: SkeletonStore, axis: Axis, width: number): AxisScale {
  const { count } = store;
  if (axis === 'events' || count < 2)
    return {
      x: (event) => (count === 0 ? 0 : (event / count) * width),
      event: (x) => clampEvent(Math.floor((x / width) * count), count),
    };
  const end = Math.max(1, store.start(count - 1) + store.durationMs(count - 1));
  return {
    x: (event) => Math.min(width, (store.start(Math.min(event, count - 1)) / end) * width),
    event: (x) => eventAtTime(store, (x / width) * end),
  };
}

/** Events are in the order in which they began. */
function eventAtTime(store: SkeletonStore, ms: number): number {
  let low = 0;
  let high = store.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (store.start(middle) < ms) low = middle + 1;
    else high = middle;
  }
  return clampEvent(low, store.count);
}

function clampEvent(event: number, count: number): number {
  return Math.max(0, Math.min(event, count - 1));
}

const LANES_MAX = 5;

/** Goes through all events once; drawing then depends on the width alone. */
export function lanePicture(store: SkeletonStore, axis: Axis, width: number): LanePicture {
  const scale = axisScale(store, axis, width);
  const lanes = lanesShown(store.lanes);
  const picture = {
    width,
    lanes,
    marks: new Uint8Array(lanes.length * width),
    tokens: new Float64Array(width),
    failures: new Uint8Array(width),
    gaps: new Uint8Array(width),
  };
  const marks = store.kinds.map((kind) => markOf(kind));
  for (let event = 0; event < store.count; event++) {
    const x = Math.min(width - 1, Math.floor(scale.x(event)));
    const lane = Math.min(store.laneIndex(event), lanes.length - 1);
    const mark = marks[store.kindIndex(event)] ?? MARK.other;
    const to =
      axis === 'time' ? endOf(store, event, { x, width, scale }) : shareEnd(scale, event, { x, width });
    for (let at = x; at <= to; at++) {
      picture.marks[lane * width + at] = (picture.marks[lane * width + at] ?? 0) | mark;
      picture.tokens[at] = (picture.tokens[at] ?? 0) + store.tokens(event);
    }
    if (store.hasFlag(event, EVENT_FLAGS.error)) picture.failures[x] = 1;
    if (store.hasFlag(event, EVENT_FLAGS.gapBefore)) picture.gaps[x] = 1;
  }
  return picture;
}

/** Where there are fewer events than pixels, each fills its share, but for a gap to the next. */
function shareEnd(
  scale: AxisScale,
  event: number,
  { x, width }: { readonly x: number; readonly width: number },
): number {
  const next = Math.floor(scale.x(event + 1));
  return Math.min(width - 1, Math.max(x, next - (next - x > 3 ? 2 : 1)));
}

/** How far to the right something reaches that took a while. */
function endOf(
  store: SkeletonStore,
  event: number,
  { x, width, scale }: { readonly x: number; readonly width: number; readonly scale: AxisScale },
): number {
  const end = store.start(store.count - 1) + store.durationMs(store.count - 1);
  const kind = store.kind(event);
  if (end <= 0 || (kind !== 'model' && kind !== 'tool')) return x;
  const length = (store.durationMs(event) / end) * width;
  return Math.min(width - 1, Math.floor(scale.x(event) + length));
}

function lanesShown(lanes: readonly string[]): readonly string[] {
  if (lanes.length <= LANES_MAX) return lanes.length === 0 ? ['main'] : lanes;
  return [...lanes.slice(0, LANES_MAX - 1), `${lanes.length - LANES_MAX + 1} more`];
}

function markOf(kind: string): number {
  if (kind === 'model') return MARK.model;
  return kind === 'tool' || kind === 'sandbox' || kind === 'subtask' ? MARK.tool : MARK.other;
}
