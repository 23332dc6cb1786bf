import type { SQLInputValue } from 'node:sqlite';
import { DamageError, type Digest, digestOf, messageOf } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { createDatabase, openDatabase } from './database.ts';
import { SHIPPED_TABLES, type ShippedTable } from './schema.ts';
import { decodeSegment, type Segment, segmentPrefix } from './segment.ts';

export interface ImportReport {
  readonly segments: number;
  readonly rows: number;
  /** True when the writer said that nothing follows. */
  readonly isComplete: boolean;
  /** One sentence for each segment that is missing, damaged or out of its chain. */
  readonly problems: readonly string[];
}

export interface ImportOptions {
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly run: string;
  readonly writer: string;
  /** The database to fill: a new one, or a journal of the same writer, which is completed (a union) [SEG-7]. */
  readonly into: string;
  readonly isNew: boolean;
}

/** The writers that shipped segments of a run. */
export async function listWriters(bucket: Bucket, prefix: string, run: string): Promise<readonly string[]> {
  const root = segmentPrefix(prefix, run);
  const writers = new Set<string>();
  for await (const { key } of bucket.list(root)) writers.add(key.slice(root.length).split('/')[0] ?? '');
  return [...writers].filter((writer) => writer !== '').sort();
}

/** The runs that have segments in a bucket. */
export async function listSegmentedRuns(bucket: Bucket, prefix: string): Promise<readonly string[]> {
  const runs = new Set<string>();
  for await (const { key } of bucket.list(prefix)) {
    const [run, folder] = key.slice(prefix.length).split('/');
    if (run && folder === 'segments') runs.add(run);
  }
  return [...runs].sort();
}

/**
 * Turns a writer's segments back into a journal database. A segment that is missing or damaged is named and skipped;
 * rows are inserted if absent, so segments may come in any order and any number of times.
 */
export async function importSegments(options: ImportOptions): Promise<ImportReport> {
  const db = options.isNew ? createDatabase(options.into) : openDatabase(options.into, 'write');
  try {
    const inserts = prepareInserts(db);
    const chain = new Chain();
    let rows = 0;
    const root = `${segmentPrefix(options.prefix, options.run)}${options.writer}/`;
    for await (const { key } of options.bucket.list(root)) {
      const segment = await readSegment(options.bucket, key, chain);
      if (!segment) continue;
      db.exec('BEGIN IMMEDIATE');
      for (const [table, ...values] of segment.rows) inserts[table].run(...(values as SQLInputValue[]));
      db.exec('COMMIT');
      rows += segment.rows.length;
    }
    return { segments: chain.count, rows, isComplete: chain.isComplete, problems: chain.problems };
  } finally {
    db.close();
  }
}

async function readSegment(bucket: Bucket, key: string, chain: Chain): Promise<Segment | undefined> {
  const bytes = await bucket.read(key);
  if (!bytes) {
    chain.problems.push(`Segment ${key} vanished while it was read.`);
    return undefined;
  }
  try {
    const segment = decodeSegment(bytes, key);
    chain.follow(segment, digestOf(bytes), key);
    return segment;
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    chain.problems.push(messageOf(error));
    chain.breakAt(digestOf(bytes));
    return undefined;
  }
}

/** Checks that each segment follows the one before it: gaps and tampering show [SEG-2]. */
class Chain {
  readonly problems: string[] = [];
  count = 0;
  isComplete = false;
  #seq = 0;
  #digest: Digest | null = null;

  follow({ header }: Segment, digest: Digest, key: string): void {
    if (header.seq > this.#seq + 1) {
      this.problems.push(`Segments ${this.#seq + 1} to ${header.seq - 1} before ${key} are missing.`);
    } else if (header.previous !== this.#digest) {
      this.problems.push(`Segment ${key} does not follow the one before it: one of the two was changed.`);
    }
    this.count++;
    this.#seq = header.seq;
    this.#digest = digest;
    if (header.last) this.isComplete = true;
  }

  /** A damaged segment keeps its place in the chain: its bytes are what the next one names, if only they were torn. */
  breakAt(digest: Digest): void {
    this.#seq++;
    this.#digest = digest;
  }
}

function prepareInserts(db: ReturnType<typeof createDatabase>) {
  const prepare = (table: ShippedTable) => {
    const columns = SHIPPED_TABLES[table];
    const marks = columns.map(() => '?').join(', ');
    return db.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${marks})`);
  };
  const tables = Object.keys(SHIPPED_TABLES) as ShippedTable[];
  return Object.fromEntries(tables.map((table) => [table, prepare(table)])) as Record<
    ShippedTable,
    ReturnType<typeof prepare>
  >;
}
