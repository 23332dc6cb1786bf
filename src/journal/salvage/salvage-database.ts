import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { createScratchDatabase, showAsCurrent } from '../database.ts';
import { JOURNAL_VERSION, type JournalVersion, storedColumns } from '../schema.ts';
import { cellPointers, isLeafTable, readCell } from './cells.ts';
import { type PageImage, PageImages } from './page-images.ts';
import { ownersOfPages } from './page-owners.ts';
import { type FoundRow, RowShapes } from './row-shapes.ts';

export interface Salvage {
  /** A scratch database with every row that could be read; it goes away when it is closed. */
  readonly db: DatabaseSync;
  readonly version: JournalVersion;
  readonly rows: number;
}

/**
 * Reads a damaged database page by page, past SQLite: a page that is lost, cut off or damaged costs the rows that lay there
 * and no others. In version 2 every image of a page is looked at, also in a write-ahead log that SQLite no longer reads,
 * and a row counts when its checksum is right: rows are never changed, so any that is whole is true [JRN-2]. In version 1
 * only what SQLite itself would read counts. `withLog`: whether the write-ahead log is of this database. The files are not
 * changed. Undefined when there is not one row.
 */
export function salvageDatabase(
  path: string,
  options: { readonly withLog: boolean } = { withLog: true },
): Salvage | undefined {
  using images = new PageImages(path, options);
  const said = images.version;
  const versions: readonly JournalVersion[] =
    said === 1 || said === JOURNAL_VERSION ? [said] : [JOURNAL_VERSION, 1];
  for (const version of versions) {
    const salvage = new Salvager(images, version).run();
    if (salvage.rows > 0) return salvage;
    salvage.db.close();
  }
  return undefined;
}

/** For a database of which not one row is left. */
export function emptySalvage(): Salvage {
  return { db: createScratchDatabase(JOURNAL_VERSION), version: JOURNAL_VERSION, rows: 0 };
}

/** Pages of other kinds: index pages, and what leads to leaves. */
const OTHER_PAGES: ReadonlySet<number> = new Set([0x02, 0x05, 0x0a]);

class Salvager {
  readonly #images: PageImages;
  readonly #shapes: RowShapes;
  readonly #owners: ReadonlyMap<number, string>;
  readonly #db: DatabaseSync;
  readonly #inserts = new Map<string, StatementSync>();
  /** Pages that hold the rest of some row: nothing else is on them. */
  readonly #overflow = new Set<number>();
  #rows = 0;

  constructor(images: PageImages, version: JournalVersion) {
    this.#images = images;
    this.#shapes = new RowShapes(version);
    this.#owners = version === 1 ? ownersOfPages(images) : new Map();
    this.#db = createScratchDatabase(version);
  }

  run(): Salvage {
    this.#db.exec('BEGIN');
    for (const image of this.#images.all()) {
      if (this.#isWanted(image) && isLeafTable(image.bytes, image.page) && !this.#readPointers(image))
        this.#search(image);
    }
    // Afterwards, when it is known which pages only hold the rest of some row.
    for (const image of this.#images.all()) if (this.#isDoubtful(image)) this.#search(image);
    this.#db.exec('COMMIT');
    showAsCurrent(this.#db, this.#shapes.version);
    return { db: this.#db, version: this.#shapes.version, rows: this.#rows };
  }

  #isWanted({ isCurrent }: PageImage): boolean {
    return this.#shapes.version !== 1 || isCurrent;
  }

  /** It is of no kind that we know: a leaf whose first bytes are damaged looks so. */
  #isDoubtful({ page, bytes }: PageImage): boolean {
    if (this.#overflow.has(page) || isLeafTable(bytes, page)) return false;
    return !OTHER_PAGES.has(bytes[0] ?? 0) && bytes.some((byte) => byte !== 0);
  }

  /** False when a cell that the page names is no row of ours. */
  #readPointers(image: PageImage): boolean {
    let isWhole = true;
    for (const at of cellPointers(image.bytes, image.page)) if (!this.#tryRow(image, at)) isWhole = false;
    return isWhole;
  }

  /**
   * The page's own list of cells is damaged: whatever begins anywhere on it and has the right checksum is a row. Without
   * checksums nothing that is found so could be trusted.
   */
  #search(image: PageImage): void {
    if (this.#shapes.version === 1) return;
    for (let at = 0; at < image.bytes.length - 4; at++) this.#tryRow(image, at);
  }

  #tryRow({ page, bytes }: PageImage, at: number): boolean {
    for (const source of ['newest', 'inFile'] as const) {
      const used: number[] = [];
      const overflow = (next: number) => {
        used.push(next);
        return this.#shapes.version === 1 ? this.#images.current(next) : this.#images[source](next);
      };
      const cell = readCell({ bytes, at, overflow });
      const row = cell && this.#shapes.recognise(cell, this.#owners.get(page));
      if (row) {
        for (const one of used) this.#overflow.add(one);
        this.#insert(row);
        return true;
      }
      if (used.length === 0) return false;
    }
    return false;
  }

  #insert({ table, n, values }: FoundRow): void {
    let insert = this.#inserts.get(table);
    if (!insert) {
      const names = storedColumns(this.#shapes.version, table);
      const marks = names.map(() => '?').join(', ');
      insert = this.#db.prepare(`INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${marks})`);
      this.#inserts.set(table, insert);
    }
    this.#rows += Number(insert.run(n, ...values).changes);
  }
}
