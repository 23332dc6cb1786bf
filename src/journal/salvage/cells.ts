import type { Value } from '../row-inserter.ts';

/** A record of a table's leaf page, decoded as far as its types say (SQLite's file format, sections 1.6 and 2.1). */
export interface Cell {
  readonly rowId: number;
  /** Serial types of all columns. */
  readonly types: readonly number[];
  /** Decodes the values: it may follow a chain of overflow pages. Undefined when that leads nowhere. */
  values(): readonly Value[] | undefined;
}

export interface CellPlace {
  readonly bytes: Buffer;
  readonly at: number;
  readonly overflow: (page: number) => Buffer | undefined;
}

const LEAF_TABLE = 0x0d;
const COLUMNS_MAX = 16;
const PAYLOAD_BYTES_MAX = 1_000_000_000;

export function isLeafTable(bytes: Buffer, page: number): boolean {
  return bytes[headerAt(page)] === LEAF_TABLE;
}

/** Where the cells of a leaf page begin. */
export function cellPointers(bytes: Buffer, page: number): readonly number[] {
  const header = headerAt(page);
  const count = bytes.readUInt16BE(header + 3);
  const pointers: number[] = [];
  for (let index = 0; index < count; index++) {
    const at = header + 8 + 2 * index;
    if (at + 2 > bytes.length) break;
    pointers.push(bytes.readUInt16BE(at));
  }
  return pointers;
}

/** The first page begins with the header of the file. */
export function headerAt(page: number): number {
  return page === 1 ? 100 : 0;
}

/** Undefined for what is no record whose first column is null, as it is for a number that is also the key. */
export function readCell(place: CellPlace): Cell | undefined {
  const { bytes } = place;
  const payload = readVarint(bytes, place.at);
  if (!payload || payload.value < 4 || payload.value > PAYLOAD_BYTES_MAX) return undefined;
  const rowId = readVarint(bytes, payload.next);
  if (!rowId || rowId.value < 1) return undefined;
  const types = readTypes(bytes, rowId.next);
  if (!types) return undefined;
  const start = rowId.next;
  return {
    rowId: rowId.value,
    types: types.types,
    values: () => {
      const whole = readPayload(place, start, payload.value);
      return whole && decodeValues(whole, types);
    },
  };
}

interface Types {
  readonly types: readonly number[];
  readonly headerBytes: number;
}

function readTypes(bytes: Buffer, at: number): Types | undefined {
  const size = readVarint(bytes, at);
  if (!size || size.value < 3 || size.value > 128) return undefined;
  const types: number[] = [];
  let next = size.next;
  while (next < at + size.value) {
    const type = readVarint(bytes, next);
    if (!type || types.length >= COLUMNS_MAX || (types.length === 0 && type.value !== 0)) return undefined;
    types.push(type.value);
    next = type.next;
  }
  return next === at + size.value ? { types, headerBytes: size.value } : undefined;
}

/** The record's bytes: some in the leaf, the rest in a chain of overflow pages. */
function readPayload({ bytes, overflow }: CellPlace, at: number, length: number): Buffer | undefined {
  const usable = bytes.length;
  const local = localBytes(usable, length);
  if (at + local > usable) return undefined;
  if (local === length) return bytes.subarray(at, at + length);
  if (at + local + 4 > usable) return undefined;
  const parts = [bytes.subarray(at, at + local)];
  const seen = new Set<number>();
  let next = bytes.readUInt32BE(at + local);
  for (let rest = length - local; rest > 0; ) {
    // A damaged chain may lead back to itself: a gigabyte would be read from a few pages.
    const page = next === 0 || seen.has(next) ? undefined : overflow(next);
    if (!page) return undefined;
    seen.add(next);
    next = page.readUInt32BE(0);
    const part = page.subarray(4, 4 + Math.min(rest, usable - 4));
    parts.push(part);
    rest -= part.length;
  }
  return Buffer.concat(parts);
}

function localBytes(usable: number, length: number): number {
  const most = usable - 35;
  if (length <= most) return length;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const some = least + ((length - least) % (usable - 4));
  return some <= most ? some : least;
}

function decodeValues(payload: Buffer, { types, headerBytes }: Types): readonly Value[] | undefined {
  const values: Value[] = [];
  let at = headerBytes;
  for (const type of types) {
    const length = sizeOf(type);
    if (at + length > payload.length) return undefined;
    const value = decodeValue(payload.subarray(at, at + length), type);
    if (typeof value === 'number' && !Number.isSafeInteger(value)) return undefined;
    values.push(value);
    at += length;
  }
  return at === payload.length ? values : undefined;
}

/** How many bytes a value of a serial type takes. Not by shifting bits: a damaged type may be larger than 32 of them. */
export function sizeOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2);
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][type] ?? 0;
}

function decodeValue(bytes: Buffer, type: number): Value {
  if (type === 0) return null;
  if (type >= 12) return type % 2 === 1 ? bytes.toString('utf8') : new Uint8Array(bytes);
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return bytes.readDoubleBE(0);
  return type === 6 ? Number(bytes.readBigInt64BE(0)) : bytes.readIntBE(0, bytes.length);
}

/** Up to nine bytes, seven bits in each. Undefined when it is cut off, or larger than anything we store. */
export function readVarint(
  bytes: Buffer,
  at: number,
): { readonly value: number; readonly next: number } | undefined {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) return undefined;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return value <= Number.MAX_SAFE_INTEGER ? { value, next: at + index + 1 } : undefined;
  }
  return undefined;
}
