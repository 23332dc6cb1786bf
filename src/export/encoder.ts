import type { Cell } from './column.ts';

/** Writes the rows of one table in one format. Calls must not overlap; after `finish` there is no more. */
export interface Encoder {
  /** Cells in the order of the columns. */
  add(row: readonly Cell[]): Promise<void>;
  finish(): Promise<void>;
}

/** Where the bytes go. */
export interface ByteSink {
  append(bytes: Uint8Array): Promise<void>;
}
