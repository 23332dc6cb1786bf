import { letterOf, RUNS_MAX } from '../../ui/run-letters.ts';
import type { GroupName, MatrixGroup } from './matrix-model.ts';

export const CELL_MIN = 4;
export const CELL_MAX = 14;
const WIDE_MAX = 36;
/** So few rows are read one by one, with glyphs and names; of more the picture as a whole is looked at. */
const READ_MAX = 300;
/** The line above each group. */
export const GROUP_HEAD = 28;

export interface LaidGroup extends MatrixGroup {
  readonly top: number;
  /** Where its first row begins; the rows of a folded group are nowhere. */
  readonly rowsTop: number;
  readonly isFolded: boolean;
}

export interface MatrixLayout extends CellSize {
  readonly height: number;
  readonly groups: readonly LaidGroup[];
  /** Rows that are shown, from the top: what a cursor goes through. */
  readonly shown: readonly number[];
}

export interface CellSize {
  readonly cell: number;
  readonly wide: number;
}

interface Room {
  readonly rows: number;
  readonly columns: number;
  readonly width: number;
  readonly height: number;
}

/**
 * As high as cells can be when all rows are to be seen within two screens, and as wide as the page has room for: columns that are
 * further apart have room for their heads. Squares when a size is asked for.
 */
export function cellSize(asked: number, { rows, columns, width, height }: Room): CellSize {
  if (asked >= CELL_MIN && asked <= CELL_MAX) return { cell: Math.round(asked), wide: Math.round(asked) };
  const least = rows <= READ_MAX ? CELL_MAX : CELL_MIN;
  const cell = clamp(Math.floor((height * 2) / Math.max(1, rows)), least, CELL_MAX);
  const wide = clamp(Math.floor(width / Math.max(1, columns)), CELL_MIN, WIDE_MAX);
  return { cell: Math.min(cell, Math.max(CELL_MIN, wide)), wide };
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

export function layMatrix(
  groups: readonly MatrixGroup[],
  folded: ReadonlySet<GroupName>,
  { cell, wide }: CellSize,
): MatrixLayout {
  let top = 0;
  const laid = groups.map((group) => {
    const isFolded = folded.has(group.name);
    const rowsTop = top + GROUP_HEAD;
    const one = { ...group, top, rowsTop, isFolded };
    top = rowsTop + (isFolded ? 0 : group.rows.length * cell + 8);
    return one;
  });
  const shown = laid.flatMap(({ rows, isFolded }) => (isFolded ? [] : rows));
  return { cell, wide, height: top, groups: laid, shown };
}

/** The row at a height; undefined beside the rows. */
export function rowAt({ groups, cell }: MatrixLayout, y: number): number | undefined {
  const group = groups.find(
    ({ rowsTop, rows, isFolded }) => !isFolded && y >= rowsTop && y < rowsTop + rows.length * cell,
  );
  return group?.rows[Math.floor((y - group.rowsTop) / cell)];
}

/** Where a row begins; undefined when its group is folded. */
export function topOfRow({ groups, cell }: MatrixLayout, row: number): number | undefined {
  for (const { rows, rowsTop, isFolded } of groups) {
    if (isFolded) continue;
    const at = rows.indexOf(row);
    if (at >= 0) return rowsTop + at * cell;
  }
  return undefined;
}

/** How many columns from one label to the next, so that labels have 14 pixels each. */
export function labelStep(wide: number): number {
  return Math.max(1, Math.ceil(14 / wide));
}

export interface Cursor {
  readonly row: number;
  readonly column: number;
}

const PAGE = 20;

/** Where a key leads from a cell; undefined when it leads nowhere. Rows are gone through as they are shown. */
export function movedCursor(
  { shown }: MatrixLayout,
  columns: number,
  cursor: Cursor | undefined,
  key: string,
): Cursor | undefined {
  const [down, right] = STEPS[key] ?? [0, 0];
  if (STEPS[key] === undefined && key !== 'Home' && key !== 'End') return undefined;
  const [first] = shown;
  if (first === undefined || columns === 0) return undefined;
  if (cursor === undefined) return { row: first, column: 0 };
  if (key === 'Home') return { ...cursor, column: 0 };
  if (key === 'End') return { ...cursor, column: columns - 1 };
  const at = Math.max(0, shown.indexOf(cursor.row));
  const row = shown[Math.max(0, Math.min(shown.length - 1, at + down))] ?? first;
  return { row, column: Math.max(0, Math.min(columns - 1, cursor.column + right)) };
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [PAGE, 0],
  PageUp: [-PAGE, 0],
};

/** Letters as in a comparison as long as there are enough of them; else numbers. */
export function columnName(index: number, columns: number): string {
  return columns <= RUNS_MAX ? letterOf(index) : String(index + 1);
}
