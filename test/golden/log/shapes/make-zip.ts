/**
 * ZIP files as other programs wrote them. It shares nothing with our own writer, so that a mistake there cannot hide itself
 * in golden data, and it writes what ours never does: comments, data descriptors, 64-bit fields where none are needed.
 */
import { constants, crc32, deflateRawSync, zstdCompressSync } from 'node:zlib';

export interface ZipMember {
  readonly name: string;
  readonly text: string;
  readonly method?: 'stored' | 'deflate' | 'zstd';
  /** Cuts the text into so many zstd frames. */
  readonly frames?: number;
  /** `local`: sizes are 64-bit in the local header only, as a streaming writer leaves them; `all`: in the directory too. */
  readonly wide?: 'local' | 'all';
  /** Sizes and checksum stand behind the data, and are zero in the local header. */
  readonly hasDescriptor?: boolean;
}

export interface ZipOptions {
  readonly comment?: string;
  /** Writes the 64-bit end record and masks the plain one. */
  readonly wideEnd?: boolean;
}

const METHODS = { stored: 0, deflate: 8, zstd: 93 };
const MASK = 0xffffffff;

export function makeZip(members: readonly ZipMember[], options: ZipOptions = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const data = compressed(member);
    const entry = { member, data, offset, crc: crc32(member.text), size: Buffer.byteLength(member.text) };
    const bytes = Buffer.concat([localHeader(entry), data, descriptor(entry)]);
    parts.push(bytes);
    directory.push(centralEntry(entry));
    offset += bytes.length;
  }
  const central = Buffer.concat(directory);
  return Buffer.concat([...parts, central, end(members.length, central.length, offset, options)]);
}

interface Entry {
  readonly member: ZipMember;
  readonly data: Buffer;
  readonly offset: number;
  readonly crc: number;
  readonly size: number;
}

function compressed({ text, method = 'stored', frames = 1 }: ZipMember): Buffer {
  const bytes = Buffer.from(text);
  if (method === 'stored') return bytes;
  if (method === 'deflate') return deflateRawSync(bytes, { level: 5 });
  const step = Math.ceil(bytes.length / frames);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += step) {
    const params = { [constants.ZSTD_c_contentSizeFlag]: 0 };
    pieces.push(zstdCompressSync(bytes.subarray(at, at + step), { params }));
  }
  return Buffer.concat(pieces);
}

function localHeader({ member, data, crc, size }: Entry): Buffer {
  const isWide = member.wide !== undefined;
  const extra = isWide ? wideExtra([size, data.length]) : Buffer.alloc(0);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(isWide ? 45 : 20, 4);
  header.writeUInt16LE(flagsOf(member), 6);
  header.writeUInt16LE(METHODS[member.method ?? 'stored'], 8);
  header.writeUInt16LE(0x21, 12);
  if (!member.hasDescriptor) {
    header.writeUInt32LE(crc, 14);
    header.writeUInt32LE(isWide ? MASK : data.length, 18);
    header.writeUInt32LE(isWide ? MASK : size, 22);
  }
  header.writeUInt16LE(Buffer.byteLength(member.name), 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, Buffer.from(member.name), extra]);
}

function descriptor({ member, data, crc, size }: Entry): Buffer {
  if (!member.hasDescriptor) return Buffer.alloc(0);
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  bytes.writeUInt32LE(data.length, 8);
  bytes.writeUInt32LE(size, 12);
  return bytes;
}

function centralEntry({ member, data, crc, size, offset }: Entry): Buffer {
  const isWide = member.wide === 'all';
  const extra = isWide ? wideExtra([size, data.length, offset]) : Buffer.alloc(0);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(0x0314, 4);
  entry.writeUInt16LE(isWide ? 45 : 20, 6);
  entry.writeUInt16LE(flagsOf(member), 8);
  entry.writeUInt16LE(METHODS[member.method ?? 'stored'], 10);
  entry.writeUInt16LE(0x21, 14);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(isWide ? MASK : data.length, 20);
  entry.writeUInt32LE(isWide ? MASK : size, 24);
  entry.writeUInt16LE(Buffer.byteLength(member.name), 28);
  entry.writeUInt16LE(extra.length, 30);
  entry.writeUInt32LE(0x01800000, 38);
  entry.writeUInt32LE(isWide ? MASK : offset, 42);
  return Buffer.concat([entry, Buffer.from(member.name), extra]);
}

function flagsOf({ name, hasDescriptor }: ZipMember): number {
  const isAscii = [...name].every((char) => char < '\u0080');
  return (isAscii ? 0 : 0x0800) | (hasDescriptor ? 0x0008 : 0);
}

function wideExtra(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + values.length * 8);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(values.length * 8, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + index * 8);
  return extra;
}

function end(count: number, sizeBytes: number, offset: number, options: ZipOptions): Buffer {
  const comment = Buffer.from(options.comment ?? '');
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(options.wideEnd ? 0xffff : count, 8);
  record.writeUInt16LE(options.wideEnd ? 0xffff : count, 10);
  record.writeUInt32LE(options.wideEnd ? MASK : sizeBytes, 12);
  record.writeUInt32LE(options.wideEnd ? MASK : offset, 16);
  record.writeUInt16LE(comment.length, 20);
  if (!options.wideEnd) return Buffer.concat([record, comment]);
  const wide = Buffer.alloc(56);
  wide.writeUInt32LE(0x06064b50, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeUInt16LE(45, 12);
  wide.writeUInt16LE(45, 14);
  wide.writeBigUInt64LE(BigInt(count), 24);
  wide.writeBigUInt64LE(BigInt(count), 32);
  wide.writeBigUInt64LE(BigInt(sizeBytes), 40);
  wide.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + sizeBytes), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([wide, locator, record, comment]);
}
