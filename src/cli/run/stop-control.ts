import process from 'node:process';
import type { StopSignals } from '../../runner/index.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C once: drain. Twice: abort. A third time: leave at once; the journal is whole at any moment. */
export interface StopControl {
  readonly signals: StopSignals;
  /** How often it was told to stop. */
  readonly count: number;
  dispose(): void;
}

export function listenForStop(handlers: {
  readonly onDrain: (signal: string) => void;
  readonly onAbort: () => void;
  readonly exitCode: number;
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
    } else process.exit(handlers.exitCode);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    signals: { drain: drain.signal, abort: abort.signal },
    get count() {
      return count;
    },
    dispose() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
