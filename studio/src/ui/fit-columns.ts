/** A column of a table that falls away where there is no room. */
export interface FittedColumn {
  readonly id: string;
  /** In pixels. */
  readonly min: number;
  /** How much of the rest it takes; none by default. */
  readonly grow?: number;
  /** The highest falls away first. */
  readonly rank: number;
}

export const COLUMN_GAP = 12;

/** The columns that fit a width, in their order. The first by rank always stays. */
export function fitColumns<Column extends FittedColumn>(
  columns: readonly Column[],
  width: number,
): readonly Column[] {
  const byRank = columns.toSorted((a, b) => a.rank - b.rank);
  const fitting = new Set<Column>();
  let used = 0;
  for (const column of byRank) {
    used += column.min + (fitting.size === 0 ? 0 : COLUMN_GAP);
    if (used > width && fitting.size > 0) break;
    fitting.add(column);
  }
  return columns.filter((column) => fitting.has(column));
}

/** For `grid-template-columns`. */
export function gridTemplate(columns: readonly FittedColumn[]): string {
  const tracks = columns.map(({ min, grow }) =>
    grow === undefined ? `${min}px` : `minmax(${min}px, ${grow}fr)`,
  );
  return tracks.join(' ');
}
