import { ActionableError } from '../base/index.ts';
import { identityOfFile, sizeOfFile } from '../disk/index.ts';
import { besideJournal } from './layout.ts';
import { readWalSalts, type WalSalts } from './salvage/wal-frames.ts';

/**
 * Tells whether a writer may still write: its files are where they were, and nobody fenced it [JRN-13]. A few cheap looks.
 *
 * ### Ordering
 * It is asked after a commit and before its acknowledgement. Whoever fences a writer reads its journal afterwards: so what
 * was acknowledged was committed before the fence was there, and is read.
 */
export class WriterGuard {
  readonly #path: string;
  readonly #log: string;
  readonly #fenced: string;
  /** What each file was when the writer began, by path. The database comes first. */
  readonly #identities: ReadonlyMap<string, string | undefined>;
  #isLogFilled = false;

  constructor(path: string) {
    const { fenced, acknowledged } = besideJournal(path);
    this.#path = path;
    this.#log = `${path}-wal`;
    this.#fenced = fenced;
    this.#identities = new Map([path, this.#log, acknowledged].map((file) => [file, identityOfFile(file)]));
  }

  /** Throws when nothing may be acknowledged any more, or when that cannot be told. */
  check(): void {
    for (const [file, identity] of this.#identities)
      if (identityOfFile(file) !== identity) throw vanished(file);
    if (this.#isLogFilled && sizeOfFile(this.#log) === 0) throw vanished(this.#log);
    if (identityOfFile(this.#fenced) !== undefined) throw writerFenced(this.#path);
  }

  /** The same after a commit, which went into the write-ahead log: gives the salts of that log. */
  checkCommit(): WalSalts {
    this.check();
    const salts = readWalSalts(this.#log);
    // Whoever emptied it in between left a hole where its beginning was.
    if (!salts) throw vanished(this.#log);
    this.#isLogFilled = true;
    return salts;
  }

  /** The write-ahead log is empty now, and rightly so. */
  logEmptied(): void {
    this.#isLogFilled = false;
  }

  /**
   * True when the write-ahead log lost its name and the database did not. SQLite still holds the log, whole, and what is in
   * it can be moved into the database. One that was emptied in place is no more.
   */
  isLogUnnamed(): boolean {
    const isThere = (file: string) => identityOfFile(file) === this.#identities.get(file);
    return isThere(this.#path) && !isThere(this.#log);
  }
}

export function writerFenced(place: string): ActionableError {
  return new ActionableError({
    code: 'E_WRITER_FENCED',
    message: `${place} was declared dead and must not be written any more: another process goes on with its run.`,
    hint: 'What was acknowledged before is kept and used there. Nothing needs to be done here.',
  });
}

function vanished(path: string): ActionableError {
  return new ActionableError({
    code: 'E_JOURNAL_VANISHED',
    message: `${path} was moved, removed or emptied while its run was under way.`,
    hint: 'Nothing was acknowledged since. If its directory was moved, move it back; then run the same command again.',
  });
}
