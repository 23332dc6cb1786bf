import { ActionableError, errnoOf } from '../base/index.ts';
import type { Disk, DiskFile } from '../disk/index.ts';
import { logErrors } from './log-errors.ts';

/** Bytes that can be read anywhere: a file today, ranges of an object in a bucket as well. */
export interface ByteSource {
  /** How errors call it: a path or an address. */
  readonly name: string;
  readonly sizeBytes: number;
  /** The bytes from `position`; fewer than `length` only at the end. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens a file for reading. What is missing, a directory or empty is said as such. */
export async function openFileSource(disk: Disk, path: string): Promise<ByteSource> {
  const stat = await disk.stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!stat) throw logErrors.notFound(path);
  if (stat.kind === 'directory') throw logErrors.isDirectory(path);
  const file = await disk.open(path, 'read').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') throw logErrors.notFound(path);
    throw unreadable(path, error);
  });
  return new FileSource(path, file, await file.sizeBytes());
}

/**
 * Small reads are served from one window of the file, because members lie one after the other and asking the system
 * for each header and each body costs more than decoding them.
 */
class FileSource implements ByteSource {
  readonly name: string;
  readonly sizeBytes: number;
  readonly #file: DiskFile;
  #window: Uint8Array = new Uint8Array();
  #windowStart = 0;

  constructor(name: string, file: DiskFile, sizeBytes: number) {
    this.name = name;
    this.sizeBytes = sizeBytes;
    this.#file = file;
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const start = position - this.#windowStart;
    if (start >= 0 && start + length <= this.#window.length)
      return this.#window.subarray(start, start + length);
    if (length > WINDOW_BYTES / 2) return this.#readNow(position, length);
    const window = await this.#readNow(position, WINDOW_BYTES);
    this.#window = window;
    this.#windowStart = position;
    return window.subarray(0, length);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #readNow(position: number, length: number): Promise<Uint8Array> {
    const left = Math.max(this.sizeBytes - position, 0);
    const bytes = Buffer.allocUnsafe(Math.min(length, left));
    return bytes.subarray(0, await this.#file.read(bytes, position));
  }
}

/** Bytes in memory, for tests and small downloads. */
export function memorySource(name: string, bytes: Uint8Array): ByteSource {
  return {
    name,
    sizeBytes: bytes.length,
    read: async (position, length) => bytes.subarray(position, position + length),
    close: async () => undefined,
  };
}

const WINDOW_BYTES = 128 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** A part of a source in chunks. It ends early when the source does: the caller counts. */
export async function* readChunks(
  source: ByteSource,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (let position = start; position < end; ) {
    const chunk = await source.read(position, Math.min(CHUNK_BYTES, end - position));
    if (chunk.length === 0) return;
    yield chunk;
    position += chunk.length;
  }
}

function unreadable(path: string, cause: unknown): ActionableError {
  return new ActionableError({
    code: 'E_LOG_UNREADABLE',
    message: `${path} cannot be opened (${errnoOf(cause) ?? 'unknown error'}).`,
    hint: 'Check that the file may be read by this user.',
    cause,
  });
}
