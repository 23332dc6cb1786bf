import process from 'node:process';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

/** What the process will end with, whoever ends it; undefined until that is known. */
let known: ExitCode | undefined;

/** The command has concluded: nothing that runs on, such as a timer of an eval, changes its exit code any more. */
export function concludeWith(code: ExitCode): void {
  known = code;
}

/** Ends the process at once, on purpose. */
export function endNow(code: ExitCode): never {
  known = code;
  process.exit(code);
}

/** Told to stop by a signal that nobody else hears; one that comes when the command has concluded changes nothing. */
export function endStopped(code: number): never {
  return endNow(known ?? (code as ExitCode));
}

/**
 * Whatever code of an eval does, the process does not end as if all were well before its command has concluded:
 * `process.exit(0)` in a target, or a promise that nothing is left to settle.
 */
export function guardProcessEnd(about: {
  readonly terminal: Terminal;
  /** A run is resumable at any moment, so that its end is an interruption. */
  readonly isRun: boolean;
  readonly isJson: boolean;
}): void {
  let isIdle = false;
  let isCrash = false;
  process.on('beforeExit', () => {
    isIdle = true;
  });
  process.on('uncaughtExceptionMonitor', () => {
    // With no one to handle it, Node prints the stack and ends the process: nothing needs to be added.
    isCrash = process.listenerCount('uncaughtException') === 0;
  });
  process.on('exit', () => {
    if (known === undefined) {
      known = about.isRun ? EXIT.interrupted : EXIT.failed;
      if (!isCrash) sayWhy({ ...about, isIdle, exitCode: known });
    }
    process.exitCode = known;
  });
}

function sayWhy(end: {
  readonly terminal: Terminal;
  readonly isRun: boolean;
  readonly isJson: boolean;
  readonly isIdle: boolean;
  readonly exitCode: ExitCode;
}): void {
  const what = end.isRun ? 'eval' : 'command';
  const message = end.isIdle
    ? `The process had nothing left to wait for before the ${what} was over: a promise in it never settles.`
    : `The process was ended from inside the ${what} (process.exit) before it was over.`;
  const hint = end.isRun
    ? 'Nothing that was paid for is lost; run the same command again to go on.'
    : 'Run the same command again.';
  if (end.isJson) {
    const error = { code: 'E_PROCESS_ENDED', message, hint, retryable: true };
    end.terminal.json({ exitCode: end.exitCode, error });
  }
  end.terminal.note(`${end.terminal.noteStyle.bad('error')}  ${message}\n       ${hint}`);
}
