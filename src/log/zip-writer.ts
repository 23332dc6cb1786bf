import { crc32 } from 'node:zlib';
import { ActionableError, assert } from '../base/index.ts';
import type { DiskFile } from '../disk/index.ts';
import { type CompressionMethod, compressAtOnce, compressStream, methodNumber } from './compress.ts';
import {
  encodeCentralEntry,
  encodeEnd,
  encodeLocalHeader,
  encodeStreamedLocalHeader,
  type ZipEntry,
} from './zip-format.ts';

const WRITE_BUFFER_BYTES = 1024 * 1024;
/** Up to here a member is compressed in one go; beyond, it is streamed. */
const AT_ONCE_BYTES_MAX = 1024 * 1024;
const DIRECTORY_BLOCK_ENTRIES = 1_000;
const NAME_BYTES_MAX = 0xffff;

/**
 * Appends members to a new ZIP file, one after the other. A member may be of any size: it is never held whole, and its
 * sizes are patched into the local header afterwards [LOG-3].
 *
 * ### Ordering
 * Nothing is durable before `finish`, which writes the directory of members and syncs the file. A file without it is
 * torn, and says so when it is read.
 */
export class ZipWriter {
  readonly #file: DiskFile;
  readonly #method: CompressionMethod;
  readonly #directory: Buffer[] = [];
  #recentEntries: Buffer[] = [];
  #count = 0;
  readonly #buffer = Buffer.allocUnsafe(WRITE_BUFFER_BYTES);
  #bufferedBytes = 0;
  #position = 0;

  constructor(file: DiskFile, method: CompressionMethod) {
    this.#file = file;
    this.#method = method;
  }

  async addMember(name: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    checkName(name);
    const source = toAsyncIterator(chunks);
    try {
      const start: Uint8Array[] = [];
      let startBytes = 0;
      while (startBytes <= AT_ONCE_BYTES_MAX) {
        const next = await source.next();
        if (next.done) return await this.addWhole(name, joined(start));
        start.push(next.value);
        startBytes += next.value.length;
      }
      await this.#addStreamed(name, resume(start, source));
    } finally {
      await source.return(undefined);
    }
  }

  /** A member that is in memory already. */
  async addWhole(name: string, bytes: Uint8Array): Promise<void> {
    checkName(name);
    if (bytes.length > AT_ONCE_BYTES_MAX) return this.#addStreamed(name, resume([bytes]));
    const compressed = compressAtOnce(bytes, this.#method);
    const entry: ZipEntry = {
      name,
      method: methodNumber(this.#method),
      crc: crc32(bytes),
      compressedBytes: compressed.length,
      sizeBytes: bytes.length,
      headerOffset: this.#position,
    };
    await this.#write(encodeLocalHeader(entry));
    await this.#write(compressed);
    this.#list(entry);
  }

  /** A member of another ZIP, as it is: nothing is decoded, and its checksum goes along. */
  async addCompressed(
    member: Omit<ZipEntry, 'headerOffset'>,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const entry: ZipEntry = { ...member, headerOffset: this.#position };
    checkName(entry.name);
    await this.#write(encodeLocalHeader(entry));
    const start = this.#position;
    for await (const chunk of chunks) await this.#write(chunk);
    assert(this.#position - start === entry.compressedBytes, `copied size of ${entry.name} differs`);
    this.#list(entry);
  }

  /** Writes the directory and syncs. The caller closes the file. */
  async finish(): Promise<{ readonly sizeBytes: number }> {
    const offset = this.#position;
    this.#closeDirectoryBlock();
    for (const record of this.#directory) await this.#write(record);
    await this.#write(encodeEnd({ count: this.#count, offset, sizeBytes: this.#position - offset }));
    await this.#flush();
    await this.#file.sync();
    return { sizeBytes: this.#position };
  }

  async #addStreamed(name: string, chunks: AsyncGenerator<Uint8Array>): Promise<void> {
    const blank = { name, method: methodNumber(this.#method), headerOffset: this.#position };
    await this.#write(encodeStreamedLocalHeader({ ...blank, crc: 0, compressedBytes: 0, sizeBytes: 0 }));
    const start = this.#position;
    let crc = 0;
    let sizeBytes = 0;
    async function* counted() {
      for await (const chunk of chunks) {
        crc = crc32(chunk, crc);
        sizeBytes += chunk.length;
        yield chunk;
      }
    }
    await compressStream(counted(), { method: this.#method, write: (bytes) => this.#write(bytes) });
    const entry: ZipEntry = { ...blank, crc, sizeBytes, compressedBytes: this.#position - start };
    await this.#flush();
    await this.#file.write(encodeStreamedLocalHeader(entry), entry.headerOffset);
    this.#list(entry);
  }

  /** The directory is kept encoded and in blocks: 100,000 members take some 8 MB. */
  #list(entry: ZipEntry): void {
    this.#recentEntries.push(encodeCentralEntry(entry));
    this.#count++;
    if (this.#recentEntries.length >= DIRECTORY_BLOCK_ENTRIES) this.#closeDirectoryBlock();
  }

  #closeDirectoryBlock(): void {
    this.#directory.push(Buffer.concat(this.#recentEntries));
    this.#recentEntries = [];
  }

  /** Small writes are copied into one buffer, because the output of a compressor keeps far more memory alive. */
  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#bufferedBytes + bytes.length > WRITE_BUFFER_BYTES) await this.#flush();
    if (bytes.length > WRITE_BUFFER_BYTES) await this.#file.write(bytes, this.#position);
    else {
      this.#buffer.set(bytes, this.#bufferedBytes);
      this.#bufferedBytes += bytes.length;
    }
    this.#position += bytes.length;
  }

  async #flush(): Promise<void> {
    if (this.#bufferedBytes === 0) return;
    const start = this.#position - this.#bufferedBytes;
    await this.#file.write(this.#buffer.subarray(0, this.#bufferedBytes), start);
    this.#bufferedBytes = 0;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
}

function checkName(name: string): void {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return;
  throw new ActionableError({
    code: 'E_LOG_NAME_TOO_LONG',
    message: `The member name "${name.slice(0, 60)}…" is longer than the 65535 bytes a log can hold.`,
    hint: 'Give the sample a shorter id.',
  });
}

async function* resume(
  start: readonly Uint8Array[],
  rest?: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* start;
  while (rest) {
    const next = await rest.next();
    if (next.done) return;
    yield next.value;
  }
}

async function* toAsyncIterator<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
