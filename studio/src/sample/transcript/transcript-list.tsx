import { type Ref, type RefObject, useCallback, useEffect, useImperativeHandle, useRef } from 'react';
import { ScaledList, type ScaledListHandle } from '../../ui/scaled/scaled-list.tsx';
import { EventRow } from './event-row.tsx';
import { type Folding, heightGuess, isOpen } from './folding.ts';
import type { ShownEvents } from './shown-events.ts';
import type { SkeletonStore } from './skeleton-store.ts';

export interface TranscriptListProps {
  readonly store: SkeletonStore;
  readonly shown: ShownEvents;
  /** Another when rows are others. */
  readonly version: unknown;
  readonly folding: Folding;
  readonly focused: number | undefined;
  readonly isFollowing: boolean;
  readonly onView: (firstEvent: number, lastEvent: number) => void;
  readonly ref?: Ref<ScaledListHandle>;
}

/** All events that are shown, a row each. */
export function TranscriptList(props: TranscriptListProps) {
  const { store, shown, folding, focused, onView } = props;
  const handle = useRef<ScaledListHandle>(null);
  useImperativeHandle(props.ref, () => handle.current as ScaledListHandle, []);
  const before = useRef(shown);
  const rowAfter = (row: number) => shown.rowOf(before.current.eventOf(row));
  useEffect(() => {
    before.current = shown;
  });
  useForgetting(handle, shown, folding);
  const keyOf = useCallback((row: number) => shown.eventOf(row), [shown]);
  return (
    <ScaledList
      ref={handle}
      label="Transcript"
      role="feed"
      count={shown.count}
      version={useVersion(props.version, folding.all)}
      rowAfter={rowAfter}
      estimate={(row) => heightGuess(store, folding, shown.eventOf(row))}
      keyOf={keyOf}
      isFollowing={props.isFollowing}
      onView={(first, last) => onView(shown.eventOf(first), shown.eventOf(last))}
    >
      {(row) => {
        const event = shown.eventOf(row);
        return (
          <EventRow
            event={event}
            isOpen={isOpen(store, folding, event)}
            isFocused={event === focused}
            position={row + 1}
            count={shown.count}
            version={store.rewritten + store.relabelled}
          />
        );
      }}
    </ScaledList>
  );
}

/** Rows that were folded or unfolded one by one are measured again where they are; all others keep their heights. */
function useForgetting(handle: RefObject<ScaledListHandle | null>, shown: ShownEvents, folding: Folding) {
  const before = useRef(folding);
  useEffect(() => {
    const { others, all } = before.current;
    before.current = folding;
    if (all !== folding.all) return;
    const changed = [...others, ...folding.others].filter(
      (event) => others.has(event) !== folding.others.has(event),
    );
    for (const event of changed) handle.current?.forget(shown.rowOf(event));
  }, [handle, shown, folding]);
}

function useVersion(rows: unknown, all: Folding['all']): unknown {
  const kept = useRef<{ readonly rows: unknown; readonly all: Folding['all'] }>({ rows, all });
  if (kept.current.rows !== rows || kept.current.all !== all) kept.current = { rows, all };
  return kept.current;
}
