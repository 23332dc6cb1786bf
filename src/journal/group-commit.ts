import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Clock, InvariantError } from '../base/index.ts';
import { explainSqliteError } from './database.ts';

/** Rows wait at most this long for the next commit when nobody waits for them. */
const LINGER_MS = 10;
/** More than this is committed at once, so that memory stays small whatever the target does. */
const PENDING_BYTES_MAX = 4 * 1024 * 1024;

/** One row that waits: its values are taken when it is inserted, since it may grow until then. */
export interface PendingRow {
  insert(): void;
}

export interface GroupCommitOptions {
  readonly path: string;
  readonly clock: Clock;
  /** After each commit, before anybody is told: what it throws fails the journal. */
  readonly onCommit: (commits: number) => void;
}

/**
 * Collects rows and commits them together: one sync for everybody who waits [JRN-1].
 *
 * ### Ordering
 * Rows are inserted in the order of `append`, and `flush` resolves only after a commit that holds every row appended
 * before it, and after `onCommit` was content. After a failure nothing is taken any more: what was not acknowledged is
 * never acknowledged, what was acknowledged stays.
 */
export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #options: GroupCommitOptions;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #onFailure = new AbortController();
  #rows: PendingRow[] = [];
  #bytes = 0;
  #waiting: Array<{ resolve: () => void; reject: (error: unknown) => void }> = [];
  #immediate: NodeJS.Immediate | undefined;
  #timer: Disposable | undefined;
  #failure: { readonly error: unknown } | undefined;
  #commits = 0;
  #group = 0;

  constructor(db: DatabaseSync, options: GroupCommitOptions) {
    this.#db = db;
    this.#options = options;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
  }

  /** How many commits (and so syncs) there were. */
  get commits(): number {
    return this.#commits;
  }

  get failure(): unknown {
    return this.#failure?.error;
  }

  /** Aborted with the error at the first failure. */
  get onFailure(): AbortSignal {
    return this.#onFailure.signal;
  }

  /** Which group is being collected. As long as it is the same, a row that was appended may still grow. */
  get group(): number {
    return this.#group;
  }

  append(row: PendingRow, sizeBytes: number): void {
    if (this.#failure) return; // The next `flush` says why.
    this.#rows.push(row);
    this.grew(sizeBytes);
  }

  /** A row of the current group became larger. */
  grew(sizeBytes: number): void {
    if (this.#failure) return;
    this.#bytes += sizeBytes;
    if (this.#bytes > PENDING_BYTES_MAX) this.#commitNow();
    else this.#timer ??= this.#options.clock.after(LINGER_MS, () => this.#commitNow());
  }

  /** Resolves when everything appended so far is durable. */
  flush(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      // After the current turn of the event loop, so that all who are ready now share one sync.
      this.#immediate ??= setImmediate(() => this.#commitNow());
    });
  }

  /** Commits what is waiting, at once; throws when that fails. */
  flushNow(): void {
    this.#commitNow();
    if (this.#failure) throw this.#failure.error;
  }

  /** Commits what is waiting, and then everything that `work` writes, as one transaction of its own. */
  transaction(work: () => void): void {
    this.flushNow();
    this.#write(work);
    if (this.#failure) throw this.#failure.error;
  }

  /** From now on nothing is acknowledged. The first failure is the one that is told. */
  fail(error: unknown): void {
    if (this.#failure) return;
    this.#failure = { error };
    this.#rows = [];
    this.#onFailure.abort(error);
    this.#commitNow();
  }

  /** Commits what is waiting and takes nothing more. What nobody waited for may be lost if that fails. */
  close(): void {
    this.#commitNow();
    this.#failure ??= { error: new InvariantError(`the journal ${this.#options.path} was closed`) };
  }

  #commitNow(): void {
    this.#cancelTimers();
    const waiting = this.#waiting;
    this.#waiting = [];
    if (!this.#failure && this.#rows.length > 0) this.#write(() => this.#insertPending());
    for (const waiter of waiting) {
      if (this.#failure) waiter.reject(this.#failure.error);
      else waiter.resolve();
    }
  }

  #write(insert: () => void): void {
    try {
      this.#begin.run();
      insert();
      this.#commit.run();
      this.#commits++;
      this.#options.onCommit(this.#commits);
    } catch (error) {
      this.#rollback();
      this.fail(explainSqliteError(error, this.#options.path));
    }
  }

  #rollback(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    } catch {
      // A disk that fails may fail this too. Nothing of it was committed, and the first failure is the one that is told.
    }
  }

  #insertPending(): void {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    this.#group++;
    for (const row of rows) row.insert();
  }

  #cancelTimers(): void {
    this.#timer?.[Symbol.dispose]();
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
  }
}
