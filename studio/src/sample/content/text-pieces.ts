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

  readonly length: number;

  constructor(length: number, ask: AskPiece) {
    this.length = length;
    this.#ask = ask;
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
    this.#wanted = pieces.filter((piece) => stretchOfPiece(piece, this.length).from < this.length);
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
    const { from, to } = stretchOfPiece(number, this.length);
    const piece: Piece = { from, text: undefined, loading: new AbortController(), usedAt: ++this.#clock };
    this.#pieces.set(number, piece);
    void this.#fill(number, piece, to);
  }

  async #fill(number: number, piece: Piece, to: number): Promise<void> {
    const { signal } = piece.loading;
    try {
      let text = '';
      while (piece.from + text.length < to) {
        const more = await this.#ask(piece.from + text.length, to - piece.from - text.length, signal);
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
