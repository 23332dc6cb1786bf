import { useCallback, useMemo, useRef } from 'react';

interface SteadyRowsOptions<Row> {
  readonly rowAt: (index: number) => Row | undefined;
  readonly total: number;
  readonly keyOf: (row: Row) => string;
  /** Rows that have been seen stay where they are. */
  readonly isHeld: boolean;
}

/**
 * Rows of a list that changes by itself. While it is held each row that was seen keeps its place, in its newest state; what is let go is
 * in the server's order again.
 */
export function useSteadyRows<Row>({ rowAt, total, keyOf, isHeld }: SteadyRowsOptions<Row>) {
  const held = useRef(new Map<number, Row>());
  if (!isHeld && held.current.size > 0) held.current = new Map();
  const newest = useMemo(
    () => (isHeld ? byKey(rowAt, total, keyOf) : new Map<string, Row>()),
    [isHeld, rowAt, total, keyOf],
  );
  return useCallback(
    (index: number): Row | undefined => {
      const row = rowAt(index);
      if (!isHeld) return row;
      const first = held.current.get(index);
      if (first === undefined && row !== undefined) held.current.set(index, row);
      return first === undefined ? row : (newest.get(keyOf(first)) ?? first);
    },
    [rowAt, isHeld, newest, keyOf],
  );
}

function byKey<Row>(
  rowAt: (index: number) => Row | undefined,
  total: number,
  keyOf: (row: Row) => string,
): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (let index = 0; index < total; index += 1) {
    const row = rowAt(index);
    if (row !== undefined) rows.set(keyOf(row), row);
  }
  return rows;
}
