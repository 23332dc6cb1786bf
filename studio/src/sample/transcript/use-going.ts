import { type RefObject, useCallback, useEffect, useRef } from 'react';
import type { ScaledListHandle } from '../../ui/scaled/scaled-list.tsx';
import type { ShownEvents } from './shown-events.ts';
import type { SkeletonStore } from './skeleton-store.ts';

/** Where one is in a transcript, in words that hold when heights are others. */
export interface TranscriptPlace {
  readonly event: number;
  readonly above: number;
}

interface GoingOptions {
  readonly store: SkeletonStore;
  readonly shown: ShownEvents;
  readonly list: RefObject<ScaledListHandle | null>;
  /** Where the list begins when it is shown again. */
  readonly place: RefObject<TranscriptPlace>;
  readonly onFocus: (event: number) => void;
  readonly onOpen: (event: number) => void;
  /** Shows an event that is hidden. */
  readonly onReveal: (event: number) => void;
}

/** Going to events: at once to those that are rows, as soon as they are here to all others. */
export function useGoing(options: GoingOptions) {
  const { store, shown } = options;
  const latest = useRef(options);
  latest.current = options;
  const wanted = useRef<number>(undefined);
  const go = useCallback((event: number, isOpened: boolean) => {
    const { list, place, shown: rows, onFocus, onOpen } = latest.current;
    wanted.current = undefined;
    onFocus(event);
    if (isOpened) onOpen(event);
    // Another tab may be in front of it.
    if (list.current === null) place.current = { event, above: 0 };
    else list.current.show(rows.rowOf(event), 'start');
  }, []);
  const goToEvent = useCallback(
    (event: number) => {
      const { store: known, shown: rows, onReveal } = latest.current;
      const isRow = known.count > event && rows.has(event);
      wanted.current = isRow ? undefined : event;
      if (isRow) go(event, true);
      else if (known.count > event) onReveal(event);
    },
    [go],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that were waited for may be here now
  useEffect(() => {
    if (wanted.current === undefined) return;
    if (store.isWhole && wanted.current >= store.count) wanted.current = undefined;
    else goToEvent(wanted.current);
  }, [shown, store.version]);
  // Whoever goes elsewhere meanwhile is not called back.
  useEffect(() => {
    const forget = () => {
      wanted.current = undefined;
    };
    addEventListener('wheel', forget, { passive: true });
    return () => removeEventListener('wheel', forget);
  }, []);
  return { go, goToEvent };
}
