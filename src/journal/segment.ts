import { constants, type ZstdOptions, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import {
  DamageError,
  type Digest,
  digestOf,
  errnoOf,
  isJsonArray,
  isJsonObject,
  type Json,
  JsonSyntaxError,
  parseJson,
} from '../base/index.ts';
import type { Value } from './row-inserter.ts';
import { type Column, columnsOf, type JournalVersion } from './schema.ts';

/** A slice of one writer's journal, immutable and self-checking (docs/format/segment.md). */
export const SEGMENT_FORMAT = 'holdfast-segment';
export const SEGMENT_VERSION = 2;
/** No writer makes one this large; a reader refuses more than this, so that a bomb cannot fill memory. */
const SEGMENT_BYTES_MAX = 1024 * 1024 * 1024;

export interface SegmentHeader {
  readonly format: typeof SEGMENT_FORMAT;
  readonly version: JournalVersion;
  readonly run: string;
  readonly writer: string;
  /** In version 1 always the writer's id. */
  readonly chain: string;
  readonly seq: number;
  /** Digest of the bytes of the segment before this one; null for the first [SEG-2]. */
  readonly previous: Digest | null;
  /** For each table the last `n` before this segment; absent in version 1. */
  readonly from?: Cursors;
  /** For each table, the last `n` that this segment and those before it hold. */
  readonly cursors: Cursors;
  /** What the answers of this segment and those before it cost, as far as that is known; absent in version 1. */
  readonly usd?: number;
  /** True when the writer ended in good order and nothing will follow [SEG-5]. */
  readonly last: boolean;
}

export type Cursors = Readonly<Record<string, number>>;

export interface SegmentRow {
  readonly table: string;
  readonly n: number;
  /** The columns of its table; in version 2 the checksum after them. */
  readonly values: readonly Value[];
}

export interface Segment {
  readonly header: SegmentHeader;
  readonly rows: readonly SegmentRow[];
}

export function segmentKey(prefix: string, where: { run: string; chain: string; seq: number }): string {
  return `${segmentPrefix(prefix, where.run)}${where.chain}/${String(where.seq).padStart(8, '0')}.zst`;
}

/** All segments of a run lie below this. */
export function segmentPrefix(prefix: string, run: string): string {
  return `${prefix}${run}/segments/`;
}

/** The name of a writer's chain: later ones are numbered. */
export function chainName(writer: string, number: number): string {
  return number === 1 ? writer : `${writer}~${number}`;
}

/** `<writer>~2` is a later chain of `<writer>`. */
export function parseChainName(chain: string): { readonly writer: string; readonly number: number } {
  const [, writer = chain, number = '1'] = /^(.*)~(\d+)$/s.exec(chain) ?? [];
  return { writer, number: Number(number) };
}

/** Header line, one line a row, and a last line with their count and digest; compressed with zstd's own checksum. */
export function encodeSegment(header: SegmentHeader, rows: readonly string[]): Uint8Array {
  const body = `${[JSON.stringify(header), ...rows].join('\n')}\n`;
  const trailer = `${JSON.stringify({ end: true, rows: rows.length, digest: digestOf(body) })}\n`;
  return zstdCompressSync(body + trailer, {
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

/** The line of one row. */
export function encodeRow({ table, n, values }: SegmentRow): string {
  return JSON.stringify([
    table,
    n,
    ...values.map((value) =>
      value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
    ),
  ]);
}

/** Any bytes give a segment or a DamageError that names the segment [SEG-8]. */
export function decodeSegment(bytes: Uint8Array, name: string): Segment {
  const lines = decompress(bytes, name).split('\n');
  if (lines.pop() !== '') throw damaged(name, 'its last line is cut off');
  const trailer = parseLine(lines.pop() ?? '', name);
  if (!isJsonObject(trailer) || trailer.rows !== lines.length - 1)
    throw damaged(name, 'it does not hold as many rows as it says');
  if (trailer.digest !== digestOf(`${lines.join('\n')}\n`)) throw damaged(name, 'its digest is wrong');
  const header = checkHeader(parseLine(lines[0] ?? '', name), name);
  const rows = lines.slice(1).map((line) => checkRow(parseLine(line, name), header.version, name));
  return { header, rows };
}

/** So many bytes of a segment hold its header, however large it is: the first block of a frame is no larger. */
export const HEADER_BYTES = 192 * 1024;

/** The header alone, of the beginning of a segment: the digest of the whole is not checked. */
export function decodeSegmentHeader(start: Uint8Array, name: string): SegmentHeader {
  const text = decompress(start, name, { finishFlush: constants.ZSTD_e_flush });
  return checkHeader(parseLine(text.slice(0, text.indexOf('\n')), name), name);
}

function decompress(bytes: Uint8Array, name: string, options: ZstdOptions = {}): string {
  try {
    return zstdDecompressSync(bytes, { ...options, maxOutputLength: SEGMENT_BYTES_MAX }).toString('utf8');
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    throw damaged(name, 'it cannot be decompressed', error);
  }
}

function parseLine(line: string, name: string): Json {
  try {
    return parseJson(line);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw damaged(name, 'a line is no JSON', error);
  }
}

function checkHeader(value: Json, name: string): SegmentHeader {
  if (!isJsonObject(value) || value.format !== SEGMENT_FORMAT)
    throw damaged(name, 'it is no Holdfast segment');
  const { version, run, writer, seq, previous = null, from, cursors, usd, last } = value;
  if (version !== 1 && version !== SEGMENT_VERSION) throw newer(name, String(version));
  const chain = version === 1 ? writer : value.chain;
  const isWhole =
    typeof run === 'string' &&
    typeof writer === 'string' &&
    typeof chain === 'string' &&
    typeof seq === 'number' &&
    Number.isSafeInteger(seq) &&
    isDigest(previous) &&
    isCursors(cursors) &&
    (version === 1 || isCursors(from));
  if (!isWhole) throw damaged(name, 'its header lacks a field');
  const header = { format: SEGMENT_FORMAT, version, run, writer, chain, seq, previous, cursors } as const;
  return {
    ...header,
    ...(isCursors(from) ? { from } : {}),
    ...(typeof usd === 'number' ? { usd } : {}),
    last: last === true,
  };
}

function checkRow(value: Json, version: JournalVersion, name: string): SegmentRow {
  const [table, n, ...cells] = isJsonArray(value) ? value : [];
  const columns = typeof table === 'string' ? columnsOf(version, table) : undefined;
  if (typeof table !== 'string' || !columns) throw damaged(name, 'a row names no known table');
  const expected: readonly Column[] =
    version === 1 ? columns : [...columns, { name: 'sum', type: 'integer' }];
  if (typeof n !== 'number' || cells.length !== expected.length)
    throw damaged(name, `a row of ${table} lacks a column`);
  const values = expected.map((column, index) => {
    const cell = checkCell(cells[index] ?? null, column);
    if (cell === undefined) throw damaged(name, `a row of ${table} has a wrong ${column.name}`);
    return cell;
  });
  return { table, n, values };
}

/** Undefined when the value is not of its column's type. */
function checkCell(value: Json, { type, isNullable }: Column): Value | undefined {
  if (value === null) return isNullable ? null : undefined;
  if (type === 'integer') return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
  if (type === 'text') return typeof value === 'string' ? value : undefined;
  return isJsonObject(value) && typeof value.base64 === 'string'
    ? new Uint8Array(Buffer.from(value.base64, 'base64'))
    : undefined;
}

function isCursors(value: Json | undefined): value is Cursors {
  return isJsonObject(value) && Object.values(value).every((cursor) => typeof cursor === 'number');
}

function isDigest(value: Json): value is Digest | null {
  return value === null || typeof value === 'string';
}

function newer(name: string, version: string): DamageError {
  return new DamageError({
    code: 'E_SEGMENT_VERSION',
    message: `Segment ${name} has version ${version}; this Holdfast reads versions 1 to ${SEGMENT_VERSION}.`,
    hint: 'Nothing was changed. Install the Holdfast version that wrote it, or a newer one.',
  });
}

function damaged(name: string, why: string, cause?: unknown): DamageError {
  return new DamageError({
    code: 'E_SEGMENT_DAMAGED',
    message: `Segment ${name} is damaged: ${why}.`,
    hint: 'It was left as it is; everything that the other segments hold is still used.',
    cause,
  });
}
