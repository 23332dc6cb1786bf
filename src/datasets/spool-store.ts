/** Rows that come once (from iterables and functions), kept so that they can be read again. */
import { ActionableError, messageOf, UsageError } from '../base/index.ts';
import { type Disk, type DiskFile, tempPathFor } from '../disk/index.ts';
import { badRow } from './data-error.ts';
import { decodeRow, encodeRow } from './row-codec.ts';
import { type RowStore, rowNumber } from './row-store.ts';

export interface SpoolInput {
  readonly source: () => Promise<Iterable<unknown> | AsyncIterable<unknown>>;
  readonly disk: Disk;
  readonly tempDir: string;
}

/** Below this, rows stay in memory; above it they go to a temporary file, which `close` removes. */
const MEMORY_CHARS_MAX = 2 * 1024 * 1024;
const BUFFER_BYTES = 1024 * 1024;

/** Rows come back exactly as they were given, in memory or not: to the target the size of the data makes no difference. */
export function spoolStore({ source, disk, tempDir }: SpoolInput): RowStore {
  const spool = new Spool(disk, tempDir);
  return {
    async *rows() {
      let index = 0;
      for await (const row of guarded(source)) {
        await spool.add(encoded(row, rowNumber(index)));
        index++;
        yield row;
      }
      await spool.finish();
    },
    read: async (index) => decodeRow(await spool.read(index)),
    place: rowNumber,
    close: () => spool.close(),
  };
}

/** Texts by number. The buffer is one for all, so that rows leave nothing behind in memory but their length. */
class Spool {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #ends: number[] = [];
  #texts: string[] = [];
  #buffer: Buffer | undefined;
  #bufferedBytes = 0;
  #writtenBytes = 0;
  #file: DiskFile | undefined;

  constructor(disk: Disk, tempDir: string) {
    this.#disk = disk;
    this.#path = tempPathFor(`${tempDir}/rows`);
  }

  async add(text: string): Promise<void> {
    if (this.#file !== undefined) return this.#append(text);
    this.#texts.push(text);
    this.#bufferedBytes += text.length;
    if (this.#bufferedBytes >= MEMORY_CHARS_MAX) await this.#moveToFile();
  }

  async finish(): Promise<void> {
    if (this.#file !== undefined) await this.#flush();
    this.#buffer = undefined;
  }

  async read(index: number): Promise<string> {
    if (this.#file === undefined) return this.#texts[index] ?? '';
    const start = this.#ends[index - 1] ?? 0;
    const bytes = Buffer.allocUnsafe((this.#ends[index] ?? start) - start);
    await this.#file.read(bytes, start);
    return bytes.toString('utf8');
  }

  async close(): Promise<void> {
    this.#texts = [];
    if (this.#file === undefined) return;
    await this.#file.close();
    await this.#disk.remove(this.#path);
  }

  async #moveToFile(): Promise<void> {
    this.#file = await this.#disk.open(this.#path, 'create');
    this.#bufferedBytes = 0;
    const texts = this.#texts;
    this.#texts = [];
    for (const text of texts) await this.#append(text);
  }

  async #append(text: string): Promise<void> {
    const length = Buffer.byteLength(text);
    this.#ends.push((this.#ends.at(-1) ?? 0) + length);
    if (this.#bufferedBytes + length > BUFFER_BYTES) await this.#flush();
    if (length > BUFFER_BYTES) return this.#write(Buffer.from(text));
    this.#buffer ??= Buffer.allocUnsafe(BUFFER_BYTES);
    this.#bufferedBytes += this.#buffer.write(text, this.#bufferedBytes);
  }

  async #flush(): Promise<void> {
    if (this.#buffer === undefined || this.#bufferedBytes === 0) return;
    await this.#write(this.#buffer.subarray(0, this.#bufferedBytes));
    this.#bufferedBytes = 0;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#file?.write(bytes, this.#writtenBytes);
    this.#writtenBytes += bytes.length;
  }
}

function encoded(row: unknown, place: string): string {
  try {
    return encodeRow(row);
  } catch (error) {
    // Functions, symbols and the like cannot be stored, neither here nor in the log.
    if (!(error instanceof Error)) throw error;
    throw badRow(place, `the row cannot be stored: ${error.message}`, 'Rows must be plain data.');
  }
}

/** What the user's own code throws, as an error that says where it came from. */
async function* guarded(source: SpoolInput['source']): AsyncGenerator<unknown> {
  try {
    yield* await source();
  } catch (error) {
    if (error instanceof ActionableError) throw error;
    throw new UsageError({
      code: 'E_DATA_SOURCE',
      message: `The data of the eval could not be read: ${messageOf(error)}`,
      hint: 'The error came from the function or iterable given as "data"; correct it there.',
      cause: error,
    });
  }
}
