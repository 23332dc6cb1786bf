import { ActionableError, errnoOf } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
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
  const sizeBytes = await file.sizeBytes();
  return windowedSource({
    name: path,
    sizeBytes,
    windowBytes: WINDOW_BYTES,
    readNow: async (position, length) => {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, await file.read(bytes, position));
    },
    close: () => file.close(),
  });
}

interface WindowOptions {
  readonly name: string;
  readonly sizeBytes: number;
  readonly windowBytes: number;
  /** Never asked for more than there is. */
  readonly readNow: (position: number, length: number) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}

/** Samples that run at the same time are read at places that are near each other, but not the same. */
const WINDOWS_MAX = 4;

/**
 * Small reads are served from a few windows of the bytes, because members lie one after the other and asking the system
 * for each header and each body costs more than decoding them.
 */
function windowedSource(options: WindowOptions): ByteSource {
  return new WindowedSource(options);
}

class WindowedSource implements ByteSource {
  readonly #options: WindowOptions;
  /** The latest first. */
  #windows: readonly { readonly start: number; readonly bytes: Uint8Array }[] = [];

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get sizeBytes(): number {
    return this.#options.sizeBytes;
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    for (const { start, bytes } of this.#windows) {
      const from = position - start;
      if (from >= 0 && from + length <= bytes.length) return bytes.subarray(from, from + length);
    }
    if (length > this.#options.windowBytes / 2) return this.#readNow(position, length);
    const bytes = await this.#readNow(position, this.#options.windowBytes);
    this.#windows = [{ start: position, bytes }, ...this.#windows.slice(0, WINDOWS_MAX - 1)];
    return bytes.subarray(0, length);
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  #readNow(position: number, length: number): Promise<Uint8Array> {
    const left = Math.max(this.sizeBytes - position, 0);
    return this.#options.readNow(position, Math.min(length, left));
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
