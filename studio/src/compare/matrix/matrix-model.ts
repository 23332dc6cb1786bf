import { CELL_LETTERS, type MatrixView, type Outcome } from '../../../../src/server/api.ts';

/** Rows by what became of the sample in all runs. */
export const GROUPS = ['flips', 'always fails', 'always passes', 'not judged'] as const;
export type GroupName = (typeof GROUPS)[number];

export interface MatrixGroup {
  readonly name: GroupName;
  /** Numbers of rows as the answer has them, in the order that they are shown in. */
  readonly rows: readonly number[];
}

export interface MatrixModel {
  readonly columns: number;
  readonly rows: number;
  readonly groups: readonly MatrixGroup[];
  /** One letter a cell, row after row, as the server sends it. */
  readonly cells: string;
  readonly outcomeAt: (row: number, column: number) => Outcome;
  /** 0 to 9 where the cell is a number. */
  readonly heatAt: (row: number, column: number) => number | undefined;
}

/** What each letter stands for. */
export const OUTCOME_OF_LETTER: ReadonlyMap<string, Outcome> = new Map(
  Object.entries(CELL_LETTERS).map(([outcome, letter]) => [letter, outcome as Outcome]),
);

/** How a row went: how many of its cells were judged, how much of them passed, and how often the next was another. */
export interface RowStanding {
  readonly judged: number;
  readonly passed: number;
  readonly flips: number;
}

const SHARE: Readonly<Record<string, number>> = { p: 1, h: 0.5, f: 0 };

export function standingOf(cells: string): RowStanding {
  let [judged, passed, flips] = [0, 0, 0];
  let before: number | undefined;
  for (const letter of cells) {
    const share = SHARE[letter];
    if (share === undefined) continue;
    judged += 1;
    passed += share;
    if (before !== undefined && share !== before) flips += 1;
    before = share;
  }
  return { judged, passed, flips };
}

/** The matrix with its rows in groups. What flips comes first, and of that what flips most, then what is hardest. */
export function matrixModel({ runs, samples, cells, heat }: MatrixView): MatrixModel {
  const columns = runs.length;
  const standings = samples.map((_, row) => standingOf(cells.slice(row * columns, (row + 1) * columns)));
  const rowsOf = (name: GroupName) =>
    standings.flatMap((standing, row) => (groupOf(standing) === name ? [row] : []));
  const rateOf = (row: number) => {
    const { flips = 0, judged = 0 } = standings[row] ?? {};
    return judged < 2 ? 0 : flips / (judged - 1);
  };
  const easeOf = (row: number) => (standings[row]?.passed ?? 0) / Math.max(1, standings[row]?.judged ?? 1);
  return {
    columns,
    rows: samples.length,
    cells,
    groups: GROUPS.map((name) => ({
      name,
      rows:
        name === 'flips'
          ? rowsOf(name).sort((a, b) => rateOf(b) - rateOf(a) || easeOf(a) - easeOf(b) || a - b)
          : rowsOf(name),
    })).filter(({ rows }) => rows.length > 0),
    outcomeAt: (row, column) => OUTCOME_OF_LETTER.get(cells[row * columns + column] ?? '.') ?? 'missing',
    heatAt: (row, column) => {
      const digit = heat[row * columns + column];
      return digit === undefined || digit === ' ' ? undefined : Number(digit);
    },
  };
}

function groupOf({ judged, passed, flips }: RowStanding): GroupName {
  if (judged === 0) return 'not judged';
  if (flips > 0 || (passed > 0 && passed < judged)) return 'flips';
  return passed === 0 ? 'always fails' : 'always passes';
}
