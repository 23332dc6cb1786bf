import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DamageError, type Digest, digestOf, inOrder, messageOf } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { type Disk, tempPathFor, unsynced } from '../disk/index.ts';
import { AcknowledgedFile, noRows } from './acknowledged.ts';
import { createDatabase, createUnsyncedDatabase } from './database.ts';
import { besideJournal, journalPath, writerDir } from './layout.ts';
import { type ListedChains, listSegmentsOf } from './list-segments.ts';
import { importRecord } from './record-object.ts';
import { rowSum } from './row-sum.ts';
import { type JournalVersion, storedColumns } from './schema.ts';
import { decodeSegment, parseChainName, type Segment, type SegmentRow } from './segment.ts';
import { keepSegmentKeys } from './segment-keys.ts';

/** A worker leaves a segment for each sample, and a bucket takes its time to answer. Most have some kilobytes, few a megabyte. */
const READS_AT_A_TIME = 16;

export interface ImportReport {
  readonly segments: number;
  /** The keys that were read and used: whoever seals removes these and no others [SEG-9]. */
  readonly keys: readonly string[];
  readonly rows: number;
  /** True when the writer said that nothing follows. */
  readonly isComplete: boolean;
  /** One sentence for each segment that is missing, damaged or out of its chain. */
  readonly problems: readonly string[];
}

export interface ImportOptions {
  readonly disk: Disk;
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly run: string;
  readonly writer: string;
  /** Where the run's journals lie; this one becomes `<runDir>/<writer>/journal.db`. */
  readonly runDir: string;
  /** What the writer has shipped, by whoever asked the bucket for all writers at once; it is asked for otherwise. */
  readonly chains?: ListedChains | undefined;
  /**
   * True for a journal that is only read, in a folder that the next process removes before it makes another: it can be made again from
   * the bucket at any time, so nothing of it is synced.
   */
  readonly isScratch?: boolean | undefined;
}

/**
 * Turns all chains of one writer back into its journal. A segment that is missing or damaged is named, and all others are
 * used, also those after it [SEG-2]. Rows are inserted if absent, so the order and the number of times do not matter [SEG-7].
 *
 * ### Ordering
 * The journal is made under another name and gets its own, with all its rows durable, by a rename: a crash leaves an
 * orphan, never half a journal. A journal of this writer that is there already is left alone (EEXIST). One that is only scratch
 * is not synced: after a power loss nobody reads it.
 */
export async function importWriter(options: ImportOptions): Promise<ImportReport> {
  const { runDir, writer, run } = options;
  const disk = options.isScratch ? unsynced(options.disk) : options.disk;
  const temp = tempPathFor(writerDir(runDir, writer));
  await disk.makeDir(temp);
  try {
    const journal = new ImportedJournal(journalPath(temp, ''), options);
    try {
      const chains = options.chains ?? (await listSegmentsOf(writer, options)) ?? new Map();
      if (chains.size === 0)
        journal.problems.push(`Writer ${writer} of run ${run} left a record, but its segments are gone.`);
      // A later chain was begun because an earlier one holds something else: its word comes first.
      for (const chain of [...chains.keys()].sort(byNumber).reverse())
        await journal.readChain(chains.get(chain) ?? []);
    } finally {
      journal.close();
    }
    // A second copy, for when the first is gone: what is thrown away soon does not need both.
    if (!options.isScratch || !journal.hasRecords) {
      const problem = await importRecord({ ...options, disk }, journalPath(temp, ''));
      if (problem !== undefined) journal.problems.push(problem);
    }
    journal.keepMark();
    // Whoever reads scratch removes no segment.
    if (!options.isScratch) await keepSegmentKeys(disk, journalPath(temp, ''), journal.report().keys);
    await disk.syncDir(temp);
    await disk.rename(temp, writerDir(runDir, writer));
    await disk.syncDir(runDir);
    return journal.report();
  } catch (error) {
    await disk.removeTree(temp);
    throw error;
  }
}

class ImportedJournal {
  readonly #path: string;
  readonly #from: ImportOptions;
  readonly #keys: string[] = [];
  readonly problems: string[] = [];
  readonly #inserts = new Map<string, StatementSync>();
  readonly #records = new Set<string>();
  #db: DatabaseSync | undefined;
  #version: JournalVersion = 2;
  #rows = 0;
  #isComplete = false;
  /** What the segments that were read say that they and those before them hold. */
  #said = { answers: 0, results: 0, usd: 0 };

  constructor(path: string, from: ImportOptions) {
    this.#path = path;
    this.#from = from;
  }

  async readChain(keys: readonly string[]): Promise<void> {
    const { bucket } = this.#from;
    const chain = new Chain(this.problems);
    const read = inOrder(keys, {
      atATime: READS_AT_A_TIME,
      work: async (key) => ({ key, bytes: await bucket.read(key) }),
    });
    for await (const { key, bytes } of read) {
      if (!bytes) {
        this.problems.push(`Segment ${key} vanished while it was read.`);
        continue;
      }
      const segment = this.#tryDecode(bytes, key);
      if (!segment) {
        chain.leaveOut();
        continue;
      }
      chain.follow(segment, digestOf(bytes), key);
      if (this.#insertAll(segment, key)) this.#keys.push(key);
      this.#isComplete ||= segment.header.last;
      this.#hear(segment);
    }
  }

  /** A mark like that of a writer [JRN-11]: what a segment held that is damaged or gone is missed, with its price. */
  keepMark(): void {
    if (this.#version === 1) return;
    const { usd, ...rows } = this.#said;
    const mark = AcknowledgedFile.create(besideJournal(this.#path).acknowledged);
    mark.write({ commits: 1, rows: { ...noRows(), ...rows }, usd, writer: this.#from.writer });
    if (!this.#from.isScratch) mark.sync();
    mark.close();
  }

  /** True when its segments have both the run record and the writer record. */
  get hasRecords(): boolean {
    return this.#records.has('run') && this.#records.has('writer');
  }

  report(): ImportReport {
    return {
      segments: this.#keys.length,
      keys: this.#keys,
      rows: this.#rows,
      isComplete: this.#isComplete,
      problems: this.problems,
    };
  }

  close(): void {
    // A writer of which nothing can be read still has a place: an empty journal, which holds nothing.
    this.#db ??= this.#create(this.#version);
    if (!this.#from.isScratch) this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
  }

  /** Rows are only ever added, one number after the other: the last number of a table is the count of its rows. */
  #hear({ header: { cursors, usd = 0 } }: Segment): void {
    const { answers, results, usd: known } = this.#said;
    this.#said = {
      answers: Math.max(answers, cursors.answers ?? 0),
      results: Math.max(results, cursors.results ?? 0),
      usd: Math.max(known, usd),
    };
  }

  #tryDecode(bytes: Uint8Array, key: string): Segment | undefined {
    try {
      const segment = decodeSegment(bytes, key);
      const { run, writer } = segment.header;
      if (run === this.#from.run && writer === this.#from.writer) return segment;
      this.problems.push(
        `Segment ${key} says that it is of run ${run} and writer ${writer}: it was left out.`,
      );
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      this.problems.push(messageOf(error));
    }
    return undefined;
  }

  /** False when something in it was left out: then it stays in the bucket. */
  #insertAll({ header, rows }: Segment, key: string): boolean {
    if (!this.#db) {
      this.#version = header.version;
      this.#db = this.#create(header.version);
    }
    if (header.version !== this.#version) {
      this.problems.push(`Segment ${key} has another version than those before it: it was left out.`);
      return false;
    }
    const problems = this.problems.length;
    this.#db.exec('BEGIN IMMEDIATE');
    for (const row of rows) this.#insert(this.#db, row, key);
    this.#db.exec('COMMIT');
    return this.problems.length === problems;
  }

  #create(version: JournalVersion): DatabaseSync {
    if (this.#from.isScratch) return createUnsyncedDatabase(this.#path, version);
    const db = createDatabase(this.#path, version);
    // Not synced with every segment: all of it is when it is closed, before it has its name.
    db.exec('PRAGMA synchronous = NORMAL');
    return db;
  }

  #insert(db: DatabaseSync, row: SegmentRow, key: string): void {
    const { table, n, values } = row;
    if (this.#version !== 1 && values.at(-1) !== rowSum(table, values.slice(0, -1))) {
      this.problems.push(`Row ${n} of ${table} in segment ${key} has a wrong checksum: it was left out.`);
      return;
    }
    if (table === 'meta' && typeof values[0] === 'string') this.#records.add(values[0]);
    const { changes } = this.#statement(db, table).run(n, ...values);
    this.#rows += Number(changes);
    if (Number(changes) === 0 && !this.#isThere(db, row))
      this.problems.push(`Row ${n} of ${table} in segment ${key} is another one elsewhere: it was left out.`);
  }

  /** A row that was inserted already, or a content that is there under another number. */
  #isThere(db: DatabaseSync, { table, n, values }: SegmentRow): boolean {
    if (this.#version === 1) return true;
    const [where, value] = table === 'contents' ? ['hash', values[0] ?? null] : ['n', n];
    const found = db.prepare(`SELECT sum FROM ${table} WHERE ${where} = ?`).get(value);
    return found?.sum === values.at(-1);
  }

  #statement(db: DatabaseSync, table: string): StatementSync {
    let insert = this.#inserts.get(table);
    if (!insert) {
      const names = storedColumns(this.#version, table);
      insert = db.prepare(
        `INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      );
      this.#inserts.set(table, insert);
    }
    return insert;
  }
}

/** Checks that each segment follows the one before it: gaps and tampering show [SEG-2]. */
class Chain {
  readonly #problems: string[];
  #seq = 0;
  /** Of the last one; undefined when nobody can tell what it was. */
  #digest: Digest | null | undefined = null;

  constructor(problems: string[]) {
    this.#problems = problems;
  }

  follow({ header }: Segment, digest: Digest, key: string): void {
    if (header.seq > this.#seq + 1) {
      this.#problems.push(`Segments ${this.#seq + 1} to ${header.seq - 1} before ${key} are missing.`);
    } else if (this.#digest !== undefined && header.previous !== this.#digest) {
      this.#problems.push(`Segment ${key} does not follow the one before it: one of the two was changed.`);
    }
    this.#seq = header.seq;
    this.#digest = digest;
  }

  /** A segment that was named and left out keeps its place: it is not missing, and what it was before nobody can tell. */
  leaveOut(): void {
    this.#seq++;
    this.#digest = undefined;
  }
}

function byNumber(a: string, b: string): number {
  return parseChainName(a).number - parseChainName(b).number;
}
