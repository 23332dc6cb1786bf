/**
 * A text of any length as rows that can be laid out one by one: about four thousand characters each, from the beginning of a line to
 * the end of one. Which characters belong to a row is found from those around it alone, so that any row can be shown without the
 * text before it.
 */
export const ROW_CHARS = 4_096;
const PIECE_ROWS = 64;
export const PIECE_CHARS = ROW_CHARS * PIECE_ROWS;

export function rowCount(length: number): number {
  return Math.max(1, Math.ceil(length / ROW_CHARS));
}

/** What has to be known of the text for a piece: one character before it, and a row behind it. */
export function stretchOfPiece(
  piece: number,
  length: number,
): { readonly from: number; readonly to: number } {
  return {
    from: Math.max(0, piece * PIECE_CHARS - 1),
    to: Math.min(length, (piece + 1) * PIECE_CHARS + ROW_CHARS),
  };
}

export function pieceOfRow(row: number): number {
  return Math.floor(row / PIECE_ROWS);
}

/** The text of a row, from a stretch that has it. */
export function textOfRow(row: number, stretch: { readonly from: number; readonly text: string }): string {
  const start = startOfRow(row, stretch);
  const end = startOfRow(row + 1, stretch);
  // The row is a block of its own: the end of its last line is the end of the block.
  const text = stretch.text.slice(start - stretch.from, end - stretch.from);
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** A row begins behind the first line that ends in its stretch; in the middle of a line that is longer than a row. */
function startOfRow(row: number, { from, text }: { readonly from: number; readonly text: string }): number {
  if (row === 0) return 0;
  const nominal = row * ROW_CHARS;
  if (nominal - from >= text.length) return from + text.length;
  const end = text.indexOf('\n', nominal - 1 - from);
  return end < 0 || end + from >= nominal + ROW_CHARS - 1 ? nominal : end + from + 1;
}
