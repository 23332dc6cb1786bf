import { EVENT_FLAGS } from '../../../../src/server/api.ts';
import { isTurnStart } from '../transcript/landmarks.ts';
import type { SkeletonStore } from '../transcript/skeleton-store.ts';

/** Kinds that are named beside spans and turns. */
const NAMED: ReadonlySet<string> = new Set([
  'tool',
  'error',
  'score',
  'sample_limit',
  'compaction',
  'interrupt',
  'approval',
  'subtask',
]);
const OPEN_NODES_MAX = 300;

/** What an outline is made of: the event of each node, how deep it is, and whether it is a turn with something in it. */
export interface OutlineNodes {
  readonly count: number;
  readonly events: Uint32Array;
  readonly levels: Uint8Array;
  /** For a turn: how many nodes right after it are in it; 0 for all others. */
  readonly within: Uint32Array;
  /** Few enough to be shown unfolded. */
  readonly isShort: boolean;
}

export function outlineNodes(store: SkeletonStore): OutlineNodes {
  const events = new Uint32Array(store.count);
  const levels = new Uint8Array(store.count);
  const within = new Uint32Array(store.count);
  const isNamed = store.kinds.map((kind) => NAMED.has(kind));
  const isSpan = store.kinds.map((kind) => kind === 'span_begin');
  const isModel = store.kinds.map((kind) => kind === 'model');
  let count = 0;
  let turn = -1;
  let turnDepth = 0;
  for (let event = 0; event < store.count; event++) {
    const kind = store.kindIndex(event);
    const depth = store.depth(event);
    if (turn >= 0 && depth < turnDepth) turn = -1;
    if (isTurnStart(store, event)) {
      turn = count;
      turnDepth = depth;
      levels[count] = depth;
    } else if (
      isSpan[kind] === true ||
      isNamed[kind] === true ||
      (isModel[kind] === true && store.laneIndex(event) > 0)
    ) {
      if (turn >= 0) within[turn] = (within[turn] ?? 0) + 1;
      levels[count] = turn >= 0 ? Math.max(depth, turnDepth + 1) : depth;
    } else continue;
    events[count++] = event;
  }
  return { count, events, levels, within, isShort: count <= OPEN_NODES_MAX };
}

/** The nodes that are seen: those in a turn only when it is unfolded. */
export function shownNodes(
  { count, within, isShort }: OutlineNodes,
  others: ReadonlySet<number>,
): Uint32Array {
  const shown = new Uint32Array(count);
  let used = 0;
  for (let node = 0; node < count; node++) {
    shown[used++] = node;
    const inside = within[node] ?? 0;
    if (inside > 0 && isShort === others.has(node)) node += inside;
  }
  return shown.subarray(0, used);
}

export function isNodeOpen({ isShort }: OutlineNodes, others: ReadonlySet<number>, node: number): boolean {
  return isShort !== others.has(node);
}

/** The last node that is seen at or before an event; -1 before the first. */
export function nodeAt({ events }: OutlineNodes, shown: Uint32Array, event: number): number {
  let low = 0;
  let high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[shown[middle] ?? 0] ?? 0) <= event) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function isFailed(store: SkeletonStore, event: number): boolean {
  return store.hasFlag(event, EVENT_FLAGS.error);
}
