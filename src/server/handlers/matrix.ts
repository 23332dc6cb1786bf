import { definedOf } from '../../base/index.ts';
import { type MatrixRow, type NumberRange, rangeOf, sampleMatrix, toldFigure } from '../../compare/index.ts';
import { newestOfOneEval } from '../../views/index.ts';
import { CELL_LETTERS, type MatrixView } from '../api.ts';
import type { Call } from '../call.ts';
import { matchingRuns, mustBeRight } from '../matching-runs.ts';
import { tablesOf } from '../run-tables.ts';

/** Samples × runs: those that are named, else the newest of one eval that a filter leaves, oldest first. */
export async function matrix({ studio, query, signal, sameAs }: Call<'matrix'>): Promise<MatrixView> {
  const named = query.runs.length > 0 ? query.runs.slice(0, RUNS_MAX) : undefined;
  const chosen =
    named ?? newestOfOneEval(mustBeRight(await matchingRuns(studio, query.q, signal)), query.limit);
  const read = await tablesOf(studio).read(chosen, signal);
  sameAs(studio.index.version, ...read.map(({ version }) => version));
  const tables = read.map(({ table }) => table);
  const told = toldFigure(
    tables.flatMap((table) => table ?? []),
    query.score,
  );
  const rows = sampleMatrix(tables, told);
  return {
    runs: read.map(({ item }) => item),
    samples: rows.map(({ id }) => id),
    cells: lettersOf(rows),
    heat: heatOf(rows),
    ...definedOf({ score: told.figure }),
  };
}

const RUNS_MAX = 50;

function lettersOf(rows: readonly MatrixRow[]): string {
  return rows.map(({ outcomes }) => outcomes.map((outcome) => CELL_LETTERS[outcome]).join('')).join('');
}

/** Empty where no cell is a number; a space at those that are none. */
function heatOf(rows: readonly MatrixRow[]): string {
  const range = rangeOf(rows);
  return range === undefined ? '' : rows.map((row) => heatOfRow(row, range)).join('');
}

function heatOfRow({ outcomes, numbers }: MatrixRow, { least, greatest }: NumberRange): string {
  const width = greatest - least;
  return outcomes
    .map((outcome, run) => {
      if (outcome !== 'number') return ' ';
      const share = width === 0 ? 0 : ((numbers[run] ?? least) - least) / width;
      return String(Math.min(9, Math.floor(share * 10)));
    })
    .join('');
}
