import { EVENT_FLAGS } from '../../../../src/server/api.ts';
import { FOLDED_HEIGHT, GAP_HEIGHT, lookOf } from './kind-looks.ts';
import type { SkeletonStore } from './skeleton-store.ts';

/** Which events are unfolded: a rule for all, and those that were changed one by one. */
export interface Folding {
  /** `auto`: as their kind and the length of the transcript say. */
  readonly all: 'auto' | 'open' | 'folded';
  readonly others: ReadonlySet<number>;
}

export const AUTO_FOLDING: Folding = { all: 'auto', others: new Set() };

export function isOpen(store: SkeletonStore, folding: Folding, event: number): boolean {
  return folding.others.has(event) !== isOpenByRule(store, folding, event);
}

function isOpenByRule(store: SkeletonStore, { all }: Folding, event: number): boolean {
  if (all !== 'auto') return all === 'open' && !isHeading(store.kind(event));
  return store.isShort && lookOf(store.kind(event)).isOpen;
}

/** Headings have nothing within: they unfold only when they are asked to. */
function isHeading(kind: string): boolean {
  return kind === 'span_begin' || kind === 'span_end';
}

export function toggled(folding: Folding, event: number): Folding {
  const others = new Set(folding.others);
  if (!others.delete(event)) others.add(event);
  return { ...folding, others };
}

/** Unfolds one event, whatever it is now. */
export function opened(store: SkeletonStore, folding: Folding, event: number): Folding {
  return isOpen(store, folding, event) ? folding : toggled(folding, event);
}

export function foldedOrOpened(store: SkeletonStore, folding: Folding): Folding {
  const isMostlyOpen = folding.all === 'open' || (folding.all === 'auto' && store.isShort);
  return { all: isMostlyOpen ? 'folded' : 'open', others: new Set() };
}

export function heightGuess(store: SkeletonStore, folding: Folding, event: number): number {
  const gap = store.hasFlag(event, EVENT_FLAGS.gapBefore) ? GAP_HEIGHT : 0;
  if (!isOpen(store, folding, event)) return FOLDED_HEIGHT + gap;
  return lookOf(store.kind(event)).openHeight + gap;
}
