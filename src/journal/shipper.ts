import type { DatabaseSync } from 'node:sqlite';
import { ActionableError, digestOf, type Json, stringifyJson } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import type { Journal } from './journal.ts';
import { SHIPPED_TABLES, type ShippedTable } from './schema.ts';
import {
  type Cursors,
  decodeSegment,
  encodeSegment,
  SEGMENT_FORMAT,
  SEGMENT_VERSION,
  type SegmentHeader,
  segmentKey,
} from './segment.ts';

const TABLES = Object.keys(SHIPPED_TABLES) as ShippedTable[];
const NOTHING_SHIPPED = Object.fromEntries(TABLES.map((table) => [table, 0])) as Cursors;

export interface ShipperOptions {
  readonly bucket: Bucket;
  /** Where in the bucket runs live; ends with `/` unless empty. */
  readonly prefix: string;
  readonly run: string;
  readonly writer: string;
  /** Default 5 s. */
  readonly intervalMs?: number;
  /** Default 1 MiB of rows: a segment is due when this much is new. */
  readonly bytesMax?: number;
  /** Called when the bucket does not take a segment; the journal keeps it, and the next round tries again. */
  readonly onProblem?: (error: unknown) => void;
}

interface Shipped {
  readonly seq: number;
  readonly digest: ReturnType<typeof digestOf> | null;
  readonly cursors: Cursors;
}

/**
 * Copies what is new in a journal to the bucket, segment by segment.
 *
 * ### Ordering
 * A row is committed in the journal before it can be in a segment. A segment exists in the bucket before the journal
 * says that it was shipped, so a crash between the two makes the next round find it there and go on behind it: never
 * a gap, never a segment written twice [SEG-3].
 */
export class SegmentShipper {
  readonly #journal: Journal;
  readonly #db: DatabaseSync;
  readonly #options: ShipperOptions;
  #state: Shipped;
  #underWay: Promise<void> | undefined;
  #again: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #bytesAtLast = 0;

  constructor(journal: Journal, db: DatabaseSync, options: ShipperOptions) {
    this.#journal = journal;
    this.#db = db;
    this.#options = options;
    this.#state = lastShipped(db);
  }

  /** Ships at every interval, and sooner when enough is new. */
  start(): void {
    const intervalMs = this.#options.intervalMs ?? 5_000;
    const bytesMax = this.#options.bytesMax ?? 1024 * 1024;
    let waitedMs = 0;
    const tickMs = Math.min(250, intervalMs);
    this.#timer = setInterval(() => {
      waitedMs += tickMs;
      const isDue = waitedMs >= intervalMs || this.#journal.bytesWritten - this.#bytesAtLast >= bytesMax;
      if (!isDue || this.#underWay) return;
      waitedMs = 0;
      void this.ship();
    }, tickMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Resolves after a round that began after this call: all that was durable when it was called has been offered. */
  ship(): Promise<void> {
    if (!this.#underWay) {
      this.#underWay = this.#round().finally(() => {
        this.#underWay = undefined;
      });
      return this.#underWay;
    }
    this.#again ??= this.#underWay.then(() => {
      this.#again = undefined;
      return this.ship();
    });
    return this.#again;
  }

  /** Ships the rest and says that nothing follows [SEG-5]. Throws when the bucket does not take it. */
  async finish(): Promise<void> {
    this.stop();
    await this.#underWay;
    while (await this.#shipOne(false));
    await this.#shipOne(true);
  }

  /** How many segments are in the bucket. */
  get segments(): number {
    return this.#state.seq;
  }

  async #round(): Promise<void> {
    this.#bytesAtLast = this.#journal.bytesWritten;
    try {
      while (await this.#shipOne(false));
    } catch (error) {
      // The bucket may be away for a while: the journal holds what is not shipped [SEG-6].
      this.#options.onProblem?.(error);
    }
  }

  /** Ships one segment; false when there is nothing new. */
  async #shipOne(last: boolean): Promise<boolean> {
    const { rows, cursors } = this.#collect();
    if (rows.length === 0 && !last) return false;
    const { run, writer, bucket, prefix } = this.#options;
    const seq = this.#state.seq + 1;
    const header: SegmentHeader = {
      format: SEGMENT_FORMAT,
      version: SEGMENT_VERSION,
      run,
      writer,
      seq,
      previous: this.#state.digest,
      cursors,
      last,
    };
    const key = segmentKey(prefix, { run, writer, seq });
    const bytes = encodeSegment(header, rows);
    const isNew = await bucket.create(key, bytes);
    const shipped = isNew ? { seq, digest: digestOf(bytes), cursors } : await this.#adopt(key, seq);
    this.#journal.insert('shipped', [seq, stringifyJson(shipped as unknown as Json)]);
    await this.#journal.flush();
    this.#state = shipped;
    return true;
  }

  /** The segment was there already: an earlier try succeeded and its acknowledgement was lost. */
  async #adopt(key: string, seq: number): Promise<Shipped> {
    const bytes = await this.#options.bucket.read(key);
    const found = bytes && decodeSegment(bytes, key).header;
    const isOurs =
      found &&
      found.run === this.#options.run &&
      found.writer === this.#options.writer &&
      found.previous === this.#state.digest;
    if (!bytes || !isOurs) {
      throw new ActionableError({
        code: 'E_SEGMENT_CONFLICT',
        message: `Segment ${key} in ${this.#options.bucket.url} was written by somebody else.`,
        hint: 'The local journal still holds everything. Use another log directory for this run.',
      });
    }
    return { seq, digest: digestOf(bytes), cursors: found.cursors };
  }

  #collect(): { readonly rows: readonly string[]; readonly cursors: Cursors } {
    const rows: string[] = [];
    const cursors: Record<ShippedTable, number> = { ...this.#state.cursors };
    let room = this.#options.bytesMax ?? 1024 * 1024;
    for (const table of TABLES) {
      const columns = SHIPPED_TABLES[table];
      const found = this.#db
        .prepare(`SELECT ${columns.join(', ')} FROM ${table} WHERE n > ? ORDER BY n`)
        .iterate(cursors[table]);
      for (const row of found) {
        const text = stringifyJson([table, ...columns.map((column) => row[column] as Json)]);
        rows.push(text);
        room -= text.length;
        cursors[table] = Number(row.n);
        if (room <= 0) return { rows, cursors };
      }
    }
    return { rows, cursors };
  }
}

function lastShipped(db: DatabaseSync): Shipped {
  const text = db.prepare('SELECT data FROM shipped ORDER BY seq DESC LIMIT 1').get()?.data;
  return text === undefined
    ? { seq: 0, digest: null, cursors: NOTHING_SHIPPED }
    : (JSON.parse(String(text)) as Shipped);
}
