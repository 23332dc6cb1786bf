import { stringifyJson } from '../base/index.ts';
import type { Cell, Column } from './column.ts';
import type { ByteSink, Encoder } from './encoder.ts';

/** One JSON object a line, with all columns. NaN and the infinities, which plain JSON does not know, are texts: `"NaN"`. */
export class JsonlEncoder implements Encoder {
  readonly #keys: readonly string[];
  readonly #sink: ByteSink;

  constructor(columns: readonly Column[], sink: ByteSink) {
    this.#keys = columns.map(({ name }) => stringifyJson(name));
    this.#sink = sink;
  }

  add(row: readonly Cell[]): Promise<void> {
    const members = this.#keys.map((key, index) => `${key}:${cellText(row[index] ?? null)}`);
    return this.#sink.append(Buffer.from(`{${members.join(',')}}\n`, 'utf8'));
  }

  async finish(): Promise<void> {
    // A table without rows is an empty file.
  }
}

function cellText(cell: Cell): string {
  if (typeof cell === 'number' && !Number.isFinite(cell)) return `"${cell}"`;
  return stringifyJson(cell instanceof Date ? cell.toISOString() : cell);
}
