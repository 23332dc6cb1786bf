import type { AlignedTranscripts } from '../../../../src/server/api.ts';

export type AlignedRow = AlignedTranscripts['rows'][number];

/** A row with the numbers that its turns have on each side, from 1. */
export interface NumberedRow extends AlignedRow {
  readonly index: number;
  readonly aNumber: number | undefined;
  readonly bNumber: number | undefined;
}

/** What is shown in one row of the page: a stretch of turns that are the same, folded, or one row of turns. */
export type Block =
  | { readonly kind: 'fold'; readonly rows: readonly NumberedRow[]; readonly isOpen: boolean }
  | { readonly kind: 'row'; readonly row: NumberedRow; readonly isFirstDivergence: boolean };

export function numbered(rows: readonly AlignedRow[]): readonly NumberedRow[] {
  let [a, b] = [0, 0];
  return rows.map((row, index) => ({
    ...row,
    index,
    aNumber: row.a === undefined ? undefined : ++a,
    bNumber: row.b === undefined ? undefined : ++b,
  }));
}

/**
 * Turns that are the same are folded into one line each stretch, unless all are: then there is nothing else to look at. `turned` holds the
 * first rows of those that were opened or closed by hand; their line stays, so that it can be undone.
 */
export function foldTurns(
  rows: readonly AlignedRow[],
  firstDivergence: number | undefined,
  turned: ReadonlySet<number>,
): readonly Block[] {
  const isAllSame = rows.every(({ is }) => is === 'same');
  const blocks: Block[] = [];
  let same: NumberedRow[] = [];
  const close = () => {
    const [first] = same;
    if (first === undefined) return;
    const isOpen = turned.has(first.index) !== isAllSame;
    blocks.push({ kind: 'fold', rows: same, isOpen });
    if (isOpen) for (const row of same) blocks.push({ kind: 'row', row, isFirstDivergence: false });
    same = [];
  };
  for (const row of numbered(rows)) {
    if (row.is === 'same') {
      same.push(row);
      continue;
    }
    close();
    blocks.push({ kind: 'row', row, isFirstDivergence: row.index === firstDivergence });
  }
  close();
  return blocks;
}

/** `Turns 1–3 are the same`; with both numbers where they are others on each side. */
export function foldWords(rows: readonly NumberedRow[]): string {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return '';
  const a = span(first.aNumber, last.aNumber);
  const b = span(first.bNumber, last.bNumber);
  const isOne = rows.length === 1;
  if (a === b) return isOne ? `Turn ${a} is the same` : `Turns ${a} are the same`;
  return isOne ? `Turn ${a} of A is turn ${b} of B` : `Turns ${a} of A are turns ${b} of B`;
}

function span(from: number | undefined, to: number | undefined): string {
  return from === to ? String(from ?? '') : `${from ?? ''}–${to ?? ''}`;
}

/** The blocks that differ, for going from one to the next. */
export function changedBlocks(blocks: readonly Block[]): readonly number[] {
  return blocks.flatMap((block, index) => (block.kind === 'row' && block.row.is !== 'same' ? [index] : []));
}
