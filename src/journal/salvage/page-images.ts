import { openSyncFile, type SyncFile } from '../../disk/index.ts';
import { DATABASE_MAGIC as MAGIC, PAGE_BYTES } from '../database.ts';
import { isPageSize, readWal, type Wal, type WalFrame } from './wal-frames.ts';

/** The bytes of one page, as they were at one time. */
export interface PageImage {
  readonly page: number;
  readonly bytes: Buffer;
  /** True when SQLite itself would read the page so. */
  readonly isCurrent: boolean;
}

/**
 * Every image of every page that a damaged database still has: those in the file, and all in its write-ahead log, also
 * those that SQLite would not read any more. Read one by one, so memory stays small.
 */
export class PageImages implements Disposable {
  readonly pageBytes: number;
  /** What the header says; undefined when the first page is damaged. */
  readonly version: number | undefined;
  readonly #file: SyncFile | undefined;
  readonly #log: SyncFile | undefined;
  readonly #wal: Wal | undefined;
  /** Where the newest image of a page in the log is, and where the newest that SQLite would read is. */
  readonly #newest = new Map<number, WalFrame>();
  readonly #readable = new Map<number, WalFrame>();

  constructor(path: string, { withLog }: { readonly withLog: boolean }) {
    this.#file = openSyncFile(path, 'read');
    this.#log = withLog ? openSyncFile(`${path}-wal`, 'read') : undefined;
    const header = Buffer.alloc(100);
    this.#file?.read(header, 0);
    const said = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    const isSound = header.toString('latin1', 0, MAGIC.length) === MAGIC && isPageSize(said);
    this.#wal = this.#log && readWal(`${path}-wal`, isSound ? said : PAGE_BYTES);
    this.pageBytes = isSound ? said : (this.#wal?.pageBytes ?? PAGE_BYTES);
    for (const frame of this.#wal?.frames ?? []) {
      if (frame.isCurrent) this.#newest.set(frame.page, frame);
      if (frame.isReadable) this.#readable.set(frame.page, frame);
    }
    const first = this.current(1);
    this.version = first?.toString('latin1', 0, MAGIC.length) === MAGIC ? first.readUInt32BE(60) : undefined;
  }

  /** A page as SQLite would read it. */
  current(page: number): Buffer | undefined {
    const frame = this.#readable.get(page);
    return frame ? this.#inLog(frame) : this.inFile(page);
  }

  /** A page as it was last written, whether or not SQLite would still read it so. */
  newest(page: number): Buffer | undefined {
    const frame = this.#newest.get(page);
    return frame ? this.#inLog(frame) : this.inFile(page);
  }

  /** A page as the file has it; undefined beyond its end. */
  inFile(page: number): Buffer | undefined {
    return this.#read(this.#file, (page - 1) * this.pageBytes);
  }

  *all(): Iterable<PageImage> {
    const pages = Math.floor((this.#file?.sizeBytes() ?? 0) / this.pageBytes);
    for (let page = 1; page <= pages; page++) {
      const bytes = this.inFile(page);
      if (bytes) yield { page, bytes, isCurrent: !this.#readable.has(page) };
    }
    for (const frame of this.#wal?.frames ?? []) {
      const bytes = this.#inLog(frame);
      if (bytes) yield { page: frame.page, bytes, isCurrent: this.#readable.get(frame.page) === frame };
    }
  }

  [Symbol.dispose](): void {
    this.#file?.close();
    this.#log?.close();
  }

  #inLog(frame: WalFrame): Buffer | undefined {
    return this.#read(this.#log, frame.at);
  }

  #read(file: SyncFile | undefined, at: number): Buffer | undefined {
    if (!file || at < 0) return undefined;
    const bytes = Buffer.alloc(this.pageBytes);
    return file.read(bytes, at) === bytes.length ? bytes : undefined;
  }
}
