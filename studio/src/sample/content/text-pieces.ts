import { pieceOfRow, stretchOfPiece, textOfRow } from './text-rows.ts';

type AskPiece = (
  from: number,
  length: number,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly length: number }>;

const PIECES_MAX = 8;

interface Piece {
  readonly from: number;
  text: string | undefined;
  readonly loading: AbortController;
  usedAt: number;
}

/** The pieces of a long text that are near what is seen. */
export class TextPieces {
  readonly #ask: AskPiece;
  readonly #pieces = new Map<number, Piece>();
  readonly #watchers = new Set<() => void>();
  #clock = 0;
  #error: unknown;
  #wanted: readonly number[] = [];

  #length: number;

  /** `length`: as far as it is known; 0 when it is not. The first answer tells it. */
  constructor(length: number, ask: AskPiece) {
    this.#length = length;
    this.#ask = ask;
  }

  get length(): number {
    return this.#length;
  }

  get error(): unknown {
    return this.#error;
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  rowText(row: number): string | undefined {
    const piece = this.#pieces.get(pieceOfRow(row));
    return piece?.text === undefined ? undefined : textOfRow(row, { from: piece.from, text: piece.text });
  }

  want(first: number, last: number): void {
    const pieces: number[] = [];
    for (let piece = pieceOfRow(Math.max(0, first)); piece <= pieceOfRow(last); piece++) pieces.push(piece);
    this.#wanted = pieces.filter((piece) => piece === 0 || this.#stretch(piece).from < this.#length);
    for (const piece of this.#wanted) this.#load(piece);
    this.#evict();
  }

  retry(): void {
    this.#error = undefined;
    for (const piece of this.#wanted) this.#load(piece);
    this.#tell();
  }

  stop(): void {
    for (const { loading } of this.#pieces.values()) loading.abort();
    this.#pieces.clear();
  }

  #load(number: number): void {
    const known = this.#pieces.get(number);
    if (known !== undefined) {
      known.usedAt = ++this.#clock;
      return;
    }
    const { from } = this.#stretch(number);
    const piece: Piece = { from, text: undefined, loading: new AbortController(), usedAt: ++this.#clock };
    this.#pieces.set(number, piece);
    void this.#fill(number, piece);
  }

  #stretch(piece: number): { readonly from: number; readonly to: number } {
    return stretchOfPiece(piece, this.#length === 0 ? Number.POSITIVE_INFINITY : this.#length);
  }

  async #fill(number: number, piece: Piece): Promise<void> {
    const { signal } = piece.loading;
    try {
      let text = '';
      for (;;) {
        const left = this.#stretch(number).to - piece.from - text.length;
        if (left <= 0) break;
        const more = await this.#ask(piece.from + text.length, left, signal);
        this.#length = more.length;
        if (more.text === '') break;
        text += more.text;
      }
      piece.text = text;
      this.#error = undefined;
    } catch (error) {
      this.#pieces.delete(number);
      if (signal.aborted) return;
      this.#error = error;
    }
    this.#tell();
  }

  #evict(): void {
    const unwanted = [...this.#pieces]
      .filter(([piece]) => !this.#wanted.includes(piece))
      .sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [number, piece] of unwanted.slice(0, Math.max(0, this.#pieces.size - PIECES_MAX))) {
      piece.loading.abort();
      this.#pieces.delete(number);
    }
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
