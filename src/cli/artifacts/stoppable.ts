import { EXIT } from '../exit-code.ts';
import { listenForStop } from '../run/stop-control.ts';
import type { Terminal } from '../terminal.ts';

/** What work on many units listens to: `stop` ends it before the next one, `signal` gives up what is under way as well. */
export interface Stops {
  readonly stop: AbortSignal;
  readonly signal: AbortSignal;
}

/** Lets Ctrl-C end work on many units so that it can still say what came of each. */
export async function stoppable<T>(terminal: Terminal, work: (stops: Stops) => Promise<T>): Promise<T> {
  const control = listenForStop({
    onDrain: (reason) =>
      terminal.note(
        `Stopping (${reason}): what is under way may finish, and the rest is said. Press Ctrl-C again to give it up.`,
      ),
    onAbort: () => terminal.note('Stopping now. What is whole is kept.'),
    note: terminal.note,
    exitCode: EXIT.interrupted,
  });
  try {
    return await work({ stop: control.signals.drain, signal: control.signals.abort });
  } finally {
    control.dispose();
  }
}
