import type { Stretch } from './spool-file.ts';

export interface Piece<T> {
  readonly name: T;
  readonly at: Stretch;
  readonly kind?: 'event' | 'message' | 'text';
}

/** Pieces that are read at once. */
export interface Block<T> {
  readonly stretch: Stretch;
  readonly pieces: readonly Piece<T>[];
}

const BLOCK_BYTES = 2 ** 20;

/** Pieces that lie together, up to so many bytes; a longer one alone. Other things may lie between them. */
export function* inBlocks<T>(pieces: Iterable<Piece<T>>): Generator<Block<T>> {
  let block: Piece<T>[] = [];
  let start = 0;
  let end = 0;
  for (const piece of pieces) {
    const next = piece.at.start + piece.at.sizeBytes;
    if (block.length > 0 && (piece.at.start < end || next - start > BLOCK_BYTES)) {
      yield { stretch: { start, sizeBytes: end - start }, pieces: block };
      block = [];
    }
    if (block.length === 0) start = piece.at.start;
    block.push(piece);
    end = next;
  }
  if (block.length > 0) yield { stretch: { start, sizeBytes: end - start }, pieces: block };
}
