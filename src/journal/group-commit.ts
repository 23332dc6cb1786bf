import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { InvariantError } from '../base/index.ts';
import { explainSqliteError } from './database.ts';

/** Rows wait at most this long for the next commit when nobody waits for them. */
const LINGER_MS = 10;
/** More than this is committed at once, so that memory stays small whatever the target does. */
const PENDING_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Collects rows and commits them together: one sync for everybody who waits [JRN-1].
 *
 * ### Ordering
 * Rows are inserted in the order of `append`, and `flush` resolves only after a commit that holds every row appended
 * before it. After a failed commit nothing is taken any more: what was not acknowledged is not in the journal, what
 * was acknowledged stays.
 */
export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #rows: Array<readonly [StatementSync, readonly SQLInputValue[]]> = [];
  #bytes = 0;
  #waiting: Array<{ resolve: () => void; reject: (error: unknown) => void }> = [];
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: { readonly error: unknown } | undefined;
  #commits = 0;
  #group = 0;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
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

  /** Which group is being collected. As long as it is the same, a row that was appended may still grow. */
  get group(): number {
    return this.#group;
  }

  append(statement: StatementSync, row: readonly SQLInputValue[], sizeBytes: number): void {
    if (this.#failure) return; // The next `flush` says why.
    this.#rows.push([statement, row]);
    this.grew(sizeBytes);
  }

  /** A row of the current group became larger. */
  grew(sizeBytes: number): void {
    if (this.#failure) return;
    this.#bytes += sizeBytes;
    if (this.#bytes > PENDING_BYTES_MAX) this.#commitNow();
    else this.#timer ??= setTimeout(() => this.#commitNow(), LINGER_MS);
  }

  /** Resolves when everything appended so far is durable. */
  flush(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      // After the current turn of the event loop, so that all who are ready now share one sync.
      this.#immediate ??= setImmediate(() => this.#commitNow());
    });
  }

  /** Commits what is waiting and takes nothing more. What nobody waited for may be lost if that fails. */
  close(): void {
    this.#commitNow();
    this.#failure ??= { error: new InvariantError(`the journal ${this.#path} was closed`) };
  }

  #commitNow(): void {
    this.#cancelTimers();
    const waiting = this.#waiting;
    this.#waiting = [];
    if (!this.#failure && this.#rows.length > 0) this.#write();
    for (const waiter of waiting) {
      if (this.#failure) waiter.reject(this.#failure.error);
      else waiter.resolve();
    }
  }

  #write(): void {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    this.#group++;
    try {
      this.#begin.run();
      for (const [statement, row] of rows) statement.run(...row);
      this.#commit.run();
      this.#commits++;
    } catch (error) {
      this.#failure = { error: explainSqliteError(error, this.#path) };
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    }
  }

  #cancelTimers(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
  }
}
