import type { StopSignals } from '../../runner/index.ts';
import { EXIT } from '../exit-code.ts';
import { listenForStop } from '../run/stop-control.ts';

/** Does what the first Ctrl-C ends, after it was told; a third leaves at once. Runs go on in other places meanwhile. */
export async function untilStopped<T>(
  told: { readonly onStop: () => void; readonly note: (text: string) => void },
  work: (signals: StopSignals) => Promise<T>,
): Promise<T> {
  const stop = listenForStop({
    onDrain: told.onStop,
    onAbort: () => undefined,
    note: told.note,
    exitCode: EXIT.interrupted,
  });
  try {
    return await work(stop.signals);
  } finally {
    stop.dispose();
  }
}
