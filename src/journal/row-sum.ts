import { crc32 } from 'node:zlib';

type Cell = null | number | bigint | string | Uint8Array;

const SEPARATOR = Uint8Array.of(0x1f);
const NULL = Uint8Array.of(0);

/**
 * The checksum of a row [JRN-9]: CRC-32 of the table's name and then of each column (all but `n` and `sum`): an integer as
 * its decimal text, a text as UTF-8, bytes as they are, null as the byte 0; after each the byte 0x1f.
 */
export function rowSum(table: string, values: Iterable<Cell>): number {
  let sum = crc32(table);
  for (const value of values) {
    sum = crc32(bytesOf(value), sum);
    sum = crc32(SEPARATOR, sum);
  }
  return sum;
}

function bytesOf(value: Cell): string | Uint8Array {
  if (value === null) return NULL;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
}
