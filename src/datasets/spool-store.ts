/** Rows that come once (from iterables and functions), kept so that they can be read again. */
import { deserialize, serialize } from 'node:v8';
import { ActionableError, messageOf, UsageError } from '../base/index.ts';
import { type Disk, type DiskFile, tempPathFor } from '../disk/index.ts';
import { badRow } from './data-error.ts';
import { type RowStore, rowNumber } from './row-store.ts';

export interface SpoolInput {
  readonly source: () => Promise<Iterable<unknown> | AsyncIterable<unknown>>;
  readonly disk: Disk;
  readonly tempDir: string;
}

/** Below this, rows stay in memory; above it they go to a temporary file, which `close` removes. */
const MEMORY_BYTES_MAX = 4 * 1024 * 1024;
const WRITE_BYTES = 1024 * 1024;

/**
 * Rows are kept as V8 serialises them rather than as JSON: NaN, big integers, dates and lone surrogates come back as
 * they were, so that it makes no difference to the target how large the data is.
 */
export function spoolStore({ source, disk, tempDir }: SpoolInput): RowStore {
  const spool = new Spool(disk, tempDir);
  return {
    async *rows() {
      let index = 0;
      for await (const row of guarded(source)) {
        await spool.add(serialized(row, rowNumber(index)));
        index++;
        yield row;
      }
      await spool.finish();
    },
    read: async (index) => deserialize(await spool.read(index)),
    place: rowNumber,
    close: () => spool.close(),
  };
}

class Spool {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #ends: number[] = [];
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #writtenBytes = 0;
  #file: DiskFile | undefined;

  constructor(disk: Disk, tempDir: string) {
    this.#disk = disk;
    this.#path = tempPathFor(`${tempDir}/rows`);
  }

  async add(bytes: Uint8Array): Promise<void> {
    this.#ends.push((this.#ends.at(-1) ?? 0) + bytes.length);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= (this.#file === undefined ? MEMORY_BYTES_MAX : WRITE_BYTES))
      await this.#write();
  }

  async finish(): Promise<void> {
    if (this.#file !== undefined) await this.#write();
  }

  async read(index: number): Promise<Uint8Array> {
    if (this.#file === undefined) return this.#pending[index] ?? new Uint8Array(0);
    const start = this.#ends[index - 1] ?? 0;
    const bytes = new Uint8Array((this.#ends[index] ?? start) - start);
    await this.#file.read(bytes, start);
    return bytes;
  }

  async close(): Promise<void> {
    this.#pending = [];
    if (this.#file === undefined) return;
    await this.#file.close();
    await this.#disk.remove(this.#path);
  }

  async #write(): Promise<void> {
    this.#file ??= await this.#disk.open(this.#path, 'create');
    await this.#file.write(Buffer.concat(this.#pending), this.#writtenBytes);
    this.#writtenBytes += this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

function serialized(row: unknown, place: string): Uint8Array {
  try {
    return serialize(row);
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
