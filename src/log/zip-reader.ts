import { crc32 } from 'node:zlib';
import { type ByteSource, readChunks } from './byte-source.ts';
import { decompressAtOnce, decompressStream, isKnownMethod } from './decompress.ts';
import { logErrors } from './log-errors.ts';
import {
  CENTRAL_BYTES,
  CENTRAL_SIGNATURE,
  type CentralDirectory,
  END_BYTES,
  END_SEARCH_BYTES,
  END_SIGNATURE,
  END64_BYTES,
  END64_SIGNATURE,
  isMasked,
  LOCAL_BYTES,
  LOCAL_SIGNATURE,
  LOCATOR64_BYTES,
  LOCATOR64_SIGNATURE,
  readUInt64,
  unmask,
  type ZipEntry,
} from './zip-format.ts';

export interface ReadLimits {
  /** The largest member, decompressed. */
  readonly memberSizeBytesMax: number;
  /** Decompressed to compressed size, minded only for members beyond `ratioFromBytes`. */
  readonly ratioMax: number;
  readonly ratioFromBytes: number;
  /** The largest JSON value that is parsed at once: one event, one attachment, one field. */
  readonly valueSizeBytesMax: number;
  /** The largest sample that `sample()` holds in memory whole. */
  readonly sampleSizeBytesMax: number;
}

export const DEFAULT_LIMITS: ReadLimits = {
  memberSizeBytesMax: 64 * 2 ** 30,
  ratioMax: 10_000,
  ratioFromBytes: 2 ** 30,
  valueSizeBytesMax: 2 ** 28,
  sampleSizeBytesMax: 2 ** 30,
};

const DIRECTORY_BYTES_MAX = 2 ** 30;
const AT_ONCE_BYTES_MAX = 4 * 2 ** 20;

/** Reads a ZIP through its directory. A name that is there twice means its last entry [LOG-20]. */
export class ZipReader {
  readonly source: ByteSource;
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly #limits: ReadLimits;

  private constructor(source: ByteSource, entries: ReadonlyMap<string, ZipEntry>, limits: ReadLimits) {
    this.source = source;
    this.entries = entries;
    this.#limits = limits;
  }

  static async open(source: ByteSource, limits: ReadLimits = DEFAULT_LIMITS): Promise<ZipReader> {
    const directory = await findDirectory(source);
    return new ZipReader(source, await readDirectory(source, directory), limits);
  }

  /** For a file without a directory: entries that a scan has found. */
  static ofEntries(
    source: ByteSource,
    entries: ReadonlyMap<string, ZipEntry>,
    limits = DEFAULT_LIMITS,
  ): ZipReader {
    return new ZipReader(source, entries, limits);
  }

  /** The decompressed bytes, checked against the directory's size and checksum at the end. */
  async *readMember(entry: ZipEntry): AsyncGenerator<Uint8Array> {
    this.#checkLimits(entry);
    const isSmall = entry.compressedBytes <= AT_ONCE_BYTES_MAX && entry.sizeBytes <= AT_ONCE_BYTES_MAX;
    const chunks = isSmall ? this.#readAtOnce(entry) : this.#decompress(entry);
    let crc = 0;
    let sizeBytes = 0;
    for await (const chunk of chunks) {
      crc = crc32(chunk, crc);
      sizeBytes += chunk.length;
      if (sizeBytes > entry.sizeBytes) throw logErrors.truncated(this.source.name, entry.name);
      yield chunk;
    }
    if (sizeBytes !== entry.sizeBytes) throw logErrors.truncated(this.source.name, entry.name);
    if (crc !== entry.crc) throw logErrors.checksum(this.source.name, entry.name);
  }

  /** The compressed bytes as they are, all of them or an error. */
  async *readCompressed(entry: ZipEntry): AsyncGenerator<Uint8Array> {
    const start = await this.#dataStart(entry);
    let left = entry.compressedBytes;
    for await (const chunk of readChunks(this.source, start, start + entry.compressedBytes)) {
      left -= chunk.length;
      yield chunk;
    }
    if (left !== 0) throw logErrors.truncated(this.source.name, entry.name);
  }

  async *#readAtOnce(entry: ZipEntry): AsyncGenerator<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const chunk of this.readCompressed(entry)) parts.push(chunk);
    const bytes = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
    yield this.#translate(entry, () => decompressAtOnce(bytes, entry.method, entry.sizeBytes));
  }

  async *#decompress(entry: ZipEntry): AsyncGenerator<Uint8Array> {
    const chunks = decompressStream(this.readCompressed(entry), entry.method);
    try {
      while (true) {
        const next = await chunks.next().catch((error: unknown) => this.#rethrow(entry, error));
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await chunks.return(undefined);
    }
  }

  #translate<T>(entry: ZipEntry, decode: () => T): T {
    try {
      return decode();
    } catch (error) {
      return this.#rethrow(entry, error);
    }
  }

  /** What the decoders throw is about these bytes; what the source throws (EIO, our own errors) is passed on. */
  #rethrow(entry: ZipEntry, error: unknown): never {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    const isDecoder =
      error instanceof RangeError ||
      (typeof code === 'string' && /^(Z_|ZSTD_error|ERR_(BUFFER|ZSTD|ZLIB))/.test(code));
    if (isDecoder) throw logErrors.truncated(this.source.name, entry.name, error);
    throw error;
  }

  /** The name and extra field of the local header may differ in length from the directory's, so it must be read. */
  async #dataStart(entry: ZipEntry): Promise<number> {
    const header = Buffer.from(await this.source.read(entry.headerOffset, LOCAL_BYTES));
    if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE) {
      throw logErrors.truncated(this.source.name, entry.name);
    }
    return entry.headerOffset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  }

  #checkLimits(entry: ZipEntry): void {
    const { name } = this.source;
    if (!isKnownMethod(entry.method)) throw logErrors.method(name, entry.name, entry.method);
    if (entry.sizeBytes > this.#limits.memberSizeBytesMax) {
      throw logErrors.tooLarge(name, entry.name, `it unfolds to ${entry.sizeBytes} bytes`);
    }
    const ratio = entry.sizeBytes / Math.max(entry.compressedBytes, 1);
    if (entry.sizeBytes > this.#limits.ratioFromBytes && ratio > this.#limits.ratioMax) {
      throw logErrors.tooLarge(name, entry.name, `it unfolds to ${Math.round(ratio)} times its size`);
    }
  }
}

async function findDirectory(source: ByteSource): Promise<CentralDirectory> {
  const searched = Math.min(END_SEARCH_BYTES, source.sizeBytes);
  const tailStart = source.sizeBytes - searched;
  const tail = Buffer.from(await source.read(tailStart, searched));
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    const plain = {
      count: tail.readUInt16LE(at + 10),
      sizeBytes: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    };
    const isLarge = plain.count === 0xffff || isMasked(plain.sizeBytes) || isMasked(plain.offset);
    const large = isLarge ? await readEnd64(source, tailStart + at) : undefined;
    const directory = large ?? plain;
    if (directory.offset + directory.sizeBytes <= tailStart + at) return directory;
  }
  throw logErrors.torn(source.name, 'it has no end record, so its writing was cut off');
}

async function readEnd64(source: ByteSource, endOffset: number): Promise<CentralDirectory | undefined> {
  if (endOffset < LOCATOR64_BYTES) return undefined;
  const locator = Buffer.from(await source.read(endOffset - LOCATOR64_BYTES, LOCATOR64_BYTES));
  if (locator.length < LOCATOR64_BYTES || locator.readUInt32LE(0) !== LOCATOR64_SIGNATURE) return undefined;
  const offset = readUInt64(locator, 8);
  if (offset + END64_BYTES > endOffset) return undefined;
  const end = Buffer.from(await source.read(offset, END64_BYTES));
  if (end.length < END64_BYTES || end.readUInt32LE(0) !== END64_SIGNATURE) return undefined;
  return { count: readUInt64(end, 32), sizeBytes: readUInt64(end, 40), offset: readUInt64(end, 48) };
}

async function readDirectory(
  source: ByteSource,
  directory: CentralDirectory,
): Promise<Map<string, ZipEntry>> {
  if (directory.sizeBytes > DIRECTORY_BYTES_MAX) {
    throw logErrors.tooLarge(source.name, 'the directory', `it has ${directory.sizeBytes} bytes`);
  }
  const bytes = Buffer.from(await source.read(directory.offset, directory.sizeBytes));
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let index = 0; index < directory.count; index++) {
    const decoded = decodeCentralEntry(bytes, at);
    if (!decoded) throw logErrors.torn(source.name, `entry ${index + 1} of its directory is damaged`);
    entries.set(decoded.entry.name, decoded.entry);
    at = decoded.end;
  }
  return entries;
}

function decodeCentralEntry(bytes: Buffer, at: number): { entry: ZipEntry; end: number } | undefined {
  if (at + CENTRAL_BYTES > bytes.length || bytes.readUInt32LE(at) !== CENTRAL_SIGNATURE) return undefined;
  const nameEnd = at + CENTRAL_BYTES + bytes.readUInt16LE(at + 28);
  const extraEnd = nameEnd + bytes.readUInt16LE(at + 30);
  const end = extraEnd + bytes.readUInt16LE(at + 32);
  if (end > bytes.length) return undefined;
  const masked = [bytes.readUInt32LE(at + 24), bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)];
  const sizes = unmask(masked, bytes.subarray(nameEnd, extraEnd));
  if (!sizes) return undefined;
  const [sizeBytes = 0, compressedBytes = 0, headerOffset = 0] = sizes;
  const entry: ZipEntry = {
    name: bytes.toString('utf8', at + CENTRAL_BYTES, nameEnd),
    method: bytes.readUInt16LE(at + 10),
    crc: bytes.readUInt32LE(at + 16),
    compressedBytes,
    sizeBytes,
    headerOffset,
  };
  return { entry, end };
}
