import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { assert, type Clock, isoTime, type Json, stringifyJson } from '../base/index.ts';
import { type Disk, type Lock, tryLock, whoAmI } from '../disk/index.ts';
import { createCondenser } from '../log/index.ts';
import { AttemptWriter, type RowSink } from './attempt-writer.ts';
import { copyAttempt } from './carry.ts';
import { createDatabase, openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { journalBusy } from './journal-errors.ts';
import { JournalReader, sampleKey } from './reader.ts';
import type { AttemptStart, EndingRecord, ReusedSample, RunRecord } from './records.ts';
import { setDamagedAside } from './set-damaged-aside.ts';
import { SegmentShipper, type ShipperOptions } from './shipper.ts';

export const JOURNAL_FILE = 'journal.db';
export const LOCK_FILE = 'lock';
const BEAT_MS = 5_000;

export interface JournalPorts {
  readonly disk: Disk;
  readonly clock: Clock;
}

/**
 * Begins a journal in a new directory.
 *
 * ### Ordering
 * The lock is taken before the database exists, so nobody can take a journal that is being born for a dead one. The
 * run record is the first transaction; it goes into the database itself before anything is paid for, and the directory
 * is synced after it. So a journal is there with its run record, whatever happens to its write-ahead log, or it is an
 * empty shell that holds nothing [JRN-3].
 */
export async function createJournal(dir: string, run: RunRecord, ports: JournalPorts): Promise<Journal> {
  await ports.disk.makeDir(dir);
  const lock = takeLock(dir);
  try {
    const path = `${dir}/${JOURNAL_FILE}`;
    const journal = new Journal(createDatabase(path), path, { ...ports, lock });
    journal.begin(run);
    await journal.flush();
    journal.checkpoint();
    await ports.disk.syncDir(dir);
    return journal;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Goes on with a journal whose writer is dead. Fails with E_JOURNAL_BUSY when it is not. */
export async function adoptJournal(dir: string, ports: JournalPorts): Promise<Journal> {
  const lock = takeLock(dir);
  try {
    const path = `${dir}/${JOURNAL_FILE}`;
    const damage = await setDamagedAside(ports.disk, dir);
    const journal = new Journal(openDatabase(path, 'write'), path, { ...ports, lock });
    journal.damage = damage;
    journal.beginSession();
    await journal.flush();
    return journal;
  } catch (error) {
    lock.release();
    throw error;
  }
}

function takeLock(dir: string): Lock {
  const lock = tryLock(`${dir}/${LOCK_FILE}`);
  if (!lock) throw journalBusy(dir);
  return lock;
}

/** A journal open for writing. One process at a time: it holds the lock. */
export class Journal extends JournalReader implements RowSink {
  readonly #commit: GroupCommit;
  readonly #statements: Statements;
  readonly #clock: Clock;
  readonly #lock: Lock;
  /** A sentence about acknowledged transactions that can no longer be read, when it was adopted so. */
  damage: string | undefined;
  #heart: NodeJS.Timeout | undefined;
  #session = 0;
  #nextAttempt: number;
  #bytes = 0;

  constructor(db: DatabaseSync, path: string, ports: JournalPorts & { readonly lock: Lock }) {
    super(db, path);
    this.#clock = ports.clock;
    this.#lock = ports.lock;
    this.#commit = new GroupCommit(db, path);
    this.#statements = prepareAll(db);
    this.#nextAttempt = 1 + Number(db.prepare('SELECT max(n) AS last FROM attempts').get()?.last ?? 0);
  }

  begin(run: RunRecord): void {
    this.insert('meta', ['run', stringifyJson(run as unknown as Json)]);
    this.beginSession();
  }

  /** Says who writes now, and keeps saying that it is alive. */
  beginSession(): void {
    this.#session = 1 + Number(this.db.prepare('SELECT max(n) AS last FROM sessions').get()?.last ?? 0);
    const record = { process: whoAmI(), startedAt: isoTime(this.#clock.nowMs()) };
    this.insert('sessions', [this.#session, stringifyJson(record as unknown as Json)]);
    this.#beat();
    this.#heart = setInterval(() => this.#beat(), BEAT_MS);
    this.#heart.unref();
  }

  /** Which of the sessions is this process's own. */
  get session(): number {
    return this.#session;
  }

  get commits(): number {
    return this.#commit.commits;
  }

  /** Why nothing is taken any more, if so: the disk is full or failed. */
  get failure(): unknown {
    return this.#commit.failure;
  }

  /** Bytes of rows written by this process: tells the shipper when a segment is due. */
  get bytesWritten(): number {
    return this.#bytes;
  }

  /** Moves what is in the write-ahead log into the database. */
  checkpoint(): void {
    this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  startAttempt(start: AttemptStart): AttemptWriter {
    const n = this.#nextAttempt++;
    const writer = new AttemptWriter(this, { n, start, condenser: createCondenser() });
    writer.begin();
    return writer;
  }

  /** Goes on with an attempt whose target had ended when its process died: what is left is to score it. */
  resumeAttempt(n: number): AttemptWriter {
    const start = this.attempt(n);
    assert(start, `there is no attempt ${n} to go on with`);
    const hashes = [...this.attachments(n)].map(({ hash }) => hash);
    const condenser = createCondenser({
      messages: this.pool(n, 'message'),
      calls: this.pool(n, 'call'),
      attachmentHashes: hashes,
    });
    return new AttemptWriter(this, { n, start, condenser, linked: hashes });
  }

  /** A later session may find another log to take the sample from: the newest word counts. */
  recordReuse(sample: ReusedSample): void {
    this.insert('reused', [
      sampleKey(sample.id),
      sample.epoch,
      sample.log,
      sample.runId,
      stringifyJson(sample.summary as unknown as Json),
    ]);
  }

  /**
   * Copies attempts from another journal into this one, with everything they refer to, in one durable transaction: a
   * run whose plan changed goes on with the answers that were already paid for. Gives the new number of each attempt.
   */
  copyFrom(fromPath: string, attempts: readonly number[]): ReadonlyMap<number, number> {
    const numbers = new Map<number, number>();
    if (attempts.length === 0) return numbers;
    this.db.prepare('ATTACH DATABASE ? AS other').run(fromPath);
    try {
      this.db.exec('BEGIN IMMEDIATE');
      for (const attempt of attempts) {
        const n = this.#nextAttempt++;
        copyAttempt(this.db, attempt, n);
        numbers.set(attempt, n);
      }
      this.db.exec('COMMIT');
      return numbers;
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    } finally {
      this.db.exec('DETACH DATABASE other');
    }
  }

  /** Queues one row; it is durable after the next `flush`. */
  insert(table: keyof Statements, row: readonly SQLInputValue[]): void {
    let sizeBytes = 64;
    for (const value of row) if (typeof value === 'string') sizeBytes += value.length;
    this.#bytes += sizeBytes;
    this.#commit.append(this.#statements[table], row, sizeBytes);
  }

  /** Which group of rows is being collected: a row of this group may still grow. */
  get group(): number {
    return this.#commit.group;
  }

  /** Says by how much a row of the current group grew. */
  grew(sizeBytes: number): void {
    this.#bytes += sizeBytes;
    this.#commit.grew(sizeBytes);
  }

  /** Resolves when everything inserted so far is durable; rejects when it cannot be made so. */
  flush(): Promise<void> {
    return this.#commit.flush();
  }

  /** Copies to a bucket what is written here; the caller starts and stops it. */
  shipTo(options: ShipperOptions): SegmentShipper {
    return new SegmentShipper(this, this.db, options);
  }

  /** Ends this session in good order. The journal stays until it is sealed. */
  async end(reason: EndingRecord['reason']): Promise<void> {
    const record: EndingRecord = { endedAt: isoTime(this.#clock.nowMs()), reason };
    this.insert('endings', [this.#session, stringifyJson(record as unknown as Json)]);
    await this.flush();
  }

  override close(): void {
    clearInterval(this.#heart);
    if (this.db.isOpen) this.#commit.close();
    super.close();
    this.#lock.release();
  }

  #beat(): void {
    this.insert('lease', [this.#clock.nowMs()]);
  }
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql);
  return {
    meta: prepare('INSERT INTO meta (key, value) VALUES (?, ?)'),
    sessions: prepare('INSERT INTO sessions (n, data) VALUES (?, ?)'),
    endings: prepare('INSERT OR IGNORE INTO endings (session, data) VALUES (?, ?)'),
    contents: prepare('INSERT OR IGNORE INTO contents (hash, text) VALUES (?, ?)'),
    attempts: prepare('INSERT INTO attempts (n, sample_id, epoch, key, data) VALUES (?, ?, ?, ?, ?)'),
    events: prepare('INSERT INTO events (attempt, json) VALUES (?, ?)'),
    links: prepare('INSERT INTO links (attempt, kind, position, hash, text) VALUES (?, ?, ?, ?, ?)'),
    answers: prepare('INSERT INTO answers (attempt, kind, digest, occurrence, data) VALUES (?, ?, ?, ?, ?)'),
    outputs: prepare('INSERT INTO outputs (attempt, data) VALUES (?, ?)'),
    results: prepare('INSERT INTO results (attempt, status, summary, data) VALUES (?, ?, ?, ?)'),
    reused: prepare(
      'INSERT OR REPLACE INTO reused (sample_id, epoch, log, run, summary) VALUES (?, ?, ?, ?, ?)',
    ),
    shipped: prepare('INSERT INTO shipped (seq, data) VALUES (?, ?)'),
    lease: prepare(
      'INSERT INTO lease (one, beat_ms) VALUES (1, ?) ON CONFLICT DO UPDATE SET beat_ms = excluded.beat_ms',
    ),
  };
}

type Statements = ReturnType<typeof prepareAll>;
