import { ActionableError, type Clock } from '../base/index.ts';

export interface Patience {
  readonly clock: Clock;
  /** Whoever waits gives up with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Told before each new try. */
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

const WAIT_MS = 250;
const WAIT_MS_MAX = 5_000;

/** Asks again for as long as the bucket is only away: what is at stake was paid for, and the journal holds it meanwhile. */
export async function patiently<T>(ask: () => Promise<T>, patience: Patience): Promise<T> {
  const { clock, signal, onProblem } = patience;
  for (let waitMs = WAIT_MS; ; waitMs = Math.min(2 * waitMs, WAIT_MS_MAX)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ActionableError && error.retryable)) throw error;
      onProblem?.(error);
      await clock.sleep(waitMs, signal);
    }
  }
}
