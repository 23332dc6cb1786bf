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
  dispose(): void;
}

export function listenForStop(handlers: {
  readonly onDrain: (signal: string) => void;
  readonly onAbort: () => void;
  readonly exitCode: ExitCode;
}): StopControl {
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
  return {
    signals: { drain: drain.signal, abort: abort.signal },
    get count() {
      return count;
    },
    drain(reason) {
      if (count === 0) onSignal(reason);
    },
    dispose() {
      heard[Symbol.dispose]();
    },
  };
}
