/** Rows of a file, found again by their byte offsets: the file is never in memory as a whole. */
import { assert, JsonSyntaxError, UsageError } from '../base/index.ts';
import type { Disk, DiskFile } from '../disk/index.ts';
import { type Cutter, countLines, leadingBytes } from './cutters.ts';
import { badFile, badRow } from './data-error.ts';
import type { RowStore } from './row-store.ts';

/** How one kind of file is cut into records, and what a record means. */
export interface FileFormat {
  readonly cutter: Cutter;
  /** A row, or undefined for a record that is none (a blank line, the header). May throw RecordProblem. */
  read(text: string): unknown;
  /** Where in a record the text begins that is read as JSON. */
  startOf?(text: string): number;
}

/** A record that cannot be read; the place is added by who knows it. */
export class RecordProblem extends Error {
  override readonly name = 'RecordProblem';
}

export interface FileStoreInput {
  readonly disk: Disk;
  readonly path: string;
  /** How messages name the file. */
  readonly label: string;
  readonly format: FileFormat;
  /** From a row as it is written to the fields of a row; may throw RecordProblem. */
  readonly shape: (row: unknown) => unknown;
}

export async function openFileStore({ disk, path, label, format, shape }: FileStoreInput): Promise<RowStore> {
  const stat = await disk.stat(path);
  if (stat?.kind !== 'file') {
    const problem = stat === undefined ? 'does not exist' : 'is not a file';
    throw badFile(label, problem, 'Check "data": a path is relative to the eval file.');
  }
  return new FileStore(await disk.open(path, 'read'), { label, format, shape });
}

interface Span {
  readonly offset: number;
  readonly length: number;
  readonly line: number;
}

const CHUNK_BYTES = 256 * 1024;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

class FileStore implements RowStore {
  readonly #file: DiskFile;
  readonly #label: string;
  readonly #format: FileFormat;
  readonly #shape: FileStoreInput['shape'];
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];
  readonly #lines: number[] = [];
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  constructor(file: DiskFile, { label, format, shape }: Pick<FileStoreInput, 'label' | 'format' | 'shape'>) {
    this.#file = file;
    this.#label = label;
    this.#format = format;
    this.#shape = shape;
  }

  async *rows(): AsyncGenerator<unknown> {
    for await (const { bytes, ...span } of this.#records()) {
      const row = this.#parse(bytes, span.line);
      if (row === undefined) continue;
      this.#offsets.push(span.offset);
      this.#lengths.push(span.length);
      this.#lines.push(span.line);
      yield row;
    }
  }

  async read(index: number): Promise<unknown> {
    const length = this.#lengths[index];
    assert(length !== undefined, `row ${index} of ${this.#label} was not indexed`);
    const bytes = new Uint8Array(length);
    const count = await this.#file.read(bytes, this.#offsets[index] ?? 0);
    return this.#parse(bytes.subarray(0, count), this.#lines[index] ?? 0);
  }

  place(index: number): string {
    return this.#placeOf(this.#lines[index] ?? 0);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #parse(bytes: Uint8Array, line: number): unknown {
    try {
      const row = this.#format.read(this.#decoder.decode(bytes));
      return row === undefined ? undefined : this.#shape(row);
    } catch (error) {
      const place = this.#placeOf(line);
      if (error instanceof RecordProblem) throw badRow(place, error.message);
      if (error instanceof JsonSyntaxError) throw this.#badJson(bytes, line, error);
      // The decoder is the only thing here that throws a TypeError: the bytes are not UTF-8.
      if (error instanceof TypeError) {
        const hint = 'Save the file as UTF-8.';
        throw badRow(this.#placeOf(line + this.#linesBeforeBadByte(bytes)), 'not valid UTF-8', hint);
      }
      throw error;
    }
  }

  /** The error counts lines from where the record begins; people count them from where the file does. */
  #badJson(bytes: Uint8Array, line: number, error: JsonSyntaxError): UsageError {
    const text = this.#decoder.decode(bytes);
    const from = this.#format.startOf?.(text) ?? 0;
    // What is missing at the end is missing where the text ends, not on the empty line below it.
    const before = text.slice(0, Math.min(from + error.offset, text.trimEnd().length));
    const blank = countLines(bytes.subarray(0, leadingBytes(bytes)));
    const at = line - blank + before.split('\n').length - 1;
    const column = before.length - before.lastIndexOf('\n');
    return badRow(this.#placeOf(at), `not valid JSON at column ${column}: expected ${error.expected}`);
  }

  /** A record may span lines: the last line that still decodes is the one before the trouble. */
  #linesBeforeBadByte(bytes: Uint8Array): number {
    const good = new TextDecoder('utf-8').decode(bytes).split('\ufffd', 1)[0] ?? '';
    return good.split('\n').length - 1;
  }

  /** The records of the file, with the line on which their text begins. Their bytes are good until the next one. */
  async *#records(): AsyncGenerator<Span & { readonly bytes: Uint8Array }> {
    const { cutter } = this.#format;
    let pending: Uint8Array[] = [];
    let offset = 0;
    let line = 1;
    const take = (end: Uint8Array) => {
      const bytes = pending.length === 0 ? end : Buffer.concat([...pending, end]);
      const record = {
        bytes,
        offset,
        length: bytes.length,
        line: line + countLines(bytes.subarray(0, leadingBytes(bytes))),
      };
      pending = [];
      offset += bytes.length;
      line += countLines(bytes);
      return record;
    };
    for await (const chunk of this.#chunks()) {
      if (chunk.position === 0) offset = byteOrderMarkLength(chunk.bytes, this.#label);
      let from = chunk.position === 0 ? offset : 0;
      for (let end = cutter.cut(chunk.bytes, from); end >= 0; end = cutter.cut(chunk.bytes, from)) {
        yield take(chunk.bytes.subarray(from, end));
        from = end;
      }
      if (from < chunk.bytes.length) pending.push(chunk.bytes.slice(from));
    }
    const rest = take(new Uint8Array(0));
    const problem = cutter.unfinished();
    if (problem !== undefined) throw badRow(this.#placeOf(rest.line), problem);
    if (rest.length > 0) yield rest;
  }

  /** One buffer serves all chunks: who needs a part of it for longer makes a copy. */
  async *#chunks(): AsyncGenerator<{ readonly bytes: Uint8Array; readonly position: number }> {
    const buffer = new Uint8Array(CHUNK_BYTES);
    for (let position = 0; ; ) {
      const count = await this.#file.read(buffer, position);
      if (count > 0) yield { bytes: buffer.subarray(0, count), position };
      if (count < CHUNK_BYTES) return;
      position += count;
    }
  }

  #placeOf(line: number): string {
    return `${this.#label}:${line}`;
  }
}

function byteOrderMarkLength(bytes: Uint8Array, label: string): number {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new UsageError({
      code: 'E_DATA_FILE',
      message: `${label} is written in UTF-16.`,
      hint: 'Save the file as UTF-8.',
    });
  }
  return BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? BYTE_ORDER_MARK.length : 0;
}
