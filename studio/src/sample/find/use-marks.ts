import { type RefObject, useEffect } from 'react';
import type { ScaledListHandle } from '../../ui/scaled/scaled-list.tsx';
import { markHits } from './mark-hits.ts';

/** Keeps hits marked while rows come, unfold and go. */
export function useMarks(
  list: RefObject<ScaledListHandle | null>,
  text: string,
  currentEvent: number | undefined,
): void {
  useEffect(() => {
    const root = list.current?.element ?? null;
    if (root === null || text === '') return;
    let frame = 0;
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => markHits(root, text, currentEvent));
    };
    const changes = new MutationObserver(soon);
    changes.observe(root, { childList: true, subtree: true, characterData: true });
    soon();
    return () => {
      changes.disconnect();
      cancelAnimationFrame(frame);
      markHits(root, '', undefined);
    };
  }, [list, text, currentEvent]);
}
