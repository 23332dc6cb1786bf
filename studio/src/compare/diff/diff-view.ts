import type { DiffRow, WordPart } from './diff-texts.ts';

/** A row as it is shown: one line of each side, or a stretch of equal lines that is folded. */
export type ShownRow =
  | { readonly is: 'fold'; readonly a: number; readonly b: number; readonly count: number }
  | {
      readonly is: 'same' | 'changed' | 'removed' | 'added';
      readonly a: number | undefined;
      readonly b: number | undefined;
      readonly words?: { readonly a: readonly WordPart[]; readonly b: readonly WordPart[] };
    };

/** So many equal lines are left around a difference. */
const CONTEXT = 3;

/** The rows with equal stretches folded, except those that were opened (by their first line of A). */
export function shownRows(rows: readonly DiffRow[], opened: ReadonlySet<number>): readonly ShownRow[] {
  return rows.flatMap((row, index): readonly ShownRow[] => {
    if (row.is === 'changed') return [row];
    if (row.is === 'removed') return [{ is: 'removed', a: row.a, b: undefined }];
    if (row.is === 'added') return [{ is: 'added', a: undefined, b: row.b }];
    const head = index === 0 ? 0 : CONTEXT;
    const tail = index === rows.length - 1 ? 0 : CONTEXT;
    const folded = row.count - head - tail;
    if (folded < 2 || opened.has(row.a)) return equalLines(row.a, row.b, row.count);
    return [
      ...equalLines(row.a, row.b, head),
      { is: 'fold', a: row.a, b: row.b, count: folded },
      ...equalLines(row.a + head + folded, row.b + head + folded, tail),
    ];
  });
}

function equalLines(a: number, b: number, count: number): readonly ShownRow[] {
  return Array.from({ length: count }, (_, at) => ({ is: 'same', a: a + at, b: b + at }) as const);
}

export interface DiffCounts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

export function countDiff(rows: readonly DiffRow[]): DiffCounts {
  const of = (is: DiffRow['is']) => rows.filter((row) => row.is === is).length;
  return { added: of('added'), removed: of('removed'), changed: of('changed') };
}

/** Lines are laid out in pieces: one of a million characters would stop the page. */
export const PIECE = 2_000;

/** So much of a line, and of the parts of a line, from a place on. */
export function slicedParts(parts: readonly WordPart[], from: number, length: number): readonly WordPart[] {
  const found: WordPart[] = [];
  let at = 0;
  for (const [text, isChanged] of parts) {
    const piece = text.slice(Math.max(0, from - at), Math.max(0, from + length - at));
    if (piece !== '') found.push([piece, isChanged]);
    at += text.length;
    if (at >= from + length) break;
  }
  return found;
}
