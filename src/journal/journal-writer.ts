import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { assert, type Clock, exactJson, isoTime, toJson } from '../base/index.ts';
import type { Lock } from '../disk/index.ts';
import { answerKey, createCondenser } from '../log/index.ts';
import type { AcknowledgedFile } from './acknowledged.ts';
import { AttemptWriter, type RowSink } from './attempt-writer.ts';
import { copyAttempt } from './copy-attempt.ts';
import { explained } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { JournalReader } from './journal-reader.ts';
import { JournalRows } from './journal-rows.ts';
import type { AttemptStart, EndingRecord, Origin, ReusedSample, RunRecord, WriterRecord } from './records.ts';
import { RowInserter, type Value } from './row-inserter.ts';
import { JOURNAL_VERSION, type Table } from './schema.ts';
import { SegmentShipper, type ShipperOptions } from './shipper.ts';
import { idText } from './stored-documents.ts';
import { WriterGuard } from './writer-guard.ts';

const BEAT_MS = 5_000;
/** A fence or a vanished directory is noticed within a second, also when nothing is written. */
const WATCH_MS = 400;
const SYNC_MARK_MS = 1_000;

export interface JournalWriterOptions {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly dir: string;
  readonly run: RunRecord;
  readonly record: WriterRecord;
  readonly clock: Clock;
  readonly lock: Lock;
  readonly mark: AcknowledgedFile;
}

/** A journal that this process writes, and nobody else ever does. What it holds is read with its `reader`. */
export class JournalWriter implements RowSink {
  readonly reader: JournalReader;
  readonly record: WriterRecord;
  readonly run: RunRecord;
  readonly dir: string;
  readonly #db: DatabaseSync;
  readonly clock: Clock;
  readonly #lock: Lock;
  readonly #mark: AcknowledgedFile;
  readonly #guard: WriterGuard;
  readonly #commit: GroupCommit;
  readonly #rows: RowInserter;
  readonly #beats: StatementSync;
  readonly #ships: StatementSync;
  readonly #timers: Disposable[];
  readonly #shippers: SegmentShipper[] = [];
  #nextAttempt = 1;
  #bytes = 0;

  constructor(options: JournalWriterOptions) {
    const { db, path, clock } = options;
    this.record = options.record;
    this.run = options.run;
    this.dir = options.dir;
    this.#db = db;
    this.clock = clock;
    this.#lock = options.lock;
    this.#mark = options.mark;
    this.#guard = new WriterGuard(path);
    this.#rows = new RowInserter(db);
    this.#beats = db.prepare(BEAT);
    this.#ships = db.prepare('INSERT INTO shipped (chain, seq, data) VALUES (?, ?, ?)');
    this.#commit = new GroupCommit(db, { path, clock, onCommit: (commits) => this.#acknowledge(commits) });
    const rows = new JournalRows(db, { path, version: JOURNAL_VERSION });
    this.reader = new JournalReader(rows, {
      isBorrowed: true,
      records: { run: options.run, writer: options.record },
    });
    this.#timers = [
      clock.every(BEAT_MS, () => this.#beat()),
      clock.every(WATCH_MS, () => this.#watch()),
      clock.every(SYNC_MARK_MS, () => this.#orFail(() => this.#mark.sync())),
    ];
  }

  /** The first transaction [JRN-3]. It is in the database itself, not only in its write-ahead log, on return. */
  begin(): void {
    this.#insert('meta', ['run', exactJson(toJson(this.run))]);
    this.#insert('meta', ['writer', exactJson(toJson(this.record))]);
    this.#beat();
    this.#commit.flushNow();
    this.checkpoint();
    this.#mark.sync();
  }

  get commits(): number {
    return this.#commit.commits;
  }

  /** Why nothing is taken any more, if so: the disk is full or failed, the writer was fenced, its directory is gone. */
  get failure(): unknown {
    return this.#commit.failure;
  }

  /** Aborted with the error at the first failure, whether or not anybody waits for a row just then. */
  get onFailure(): AbortSignal {
    return this.#commit.onFailure;
  }

  /** Bytes of rows written by this process: tells the shipper when a segment is due. */
  get bytesWritten(): number {
    return this.#bytes;
  }

  /** Moves what is in the write-ahead log into the database. */
  checkpoint(): void {
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#guard.logEmptied();
  }

  startAttempt(start: AttemptStart): AttemptWriter {
    const n = this.#nextAttempt++;
    const attempt = new AttemptWriter(this, {
      n,
      start,
      origin: this.#originOf(n),
      condenser: createCondenser(),
    });
    attempt.begin();
    return attempt;
  }

  /**
   * Goes on with an attempt whose target had ended when its process died: what is left is to score it. It is copied here
   * first, durably and with its origin, and then goes on in this journal.
   */
  continueAttempt(from: { readonly source: JournalReader; readonly n: number }): AttemptWriter {
    const n = this.copyFrom(from.source, [from.n]).get(from.n) ?? 0;
    const start = this.reader.attempt(n);
    assert(start, `there is no attempt ${from.n} in ${from.source.place} to go on with`);
    const linked = [...this.reader.attachments(n)].map(({ hash }) => hash);
    const condenser = createCondenser({
      messages: this.reader.pool(n, 'message'),
      calls: this.reader.pool(n, 'call'),
      attachmentHashes: linked,
    });
    const count = (table: string) =>
      this.reader.rows.number(`SELECT count(*) FROM ${table} WHERE attempt = ?`, n);
    const rows = { events: count('events'), links: count('links'), answers: count('answers') };
    const answered = [...this.reader.answers(n)].map(answerKey);
    return new AttemptWriter(this, { n, start, origin: start.origin, condenser, linked, answered, rows });
  }

  /**
   * Copies attempts from another journal into this one, with everything they refer to, in one durable transaction. Gives
   * the new number of each attempt.
   */
  copyFrom(source: JournalReader, attempts: readonly number[]): ReadonlyMap<number, number> {
    const numbers = new Map<number, number>();
    if (attempts.length === 0) return numbers;
    this.#commit.transaction(() => {
      for (const attempt of attempts) {
        const n = this.#nextAttempt++;
        if (copyAttempt(source, attempt, { rows: this.#rows, n, runId: this.run.runId }))
          numbers.set(attempt, n);
      }
    });
    return numbers;
  }

  /** The last word for a sample counts. */
  recordReuse({ id, epoch, log, runId, mode, summary }: ReusedSample): void {
    const { id: _, ...rest } = summary;
    const json = exactJson(toJson({ id, ...rest }));
    this.#insert('reused', [idText(id), epoch, log, runId, mode, json]);
  }

  /** Queues one row; it is durable after the next `flush`. Rows of `attempts` begin with their number. */
  insert(table: Table, row: readonly Value[], costUsd?: number): void {
    this.#insert(table, row, costUsd);
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
    const shipper = new SegmentShipper(this, options);
    this.#shippers.push(shipper);
    return shipper;
  }

  /** Remembers that a segment is in the bucket, with the next commit: it decides nothing, so nobody waits for it. */
  recordShipped(chain: string, seq: number, json: string): void {
    this.#append(64 + json.length, () => this.#ships.run(chain, seq, json));
  }

  /** Nothing is acknowledged from now on: somebody found that this process must not write any more. */
  fail(error: unknown): void {
    this.#commit.fail(error);
  }

  /** Ends in good order, and says so in the bucket too [SEG-5]. The journal stays until its run is sealed. */
  async end(reason: EndingRecord['reason']): Promise<void> {
    this.#insert('endings', [exactJson({ endedAt: isoTime(this.clock.nowMs()), reason })]);
    await this.flush();
    for (const shipper of this.#shippers) await shipper.finish();
  }

  /** Closing twice is fine. */
  close(): void {
    for (const timer of this.#timers.splice(0)) timer[Symbol.dispose]();
    for (const shipper of this.#shippers) shipper.stop();
    if (this.#db.isOpen) {
      this.#commit.close();
      this.#db.close();
      this.#mark.close();
    }
    this.#lock.release();
  }

  #insert(table: Table, row: readonly Value[], usd?: number): void {
    let sizeBytes = 64;
    for (const value of row) if (typeof value !== 'number') sizeBytes += value?.length ?? 0;
    this.#append(sizeBytes, () => {
      if (table !== 'attempts') return this.#rows.insert(table, row, { usd: usd ?? 0 });
      const [n, ...values] = row;
      this.#rows.insert(table, values, { n: Number(n) });
    });
  }

  #append(sizeBytes: number, insert: () => void): void {
    this.#bytes += sizeBytes;
    this.#commit.append({ insert }, sizeBytes);
  }

  /** After a commit, before anybody is told of it [JRN-11] [JRN-13]. */
  #acknowledge(commits: number): void {
    const log = this.#saved(() => this.#guard.checkCommit());
    const { writer, process } = this.record;
    this.#mark.write({ ...this.#rows.counted(commits), writer, boot: process.bootId, log });
  }

  /** Throws when this writer may not write any more: whoever is no longer the writer of a run must not seal it either [JRN-13]. */
  assertMayWrite(): void {
    this.#watch();
    if (this.failure !== undefined) throw this.failure;
  }

  #watch(): void {
    this.#orFail(() => this.#saved(() => this.#guard.check()));
  }

  /**
   * A write-ahead log that was deleted is still in the hands of SQLite for as long as this process lives: what it holds goes
   * into the database at once.
   */
  #saved<T>(look: () => T): T {
    try {
      return look();
    } catch (error) {
      if (this.failure === undefined && this.#guard.isLogUnnamed())
        explained(this.reader.path, () => this.#db.exec('PRAGMA wal_checkpoint(FULL)'));
      throw error;
    }
  }

  /** What goes wrong between two commits fails the journal as in one: whoever works on the run is told, and stops. */
  #orFail(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#commit.fail(error);
    }
  }

  #beat(): void {
    this.#append(64, () => this.#beats.run(this.clock.nowMs()));
  }

  #originOf(n: number): Origin {
    return `${this.run.runId}/${this.record.writer}/${n}`;
  }
}

const BEAT =
  'INSERT INTO lease (one, beat_ms) VALUES (1, ?) ON CONFLICT DO UPDATE SET beat_ms = excluded.beat_ms';
