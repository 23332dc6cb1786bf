import type { StopSignals } from '../../runner/index.ts';
import { EXIT } from '../exit-code.ts';
import { listenForStop } from '../run/stop-control.ts';

/** Does what the first Ctrl-C ends, after it was told; a third leaves at once. Runs go on in other places meanwhile. */
export async function untilStopped<T>(
  onStop: () => void,
  work: (signals: StopSignals) => Promise<T>,
): Promise<T> {
  const stop = listenForStop({ onDrain: onStop, onAbort: () => undefined, exitCode: EXIT.interrupted });
  try {
    return await work(stop.signals);
  } finally {
    stop.dispose();
  }
}
