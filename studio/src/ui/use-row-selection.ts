import { useCallback, useState } from 'react';

interface RowSelectionOptions {
  readonly total: number;
  /** The id of a row; undefined while it has not come. */
  readonly idAt: (index: number) => string | undefined;
  readonly initial?: { readonly cursor: number; readonly selected: readonly string[] } | undefined;
  /** Brings a row into view. */
  readonly show: (index: number) => void;
}

/** The row that keys act on, and the rows that are selected. */
export function useRowSelection({ total, idAt, initial, show }: RowSelectionOptions) {
  const [cursor, setCursor] = useState(initial?.cursor ?? -1);
  const [anchor, setAnchor] = useState(-1);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set(initial?.selected));

  const goTo = useCallback(
    (index: number) => {
      if (total === 0) return;
      const next = Math.max(0, Math.min(total - 1, index));
      setCursor(next);
      show(next);
    },
    [total, show],
  );
  const select = useCallback((ids: readonly (string | undefined)[]) => {
    setSelected((was) => new Set([...was, ...ids.filter((id) => id !== undefined)]));
  }, []);
  /** With `isRange` all from the last one that was chosen to this. */
  const toggle = useCallback(
    (index: number, isRange = false) => {
      const id = idAt(index);
      setCursor(index);
      setAnchor(index);
      if (isRange && anchor >= 0) return select(between(anchor, index).map(idAt));
      if (id !== undefined) setSelected((was) => (was.has(id) ? without(was, id) : new Set([...was, id])));
    },
    [idAt, anchor, select],
  );
  /** Selects the row of the cursor and the next one that way. */
  const extend = (step: number) => {
    select([idAt(Math.max(0, cursor)), idAt(cursor + step)]);
    goTo(cursor + step);
  };
  const clear = useCallback(() => setSelected(new Set()), []);
  return { cursor: Math.min(cursor, total - 1), selected, setCursor, goTo, toggle, extend, clear };
}

function between(a: number, b: number): number[] {
  const from = Math.min(a, b);
  return Array.from({ length: Math.abs(a - b) + 1 }, (_, index) => from + index);
}

function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const rest = new Set(set);
  rest.delete(id);
  return rest;
}
