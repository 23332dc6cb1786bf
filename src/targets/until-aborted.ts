import { BudgetExhausted, PriceUnknown } from './budget.ts';
import { LimitExceeded } from './limit-exceeded.ts';

/** Runs `work` until it ends or the sample's signal is aborted, whichever is first: not all work heeds a signal. */
export async function untilAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } catch (error) {
    throw signal.aborted ? signal.reason : (stopReasonIn(error) ?? error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A limit or an empty purse may come wrapped in the errors of whatever called `generate`. */
function stopReasonIn(error: unknown): unknown {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 8; depth++, at = at.cause) {
    if (at instanceof LimitExceeded || at instanceof BudgetExhausted || at instanceof PriceUnknown) return at;
  }
  return undefined;
}
