import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DamageError, type Digest, digestOf, inOrder, messageOf } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { type Disk, tempPathFor } from '../disk/index.ts';
import { AcknowledgedFile, noRows } from './acknowledged.ts';
import { createDatabase } from './database.ts';
import { besideJournal, journalPath, writerDir } from './layout.ts';
import { importRecord, recordPrefix } from './record-object.ts';
import { rowSum } from './row-sum.ts';
import { type JournalVersion, storedColumns } from './schema.ts';
import { decodeSegment, parseChainName, type Segment, type SegmentRow, segmentPrefix } from './segment.ts';
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
}

/**
 * The writers that shipped segments of a run, whatever the number of their chains. One whose record is there while its
 * segments are gone is one of them [SEG-11]: unreadable is not absent.
 */
export async function listWriters(bucket: Bucket, prefix: string, run: string): Promise<readonly string[]> {
  const chains = await listChains(bucket, prefix, run);
  const writers = new Set(chains.map((chain) => parseChainName(chain).writer));
  const records = recordPrefix(prefix, run);
  if (writers.size > 0)
    for await (const { key } of bucket.list(records)) writers.add(key.slice(records.length));
  return [...writers].sort();
}

/** How many segments a writer has shipped, in all its chains; undefined when it is none of those that shipped anything. */
export async function countSegments({
  bucket,
  prefix,
  run,
  writer,
}: Pick<ImportOptions, 'bucket' | 'prefix' | 'run' | 'writer'>): Promise<number | undefined> {
  if (!(await listWriters(bucket, prefix, run)).includes(writer)) return undefined;
  let count = 0;
  for (const chain of await listChains(bucket, prefix, run))
    if (parseChainName(chain).writer === writer)
      for await (const _ of bucket.list(`${segmentPrefix(prefix, run)}${chain}/`)) count++;
  return count;
}

/** The runs that have segments in a bucket. */
export async function listSegmentedRuns(bucket: Bucket, prefix: string): Promise<readonly string[]> {
  const runs: string[] = [];
  for await (const { kind, key } of bucket.listFolder(prefix)) {
    const run = key.slice(prefix.length, -1);
    if (kind === 'folder' && (await hasSegments(bucket, prefix, run))) runs.push(run);
  }
  return runs;
}

async function hasSegments(bucket: Bucket, prefix: string, run: string): Promise<boolean> {
  for await (const _ of bucket.list(segmentPrefix(prefix, run))) return true;
  return false;
}

/**
 * Turns all chains of one writer back into its journal. A segment that is missing or damaged is named, and all others are
 * used, also those after it [SEG-2]. Rows are inserted if absent, so the order and the number of times do not matter [SEG-7].
 *
 * ### Ordering
 * The journal is made under another name and gets its own, with all its rows durable, by a rename: a crash leaves an
 * orphan, never half a journal. A journal of this writer that is there already is left alone (EEXIST).
 */
export async function importWriter(options: ImportOptions): Promise<ImportReport> {
  const { disk, runDir, writer } = options;
  const temp = tempPathFor(writerDir(runDir, writer));
  await disk.makeDir(temp);
  try {
    const journal = new ImportedJournal(journalPath(temp, ''), options);
    try {
      const chains = await listChains(options.bucket, options.prefix, options.run);
      const own = chains.filter((chain) => parseChainName(chain).writer === writer);
      if (own.length === 0)
        journal.problems.push(
          `Writer ${writer} of run ${options.run} left a record, but its segments are gone.`,
        );
      // A later chain was begun because an earlier one holds something else: its word comes first.
      for (const chain of own.sort(byNumber).reverse()) await journal.readChain(chain);
    } finally {
      journal.close();
    }
    const problem = await importRecord(options, journalPath(temp, ''));
    if (problem !== undefined) journal.problems.push(problem);
    journal.keepMark();
    await keepSegmentKeys(disk, journalPath(temp, ''), journal.report().keys);
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

  async readChain(name: string): Promise<void> {
    const { bucket, prefix, run } = this.#from;
    const chain = new Chain(this.problems);
    const keys: string[] = [];
    for await (const { key } of bucket.list(`${segmentPrefix(prefix, run)}${name}/`)) keys.push(key);
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
    mark.sync();
    mark.close();
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
    this.#db ??= createDatabase(this.#path, this.#version);
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
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
      this.#db = createDatabase(this.#path, header.version);
      // Not synced with every segment: all of it is when it is closed, before it has its name.
      this.#db.exec('PRAGMA synchronous = NORMAL');
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

  #insert(db: DatabaseSync, row: SegmentRow, key: string): void {
    const { table, n, values } = row;
    if (this.#version !== 1 && values.at(-1) !== rowSum(table, values.slice(0, -1))) {
      this.problems.push(`Row ${n} of ${table} in segment ${key} has a wrong checksum: it was left out.`);
      return;
    }
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

/** Asks for folders and not for what is in them: a chain may hold thousands of segments. */
async function listChains(bucket: Bucket, prefix: string, run: string): Promise<readonly string[]> {
  const root = segmentPrefix(prefix, run);
  const chains: string[] = [];
  for await (const { kind, key } of bucket.listFolder(root))
    if (kind === 'folder') chains.push(key.slice(root.length, -1));
  return chains;
}

function byNumber(a: string, b: string): number {
  return parseChainName(a).number - parseChainName(b).number;
}
