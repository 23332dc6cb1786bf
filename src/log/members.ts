import type { ZipEntry } from './zip-format.ts';

/** The documents of a log by name, wherever they are: members of a ZIP, or objects of a git repository. */
export interface Members {
  readonly source: { readonly name: string; readonly sizeBytes: number; close(): Promise<void> };
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** The whole bytes, checked at the end. */
  readMember(entry: ZipEntry): AsyncIterable<Uint8Array>;
  /** The compressed bytes as they are; absent where documents are not kept as a ZIP has them. */
  readCompressed?(entry: ZipEntry): AsyncIterable<Uint8Array>;
}
