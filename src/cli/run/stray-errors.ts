import { relative } from 'node:path';
import process from 'node:process';
import { messageOf } from '../../base/index.ts';
import { placeOfError } from '../eval-files/module-place.ts';
import type { Terminal } from '../terminal.ts';

/** An eval that leaves a promise behind in every sample must not fill the screen. */
const SHOWN_MAX = 5;

/**
 * Errors of an eval's own code that belong to no sample: a promise that was left behind, a throw in a timer. Neither
 * takes the run with it. After an uncaught one nobody knows what state the eval's code is in, so the run is drained.
 */
export class StrayErrors {
  readonly #cwd: string;
  #note: (text: string) => void;
  #onUncaught: () => void = () => undefined;
  #shown = 0;
  #isUncaught = false;

  /** Listens until the process ends: such errors come at any time, also after the run. */
  constructor(terminal: Terminal) {
    this.#cwd = terminal.cwd;
    this.#note = terminal.note;
    process.on('unhandledRejection', (reason) =>
      this.#say('A promise in an eval was rejected and not handled', reason),
    );
    process.on('uncaughtException', (error) => {
      this.#say('An error in an eval was thrown outside of any sample', error);
      this.#isUncaught = true;
      this.#onUncaught();
    });
  }

  /** From now on notes go there, and an uncaught error, also one of before, calls `onUncaught`. */
  watch(handlers: { readonly note: (text: string) => void; readonly onUncaught: () => void }): void {
    this.#note = handlers.note;
    this.#onUncaught = handlers.onUncaught;
    if (this.#isUncaught) handlers.onUncaught();
  }

  #say(what: string, error: unknown): void {
    this.#shown++;
    if (this.#shown > SHOWN_MAX) return;
    const place = placeOfError(error);
    const where = place ? ` (${relative(this.#cwd, place.file)}:${place.line}:${place.column})` : '';
    this.#note(`${what}: ${messageOf(error)}${where}`);
    if (this.#shown === SHOWN_MAX) this.#note('Further errors of that kind are not shown.');
  }
}
