import type { StopSignals } from '../../runner/index.ts';
import type { ExitCode } from '../exit-code.ts';
import { endNow } from '../process-end.ts';
import { listenToSignals } from '../signals.ts';

/** Ctrl-C once: drain. Twice: abort. A third time: leave at once; the journal is whole at any moment. */
export interface StopControl {
  readonly signals: StopSignals;
  /** How often it was told to stop. */
  readonly count: number;
  /** Like the first Ctrl-C, for a reason of our own; no more than that however often it is called. */
  drain(reason: string): void;
  /** There is nothing to stop any more. A signal that comes too late does not keep the command from saying what came of it; one more does. */
  dispose(): void;
}

export interface StopHandlers {
  readonly onDrain: (signal: string) => void;
  readonly onAbort: () => void;
  /** For the signal that comes too late. */
  readonly note: (text: string) => void;
  readonly exitCode: ExitCode;
}

export function listenForStop(handlers: StopHandlers): StopControl {
  const drain = new AbortController();
  const abort = new AbortController();
  let count = 0;
  const onSignal = (signal: string) => {
    count++;
    if (count === 1) {
      handlers.onDrain(signal);
      drain.abort(new Error(`Stopped by ${signal}`));
    } else if (count === 2) {
      handlers.onAbort();
      abort.abort(new Error(`Stopped by ${signal}`));
    } else endNow(handlers.exitCode);
  };
  const heard = listenToSignals(onSignal);
  working.add(onSignal);
  forgetLate();
  return {
    signals: { drain: drain.signal, abort: abort.signal },
    get count() {
      return count;
    },
    drain(reason) {
      if (count === 0) onSignal(reason);
    },
    dispose() {
      if (!working.delete(onSignal)) return;
      // With nobody listening a signal ends the process, and what came of the work is never said.
      if (working.size === 0) listenLate(handlers);
      heard[Symbol.dispose]();
    },
  };
}

/** One may work within another: what is published at the end of a run that is waited for. */
const working = new Set<(signal: string) => void>();
let late: Disposable | undefined;

function listenLate({ note, exitCode }: StopHandlers): void {
  let isTold = false;
  late = listenToSignals(() => {
    if (isTold) endNow(exitCode);
    isTold = true;
    note('This is done, and what came of it is said next. Press Ctrl-C again to leave without that.');
  });
}

/** There is something to stop again. */
function forgetLate(): void {
  late?.[Symbol.dispose]();
  late = undefined;
}
