import { type FittedColumn, fitColumns } from '../ui/fit-columns.ts';
import { letterOf } from '../ui/run-letters.ts';

export interface CompareColumn extends FittedColumn {
  readonly kind: 'is' | 'sample' | 'run' | 'difference' | 'cost' | 'turns' | 'time';
  readonly label: string;
  readonly about: string;
  /** Of the run that the column is of. */
  readonly run: number;
  /** The word that the server sorts by. */
  readonly sort?: string;
}

/** The columns of the table that fit: which sample, what became of it in each run, and what the other run took more than the base. */
export function compareColumns(runs: number, other: number, width: number): readonly CompareColumn[] {
  const [a, b] = [letterOf(0), letterOf(other)];
  const column = (
    kind: CompareColumn['kind'],
    min: number,
    rank: number,
    more: Partial<CompareColumn>,
  ): CompareColumn => ({ id: kind, kind, min, rank, label: '', about: '', run: other, ...more });
  const ofRuns = Array.from({ length: runs }, (_, run) =>
    // Beside the score of the others stands how far it moved.
    column('run', run === 0 ? 80 : 122, 2, {
      id: `run-${run}`,
      run,
      about: `what became of it in run ${letterOf(run)}`,
    }),
  );
  return fitColumns(
    [
      column('is', 16, 0, { sort: 'is', about: 'worse first, then better' }),
      column('sample', 160, 1, { label: 'Sample', sort: 'id', grow: 1, about: 'its id and its input' }),
      ...ofRuns,
      column('difference', 64, 3, {
        label: 'Δ',
        sort: 'difference',
        about: 'score against the base; of the run that is worst',
      }),
      column('cost', 80, 4, {
        label: `Cost ${b}−${a}`,
        sort: 'cost',
        about: 'what it cost more; less is better',
      }),
      column('turns', 84, 5, { label: `Turns ${a}→${b}`, sort: 'turns', about: 'less is better' }),
      column('time', 132, 6, { label: `Time ${a}→${b}`, sort: 'time', about: 'less is better' }),
    ],
    width,
  );
}

/** Ascending, then descending, then as it is without a sort. */
export function nextSort(column: CompareColumn, sort: string): string {
  if (column.sort === undefined) return sort;
  if (sort === column.sort) return `-${column.sort}`;
  return sort === `-${column.sort}` ? '' : column.sort;
}

export function sortedBy(column: CompareColumn, sort: string): 'up' | 'down' | undefined {
  if (column.sort === undefined) return undefined;
  return sort === column.sort ? 'up' : sort === `-${column.sort}` ? 'down' : undefined;
}
