import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Digest, parseJson, type SampleKey, sampleKeyText, stringifyJson } from '../base/index.ts';
import type { StoredLog } from '../log/index.ts';
import { copyTables, readOnlyAddress } from './copy-tables.ts';
import { readMark } from './sample-mark.ts';
import type { UsedLimits } from './used-limits.ts';

/**
 * Where a sample of an earlier run is, and what of it may still hold. Everything is known from the log's own lists, so no log
 * is opened twice for it.
 */
export interface IndexedSample {
  readonly name: string;
  readonly state: 'completed' | 'errored' | 'interrupted';
  readonly key: Digest;
  readonly asked: Digest | undefined;
  readonly content: Digest;
  readonly used: UsedLimits;
  readonly later: Readonly<Record<string, Digest>> | undefined;
  /** Tells one set of answers from another; undefined when there are none. */
  readonly answers: string | undefined;
}

export interface IndexedLog extends StoredLog {
  readonly eval: string;
  /** The name of the target. */
  readonly target: string;
  readonly runId: string;
  readonly status: string;
  /** What of its own documents is damaged, if anything. */
  readonly damage?: string | undefined;
}

export interface LogToKeep {
  readonly log: IndexedLog;
  readonly samples: readonly IndexedSample[];
}

export interface FoundSample extends Pick<IndexedSample, 'state' | 'used' | 'later' | 'answers'> {
  readonly log: string;
  /** The name of the target of its run. */
  readonly target: string;
  readonly runId: string;
  /** To be compared by `isSameDigest`. */
  readonly content: string;
}

/** What is known of a log without opening it. */
export type KnownLog =
  /** `reason`: what is damaged in it, if anything. */
  | { readonly kind: 'indexed'; readonly reason?: string }
  /** None of ours, or of another eval whose samples nobody asked for yet. */
  | { readonly kind: 'other'; readonly eval: string | undefined }
  | { readonly kind: 'unreadable'; readonly reason: string };

const TABLES = `
CREATE TABLE IF NOT EXISTS logs (
  n INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, kind TEXT NOT NULL,
  eval TEXT, target TEXT, run TEXT, status TEXT, reason TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS samples (
  log INTEGER NOT NULL, eval TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL,
  key BLOB NOT NULL, asked BLOB, content BLOB NOT NULL, answers TEXT,
  tokens REAL NOT NULL, turns REAL NOT NULL, messages REAL NOT NULL, usd REAL NOT NULL,
  ended TEXT, ended_at REAL, later TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS samples_by_log ON samples (log);
CREATE INDEX IF NOT EXISTS samples_by_sample ON samples (eval, name, log);
CREATE INDEX IF NOT EXISTS samples_by_answers ON samples (eval, name, answers, log) WHERE answers IS NOT NULL;
CREATE INDEX IF NOT EXISTS samples_by_key ON samples (key, log);
CREATE INDEX IF NOT EXISTS samples_by_asked ON samples (asked, log);
`;

/** `2026-11-16T04-39-48`, and how many logs of one second can be told apart. */
const TIME_LENGTH = 19;
const TIME_DIGITS = 14;
const SAME_TIME_MAX = 400;

/** 64 MB: what is put into an index is scattered over it, and pages that do not fit are written again and again. */
const CACHE_KB = 65_536;
const WAL_PAGES = 16_384;

const FOUND =
  'SELECT samples.*, logs.name AS log_name, logs.run AS run, logs.target AS target FROM samples JOIN logs ON logs.n = samples.log';

/** An index over the samples of logs, in a file. It is a cache: whatever is wrong with it, it is made again. */
export class LogIndex implements Disposable {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Throws what SQLite says of a file that cannot be used. */
  static open(path: string): LogIndex {
    const db = new DatabaseSync(path);
    try {
      // Many processes may begin at once, each with its first look at the logs.
      db.exec('PRAGMA busy_timeout = 20000; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;');
      db.exec(`PRAGMA cache_size = -${CACHE_KB}; PRAGMA wal_autocheckpoint = ${WAL_PAGES};`);
      db.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT;`);
      return new LogIndex(db);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** An index that is nowhere but in memory, and goes with the process. */
  static inMemory(): LogIndex {
    return LogIndex.open(':memory:');
  }

  /**
   * For whoever only looks, as long as there is nothing to add: whatever would write throws SQLITE_READONLY. The file and what
   * lies beside it are not touched; of one that another process is writing, what it wrote last is missing.
   */
  static look(path: string): LogIndex {
    return new LogIndex(new DatabaseSync(readOnlyAddress(path), { readOnly: true }));
  }

  /**
   * The same for whoever only looks: in memory, with what the file holds. The file and what lies beside it are not touched; of one
   * that another process is writing, what it wrote last is missing, and is read anew.
   */
  static copyOf(path: string): LogIndex {
    const index = LogIndex.inMemory();
    try {
      copyTables(index.#db, path, ['logs', 'samples']);
      return index;
    } catch (error) {
      index[Symbol.dispose]();
      throw error;
    }
  }

  /** What is known of a log that is still what it was; undefined when it must be opened. */
  known(log: StoredLog): KnownLog | undefined {
    const row = this.#one(
      'SELECT kind, eval, reason FROM logs WHERE name = ? AND stamp = ?',
      log.name,
      stampOf(log),
    );
    if (!row) return undefined;
    if (row.kind === 'indexed')
      return { kind: 'indexed', ...(row.reason === null ? {} : { reason: String(row.reason) }) };
    if (row.kind === 'unreadable') return { kind: 'unreadable', reason: String(row.reason) };
    return { kind: 'other', eval: row.eval === null ? undefined : String(row.eval) };
  }

  /** Whoever wanted its samples may have read them meanwhile, for another eval of the same command: they are not forgotten. */
  keepOther(log: StoredLog, evalName: string | undefined): void {
    this.#transaction(() => {
      if (this.known(log)?.kind !== 'indexed')
        this.#replaceLog(log, { kind: 'other', eval: evalName ?? null });
    });
  }

  keepUnreadable(log: StoredLog, reason: string): void {
    this.#transaction(() => void this.#replaceLog(log, { kind: 'unreadable', reason }));
  }

  /** All at once: each time that something is written costs as much as thousands of samples. */
  keepAll(items: readonly LogToKeep[]): void {
    this.#transaction(() => {
      for (const { log, samples } of items) this.#keep(log, samples);
    });
  }

  #keep(log: IndexedLog, samples: readonly IndexedSample[]): void {
    const n = this.#replaceLog(log, {
      kind: 'indexed',
      eval: log.eval,
      target: log.target,
      run: log.runId,
      status: log.status,
      reason: log.damage ?? null,
    });
    const insert = this.#prepared('INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    for (const { used, ...sample } of samples)
      insert.run(
        n,
        log.eval,
        sample.name,
        sample.state,
        bytesOf(sample.key),
        sample.asked === undefined ? null : bytesOf(sample.asked),
        bytesOf(sample.content),
        sample.answers ?? null,
        used.tokens,
        used.turns,
        used.messages,
        used.usd,
        used.ended?.type ?? null,
        used.ended?.limit ?? null,
        sample.later ? stringifyJson(sample.later) : null,
      );
  }

  /** The run that an indexed log is of. */
  runOf(name: string): string | undefined {
    const row = this.#one('SELECT run FROM logs WHERE name = ?', name);
    return typeof row?.run === 'string' ? row.run : undefined;
  }

  /** The names of all logs that it knows. */
  names(): readonly string[] {
    return this.#all('SELECT name FROM logs').map(({ name }) => String(name));
  }

  forget(name: string): void {
    this.#transaction(() => this.#forget(name));
  }

  /** Completed samples with this key, those of the latest logs first. */
  *byKey(key: Digest): Iterable<FoundSample> {
    yield* this.#found(
      `${FOUND} WHERE key = ? AND state = 'completed' ORDER BY samples.log DESC`,
      bytesOf(key),
    );
  }

  /** The completed samples of a log, by `shortDigest` of their keys. */
  resultsIn(log: string): ReadonlyMap<string, FoundSample> {
    const sql = `${FOUND} WHERE logs.name = ? AND state = 'completed'`;
    const rows = this.#prepared(sql).all(log);
    return new Map(rows.map((row) => [hexOf(row.key), foundOf(row)]));
  }

  /** Samples whose target ended in the same question, those of the latest logs first. */
  *byAsked(asked: Digest): Iterable<FoundSample> {
    yield* this.#found(
      `${FOUND} WHERE asked = ? AND state = 'completed' ORDER BY samples.log DESC`,
      bytesOf(asked),
    );
  }

  /** All that there is of a sample of an eval, the latest logs first. */
  *bySample(evalName: string, { id, epoch }: SampleKey): Iterable<FoundSample> {
    yield* this.#found(
      `${FOUND} WHERE samples.eval = ? AND samples.name = ? ORDER BY samples.log DESC`,
      evalName,
      sampleKeyText(id, epoch),
    );
  }

  /** Of each set of answers that there is of a sample the latest log of each target that holds it, the latest first. */
  answersOf(evalName: string, { id, epoch }: SampleKey): readonly FoundSample[] {
    const sql = `SELECT samples.*, max(samples.log), logs.name AS log_name, logs.run AS run, logs.target AS target
      FROM samples JOIN logs ON logs.n = samples.log WHERE samples.eval = ? AND samples.name = ? AND answers IS NOT NULL
      GROUP BY answers, logs.target ORDER BY samples.log DESC`;
    return [...this.#found(sql, evalName, sampleKeyText(id, epoch))];
  }

  /** What completed samples of an eval cost on a target, as far as prices are known. */
  costs(evalName: string, target: string): { readonly usd: number; readonly samples: number } {
    const row = this.#one(
      `SELECT total(usd) AS usd, count(*) AS samples FROM samples JOIN logs ON logs.n = samples.log
       WHERE logs.eval = ? AND logs.target = ? AND state = 'completed' AND usd > 0`,
      evalName,
      target,
    );
    return { usd: Number(row?.usd ?? 0), samples: Number(row?.samples ?? 0) };
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  *#found(sql: string, ...values: readonly (string | Uint8Array)[]): Iterable<FoundSample> {
    for (const row of this.#prepared(sql).iterate(...values)) yield foundOf(row);
  }

  #replaceLog(log: StoredLog, about: Readonly<Record<string, string | null>>): number {
    this.#forget(log.name);
    const n = this.#numberFor(log.name);
    const { kind = 'other', eval: evalName = null, target = null } = about;
    const { run = null, status = null, reason = null } = about;
    this.#prepared(
      'INSERT INTO logs (n, name, stamp, kind, eval, target, run, status, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(n, log.name, stampOf(log), kind, evalName, target, run, status, reason);
    return n;
  }

  /** Later logs have larger numbers: names begin with the time at which their run began [LOG-7]. */
  #numberFor(name: string): number {
    const first =
      Number(name.slice(0, TIME_LENGTH).replace(/\D/g, '').padEnd(TIME_DIGITS, '0')) * SAME_TIME_MAX;
    const base = Number.isSafeInteger(first) ? first : 0;
    const last = this.#one('SELECT max(n) AS n FROM logs WHERE n >= ? AND n < ?', base, base + SAME_TIME_MAX);
    return typeof last?.n === 'number' ? last.n + 1 : base;
  }

  #forget(name: string): void {
    this.#prepared('DELETE FROM samples WHERE log IN (SELECT n FROM logs WHERE name = ?)').run(name);
    this.#prepared('DELETE FROM logs WHERE name = ?').run(name);
  }

  #transaction(work: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #one(sql: string, ...values: readonly (string | number)[]): Row | undefined {
    return this.#prepared(sql).get(...values);
  }

  #all(sql: string): readonly Row[] {
    return this.#prepared(sql).all();
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

type Row = Readonly<Record<string, unknown>>;

/** A log that was replaced has another size or another time. */
function stampOf({ sizeBytes, modifiedMs }: StoredLog): string {
  return `${sizeBytes} ${modifiedMs}`;
}

/** As the index keeps it: half of a digest tells a million samples apart as well. */
export function shortDigest(digest: Digest): string {
  return digest.slice(0, 32);
}

function bytesOf(digest: Digest): Uint8Array {
  return Buffer.from(shortDigest(digest), 'hex');
}

/** The same digest, as the index keeps it. */
export function isSameDigest(kept: string, digest: Digest): boolean {
  return shortDigest(digest) === kept;
}

function foundOf(row: Row): FoundSample {
  const ended = typeof row.ended === 'string' ? { type: row.ended, limit: Number(row.ended_at) } : undefined;
  const [tokens, turns, messages, usd] = [row.tokens, row.turns, row.messages, row.usd].map(Number);
  return {
    log: String(row.log_name),
    target: String(row.target),
    runId: String(row.run),
    state: row.state === 'completed' || row.state === 'errored' ? row.state : 'interrupted',
    content: hexOf(row.content),
    answers: typeof row.answers === 'string' ? row.answers : undefined,
    used: { tokens: tokens ?? 0, turns: turns ?? 0, messages: messages ?? 0, usd: usd ?? 0, ended },
    later: typeof row.later === 'string' ? readLater(row.later) : undefined,
  };
}

function hexOf(bytes: unknown): string {
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : '';
}

function readLater(text: string): Readonly<Record<string, Digest>> | undefined {
  return readMark({ holdfast: { key: '', content: '', later: parseJson(text) } })?.later;
}
