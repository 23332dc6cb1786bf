/**
 * The records of a ZIP file, as far as logs need them. Values follow what CPython writes, because that is what
 * Inspect's tools have always read, and the rules of its viewer [LOG-3].
 */

export const METHOD_STORED = 0;
export const METHOD_DEFLATE = 8;
export const METHOD_ZSTD = 93;

export const LOCAL_SIGNATURE = 0x04034b50;
export const CENTRAL_SIGNATURE = 0x02014b50;
export const END_SIGNATURE = 0x06054b50;
export const END64_SIGNATURE = 0x06064b50;
export const LOCATOR64_SIGNATURE = 0x07064b50;

export const LOCAL_BYTES = 30;
export const CENTRAL_BYTES = 46;
export const END_BYTES = 22;
export const END64_BYTES = 56;
export const LOCATOR64_BYTES = 20;
/** The end record may be followed by a comment of up to 64 KiB. */
export const END_SEARCH_BYTES = END_BYTES + 0xffff;

const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;
const VERSION_PLAIN = 20;
const VERSION_ZIP64 = 45;
const UNIX_HOST = 3 << 8;
const FLAG_UTF8 = 0x0800;
const EXTERNAL_ATTRIBUTES = 0x01800000;
const ZIP64_EXTRA_ID = 1;
/** 1980-01-01, the first day ZIP knows: the same journal always gives the same bytes [LOG-5]. */
const DOS_DATE = 0x0021;

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly sizeBytes: number;
  /** Where its local header begins. */
  readonly headerOffset: number;
}

/** A local header whose sizes are known. */
export function encodeLocalHeader(entry: ZipEntry): Buffer {
  const isLarge = entry.compressedBytes >= MAX_32 || entry.sizeBytes >= MAX_32;
  return encodeLocal(entry, isLarge);
}

/**
 * A local header that is written before its sizes are known. It always has room for 64-bit sizes, so that patching
 * never moves a byte: CPython's `force_zip64`, which the viewer reads.
 */
export function encodeStreamedLocalHeader(entry: ZipEntry): Buffer {
  return encodeLocal(entry, true);
}

function encodeLocal(entry: ZipEntry, zip64: boolean): Buffer {
  const name = Buffer.from(entry.name, 'utf8');
  const extraBytes = zip64 ? 20 : 0;
  const header = Buffer.alloc(LOCAL_BYTES + name.length + extraBytes);
  header.writeUInt32LE(LOCAL_SIGNATURE, 0);
  header.writeUInt16LE(zip64 ? VERSION_ZIP64 : VERSION_PLAIN, 4);
  header.writeUInt16LE(flagsOf(name), 6);
  header.writeUInt16LE(entry.method, 8);
  header.writeUInt16LE(DOS_DATE, 12);
  header.writeUInt32LE(entry.crc, 14);
  header.writeUInt32LE(zip64 ? MAX_32 : entry.compressedBytes, 18);
  header.writeUInt32LE(zip64 ? MAX_32 : entry.sizeBytes, 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extraBytes, 28);
  name.copy(header, LOCAL_BYTES);
  if (zip64) {
    const at = LOCAL_BYTES + name.length;
    header.writeUInt16LE(ZIP64_EXTRA_ID, at);
    header.writeUInt16LE(16, at + 2);
    writeUInt64(header, entry.sizeBytes, at + 4);
    writeUInt64(header, entry.compressedBytes, at + 12);
  }
  return header;
}

export function encodeCentralEntry(entry: ZipEntry): Buffer {
  const name = Buffer.from(entry.name, 'utf8');
  const large = [entry.sizeBytes, entry.compressedBytes, entry.headerOffset].filter(
    (value) => value >= MAX_32,
  );
  const extraBytes = large.length > 0 ? 4 + 8 * large.length : 0;
  const record = Buffer.alloc(CENTRAL_BYTES + name.length + extraBytes);
  const version = large.length > 0 ? VERSION_ZIP64 : VERSION_PLAIN;
  record.writeUInt32LE(CENTRAL_SIGNATURE, 0);
  record.writeUInt16LE(UNIX_HOST | version, 4);
  record.writeUInt16LE(version, 6);
  record.writeUInt16LE(flagsOf(name), 8);
  record.writeUInt16LE(entry.method, 10);
  record.writeUInt16LE(DOS_DATE, 14);
  record.writeUInt32LE(entry.crc, 16);
  record.writeUInt32LE(Math.min(entry.compressedBytes, MAX_32), 20);
  record.writeUInt32LE(Math.min(entry.sizeBytes, MAX_32), 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(extraBytes, 30);
  record.writeUInt32LE(EXTERNAL_ATTRIBUTES, 38);
  record.writeUInt32LE(Math.min(entry.headerOffset, MAX_32), 42);
  name.copy(record, CENTRAL_BYTES);
  if (large.length > 0) {
    let at = CENTRAL_BYTES + name.length;
    record.writeUInt16LE(ZIP64_EXTRA_ID, at);
    record.writeUInt16LE(8 * large.length, at + 2);
    at += 4;
    for (const value of large) {
      writeUInt64(record, value, at);
      at += 8;
    }
  }
  return record;
}

export interface CentralDirectory {
  readonly count: number;
  readonly offset: number;
  readonly sizeBytes: number;
}

/**
 * The records at the end. The viewer looks for the 64-bit ones only when offset or size is 0xFFFFFFFF, so when the
 * count alone overflows, those two are masked as well.
 */
export function encodeEnd(directory: CentralDirectory): Buffer {
  const { count, offset, sizeBytes } = directory;
  const isLarge = count >= MAX_16 || offset >= MAX_32 || sizeBytes >= MAX_32;
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(END_SIGNATURE, 0);
  end.writeUInt16LE(isLarge ? MAX_16 : count, 8);
  end.writeUInt16LE(isLarge ? MAX_16 : count, 10);
  end.writeUInt32LE(isLarge ? MAX_32 : sizeBytes, 12);
  end.writeUInt32LE(isLarge ? MAX_32 : offset, 16);
  if (!isLarge) return end;

  const end64 = Buffer.alloc(END64_BYTES);
  end64.writeUInt32LE(END64_SIGNATURE, 0);
  writeUInt64(end64, END64_BYTES - 12, 4);
  end64.writeUInt16LE(UNIX_HOST | VERSION_ZIP64, 12);
  end64.writeUInt16LE(VERSION_ZIP64, 14);
  writeUInt64(end64, count, 24);
  writeUInt64(end64, count, 32);
  writeUInt64(end64, sizeBytes, 40);
  writeUInt64(end64, offset, 48);

  const locator = Buffer.alloc(LOCATOR64_BYTES);
  locator.writeUInt32LE(LOCATOR64_SIGNATURE, 0);
  writeUInt64(locator, offset + sizeBytes, 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([end64, locator, end]);
}

/** The 64-bit sizes of a local header or central entry, in the order in which they are masked. */
export function readZip64Extra(extra: Buffer): readonly number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const id = extra.readUInt16LE(at);
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (id === ZIP64_EXTRA_ID) {
      const values: number[] = [];
      for (let value = at + 4; value + 8 <= Math.min(end, extra.length); value += 8) {
        values.push(readUInt64(extra, value));
      }
      return values;
    }
    at = end;
  }
  return [];
}

/** Replaces each field that says "see the extra" by its 64-bit value; undefined when one is missing. */
export function unmask(fields: readonly number[], extra: Buffer): readonly number[] | undefined {
  if (!fields.includes(MAX_32)) return fields;
  const values = [...readZip64Extra(extra)];
  const result = fields.map((field) => (field === MAX_32 ? values.shift() : field));
  return result.every((field) => field !== undefined) ? result : undefined;
}

export function isMasked(value: number): boolean {
  return value === MAX_32;
}

/** Beyond 2^53 nothing is a real size; such a value is kept as the largest safe one, and fails as out of bounds. */
export function readUInt64(buffer: Buffer, at: number): number {
  const value = buffer.readUInt32LE(at) + buffer.readUInt32LE(at + 4) * 2 ** 32;
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}

function writeUInt64(buffer: Buffer, value: number, at: number): void {
  buffer.writeUInt32LE(value % 2 ** 32, at);
  buffer.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
}

function flagsOf(name: Buffer): number {
  return name.some((byte) => byte > 0x7f) ? FLAG_UTF8 : 0;
}
