import { ActionableError } from '../base/index.ts';
import { identityOfFile } from '../disk/index.ts';
import { besideJournal } from './layout.ts';

/**
 * Tells whether a writer may still write: its journal is where it was, and nobody fenced it [JRN-13]. Two cheap looks.
 *
 * ### Ordering
 * It is asked after a commit and before its acknowledgement. Whoever fences a writer reads its journal afterwards: so what
 * was acknowledged was committed before the fence was there, and is read.
 */
export class WriterGuard {
  readonly #path: string;
  readonly #fenced: string;
  readonly #identity: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#fenced = besideJournal(path).fenced;
    this.#identity = identityOfFile(path);
  }

  /** Throws when nothing may be acknowledged any more, or when that cannot be told. */
  check(): void {
    if (identityOfFile(this.#path) !== this.#identity) throw vanished(this.#path);
    if (identityOfFile(this.#fenced) !== undefined) throw writerFenced(this.#path);
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
    message: `${path} was moved or removed while its run was under way.`,
    hint: 'Nothing was acknowledged since. If its directory was moved, move it back and run the same command again.',
  });
}
