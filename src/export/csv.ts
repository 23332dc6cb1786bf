import type { Cell, Column } from './column.ts';
import type { ByteSink, Encoder } from './encoder.ts';

export interface CsvOptions {
  /** Puts an apostrophe before texts that a spreadsheet would take for a formula. Off, every text is what it is in the log. */
  readonly isForSpreadsheet?: boolean;
}

/**
 * RFC 4180: CRLF after each record, quotes where they are needed, UTF-8 without a mark. Null is an empty field, and the empty text is
 * `""`. NaN and the infinities are written as such.
 */
export class CsvEncoder implements Encoder {
  readonly #sink: ByteSink;
  readonly #guard: boolean;
  readonly #header: string;
  #isBegun = false;
  /** How many texts a spreadsheet would take for formulas. */
  formulas = 0;

  constructor(columns: readonly Column[], sink: ByteSink, options: CsvOptions = {}) {
    this.#sink = sink;
    this.#guard = options.isForSpreadsheet ?? false;
    this.#header = columns.map(({ name }) => this.#text(name)).join(',');
  }

  async add(row: readonly Cell[]): Promise<void> {
    await this.#begin();
    await this.#line(row.map((cell) => this.#cell(cell)).join(','));
  }

  finish(): Promise<void> {
    return this.#begin();
  }

  async #begin(): Promise<void> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    await this.#line(this.#header);
  }

  #line(text: string): Promise<void> {
    return this.#sink.append(Buffer.from(`${text}\r\n`, 'utf8'));
  }

  #cell(cell: Cell): string {
    if (cell === null) return '';
    if (cell instanceof Date) return cell.toISOString();
    return typeof cell === 'string' ? this.#text(cell) : String(cell);
  }

  #text(text: string): string {
    const isFormula = FORMULA.test(text);
    if (isFormula) this.formulas++;
    const said = isFormula && this.#guard ? `'${text}` : text;
    return said === '' || NEEDS_QUOTES.test(said) ? `"${said.replaceAll('"', '""')}"` : said;
  }
}

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;
/** As spreadsheets do it: these at the beginning of a cell make it a formula. */
const FORMULA = /^[=+\-@\t\r]/;
