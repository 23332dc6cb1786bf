import { isJsonArray, isJsonObject, type JsonObject, textSum } from '../base/index.ts';
import { openSyncFile, type SyncFile } from '../disk/index.ts';
import type { LostRows } from './records.ts';
import type { WalSalts } from './salvage/wal-frames.ts';
import { forAllTables, TABLES, type Table } from './schema.ts';
import { tryParse } from './stored-documents.ts';

/** How much a writer had acknowledged [JRN-11]: commits, rows by table, and money. */
export interface Acknowledged {
  readonly commits: number;
  readonly rows: Readonly<Record<Table, number>>;
  readonly usd: number;
  /** What of this was copied from other journals of the same run: these have a mark for it, too. */
  readonly copied?: { readonly answers: number; readonly usd: number };
  /** Whose mark it is. */
  readonly writer?: string;
  /** Since which start of its machine it was alive; undefined where that cannot be told. */
  readonly boot?: string | undefined;
  /** The salts of the write-ahead log that the last commit went into: what lies there later may be another one. */
  readonly log?: WalSalts;
}

const SLOT_BYTES = 512;

/**
 * The file `acknowledged`: two slots that are written in turn, so that one is whole whatever happens to the other.
 *
 * ### Ordering
 * It is written after a commit and before anybody is told of it: it never says more than the database was given. It is
 * synced by `sync`, not at every write: after a power loss it may say less than was acknowledged, never more.
 */
export class AcknowledgedFile {
  readonly #file: SyncFile;
  #isSynced = true;

  private constructor(file: SyncFile) {
    this.#file = file;
  }

  static create(path: string): AcknowledgedFile {
    return new AcknowledgedFile(openSyncFile(path, 'create'));
  }

  write(state: Acknowledged): void {
    this.#file.write(encodeSlot(state), (state.commits % 2) * SLOT_BYTES);
    this.#isSynced = false;
  }

  sync(): void {
    if (this.#isSynced) return;
    this.#file.sync();
    this.#isSynced = true;
  }

  close(): void {
    this.#file.close();
  }
}

/** What the file says; undefined when there is none, or neither slot is whole. */
export function readAcknowledged(path: string): Acknowledged | undefined {
  using file = openSyncFile(path, 'read');
  if (!file) return undefined;
  const bytes = new Uint8Array(2 * SLOT_BYTES);
  const length = file.read(bytes, 0);
  const slots = [0, SLOT_BYTES].map((at) =>
    decodeSlot(bytes.subarray(at, Math.min(length, at + SLOT_BYTES))),
  );
  return slots.reduce((best, slot) => (slot && (!best || slot.commits > best.commits) ? slot : best));
}

/** What is lost with a journal that cannot be read at all; undefined when nothing was acknowledged but its beginning. */
export function lossOf(mark: Acknowledged | undefined): LostRows | undefined {
  if (!mark || TABLES.every((table) => table === 'meta' || mark.rows[table] === 0)) return undefined;
  const { answers, usd } = mark.copied ?? { answers: 0, usd: 0 };
  return { answers: mark.rows.answers - answers, results: mark.rows.results, usd: mark.usd - usd };
}

export function noRows(): Record<Table, number> {
  return { ...forAllTables(() => 0) };
}

function encodeSlot({ commits, rows, usd, copied, writer, boot, log }: Acknowledged): Uint8Array {
  const json = JSON.stringify({ commits, rows, usd, copied, writer, boot, log });
  const text = `${json}\n${textSum(json)}`;
  return Buffer.from(text.padEnd(SLOT_BYTES, ' '), 'latin1');
}

function decodeSlot(bytes: Uint8Array): Acknowledged | undefined {
  const [json = '', sum = ''] = Buffer.from(bytes).toString('latin1').split('\n');
  if (sum.trimEnd() !== textSum(json)) return undefined;
  const value = tryParse(json);
  return isJsonObject(value) ? checkSlot(value) : undefined;
}

function checkSlot({ commits, rows, usd, ...more }: JsonObject): Acknowledged | undefined {
  if (typeof commits !== 'number' || typeof usd !== 'number' || !isJsonObject(rows)) return undefined;
  const counts = noRows();
  for (const table of TABLES) counts[table] = Number(rows[table] ?? 0);
  return { commits, rows: counts, usd, ...checkDetails(more) };
}

function checkDetails({ copied, writer, boot, log }: JsonObject): Partial<Acknowledged> {
  const [first, second] = isJsonArray(log) ? log : [];
  return {
    ...(isJsonObject(copied) ? { copied: { answers: Number(copied.answers), usd: Number(copied.usd) } } : {}),
    ...(typeof writer === 'string' ? { writer } : {}),
    ...(typeof boot === 'string' ? { boot } : {}),
    ...(typeof first === 'number' && typeof second === 'number' ? { log: [first, second] as const } : {}),
  };
}
