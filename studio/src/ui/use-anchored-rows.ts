import { useEffect, useRef } from 'react';
import { movedRow } from './moved-row.ts';

interface AnchoredRows {
  /** What was asked: other rows are anchored anew. */
  readonly asked: string;
  readonly idAt: (index: number) => string | undefined;
  /** The first row that is seen. */
  readonly first: () => number;
  readonly cursor: number;
  readonly setCursor: (index: number) => void;
  /** Puts a row first. */
  readonly show: (index: number) => void;
}

interface Anchor {
  readonly index: number;
  readonly id: string | undefined;
}

/**
 * Keeps what one looks at where it is while rows come and go above it: the first row that is seen, unless that is the top of the
 * list, and the row of the cursor.
 */
export function useAnchoredRows({ asked, idAt, first, cursor, setCursor, show }: AnchoredRows): void {
  const last = useRef<{ readonly asked: string; readonly first: Anchor; readonly cursor: Anchor }>(undefined);
  useEffect(() => {
    const before = last.current;
    const now = { index: first(), id: idAt(first()) };
    last.current = { asked, first: now, cursor: { index: cursor, id: idAt(cursor) } };
    if (before?.asked !== asked) return;
    const goTo = newPlace(before.first, idAt);
    if (goTo !== undefined && before.first.index > 0) {
      last.current = { ...last.current, first: { index: goTo, id: before.first.id } };
      show(goTo);
    }
    const at = before.cursor.index === cursor ? newPlace(before.cursor, idAt) : undefined;
    if (at !== undefined) setCursor(at);
  });
}

/** Undefined when the row is where it was, or nobody knows. */
function newPlace({ index, id }: Anchor, idAt: (index: number) => string | undefined): number | undefined {
  if (id === undefined || idAt(index) === undefined || idAt(index) === id) return undefined;
  return movedRow(id, index, idAt);
}
