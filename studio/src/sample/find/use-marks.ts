import { type RefObject, useEffect } from 'react';
import type { ScaledListHandle } from '../../ui/scaled/scaled-list.tsx';
import { markHits } from './mark-hits.ts';

/** What sticks to the top of the list: the head of the event. */
const STUCK = 28;
const INPUTS = ['wheel', 'pointerdown', 'keydown'] as const;

/** Keeps hits marked while rows come, unfold and go, and brings the current one into view. */
export function useMarks(
  list: RefObject<ScaledListHandle | null>,
  text: string,
  currentEvent: number | undefined,
): void {
  useEffect(() => {
    const root = list.current?.element ?? null;
    if (root === null || text === '') return;
    let frame = 0;
    let isBrought = currentEvent !== undefined;
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const current = markHits(root, text, currentEvent);
        if (isBrought && current !== undefined) bringIntoView(root, current);
      });
    };
    // Whoever does something then wants to be where it leads.
    const leave = () => {
      isBrought = false;
    };
    for (const input of INPUTS) addEventListener(input, leave, true);
    const changes = new MutationObserver(soon);
    changes.observe(root, { childList: true, subtree: true, characterData: true });
    soon();
    return () => {
      changes.disconnect();
      cancelAnimationFrame(frame);
      for (const input of INPUTS) removeEventListener(input, leave, true);
      markHits(root, '', undefined);
    };
  }, [list, text, currentEvent]);
}

/** A long event begins far above the hit in it. */
function bringIntoView(root: HTMLElement, range: Range): void {
  const { top, bottom } = root.getBoundingClientRect();
  const hit = range.getBoundingClientRect();
  if (hit.height === 0 || (hit.top >= top + STUCK && hit.bottom <= bottom)) return;
  root.scrollBy({ top: hit.top - top - (bottom - top) / 3 });
}
