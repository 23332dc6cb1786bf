import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import {
  DamageError,
  type Digest,
  digestOf,
  errnoOf,
  type Json,
  JsonSyntaxError,
  parseJson,
} from '../base/index.ts';
import { SHIPPED_TABLES, type ShippedTable } from './schema.ts';

/** A slice of one writer's journal, immutable and self-checking (docs/format/segment.md). */
export const SEGMENT_FORMAT = 'holdfast-segment';
export const SEGMENT_VERSION = 1;
/** No writer makes one this large; a reader refuses more than this, so that a bomb cannot fill memory. */
const SEGMENT_BYTES_MAX = 1024 * 1024 * 1024;

export interface SegmentHeader {
  readonly format: typeof SEGMENT_FORMAT;
  readonly version: number;
  readonly run: string;
  readonly writer: string;
  readonly seq: number;
  /** Digest of the bytes of the segment before this one; null for the first [SEG-2]. */
  readonly previous: Digest | null;
  /** For each table, the last `n` that this segment and those before it hold. */
  readonly cursors: Cursors;
  /** True when the writer ended in good order and nothing will follow [SEG-5]. */
  readonly last: boolean;
}

export type Cursors = Readonly<Record<ShippedTable, number>>;
/** A table's name and the values of its columns. */
export type SegmentRow = readonly [ShippedTable, ...Json[]];

export interface Segment {
  readonly header: SegmentHeader;
  readonly rows: readonly SegmentRow[];
}

export function segmentKey(prefix: string, where: { run: string; writer: string; seq: number }): string {
  return `${segmentPrefix(prefix, where.run)}${where.writer}/${String(where.seq).padStart(8, '0')}.zst`;
}

/** All segments of a run lie below this. */
export function segmentPrefix(prefix: string, run: string): string {
  return `${prefix}${run}/segments/`;
}

/** Header line, one line a row, and a last line with their count and digest; compressed with zstd's own checksum. */
export function encodeSegment(header: SegmentHeader, rows: readonly string[]): Uint8Array {
  const body = `${[JSON.stringify(header), ...rows].join('\n')}\n`;
  const trailer = `${JSON.stringify({ end: true, rows: rows.length, digest: digestOf(body) })}\n`;
  return zstdCompressSync(body + trailer, {
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

/** Any bytes give a segment or a DamageError that names the segment. */
export function decodeSegment(bytes: Uint8Array, name: string): Segment {
  const lines = decompress(bytes, name).split('\n');
  if (lines.pop() !== '') throw damaged(name, 'its last line is cut off');
  const trailer = parseLine(lines.pop() ?? '', name) as { rows?: Json; digest?: Json } | null;
  if (trailer?.rows !== lines.length - 1) throw damaged(name, 'it does not hold as many rows as it says');
  if (trailer.digest !== digestOf(`${lines.join('\n')}\n`)) throw damaged(name, 'its digest is wrong');
  const header = checkHeader(parseLine(lines[0] ?? '', name), name);
  return { header, rows: lines.slice(1).map((line) => checkRow(parseLine(line, name), name)) };
}

function decompress(bytes: Uint8Array, name: string): string {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: SEGMENT_BYTES_MAX }).toString('utf8');
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
  const header = value as unknown as SegmentHeader | null;
  if (header?.format !== SEGMENT_FORMAT) throw damaged(name, 'it is no Holdfast segment');
  if (header.version !== SEGMENT_VERSION) {
    throw new DamageError({
      code: 'E_SEGMENT_VERSION',
      message: `Segment ${name} has version ${header.version}; this Holdfast reads version ${SEGMENT_VERSION}.`,
      hint: 'Nothing was changed. Install the Holdfast version that wrote it, or a newer one.',
    });
  }
  const isWhole =
    typeof header.run === 'string' &&
    typeof header.writer === 'string' &&
    Number.isSafeInteger(header.seq) &&
    typeof header.cursors === 'object' &&
    header.cursors !== null;
  if (!isWhole) throw damaged(name, 'its header lacks a field');
  return header;
}

function checkRow(value: Json, name: string): SegmentRow {
  const table = Array.isArray(value) ? value[0] : undefined;
  if (typeof table !== 'string' || !Object.hasOwn(SHIPPED_TABLES, table)) {
    throw damaged(name, 'a row names no known table');
  }
  const row = value as unknown as SegmentRow;
  if (row.length !== SHIPPED_TABLES[row[0]].length + 1)
    throw damaged(name, `a row of ${table} lacks a column`);
  return row;
}

function damaged(name: string, why: string, cause?: unknown): DamageError {
  return new DamageError({
    code: 'E_SEGMENT_DAMAGED',
    message: `Segment ${name} is damaged: ${why}.`,
    hint: 'It was left as it is; everything that the other segments hold is still used.',
    cause,
  });
}
