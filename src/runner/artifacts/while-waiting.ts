import type { RunSettings } from '../settings.ts';

/** Ends a call that only waits. */
export interface WhileWaiting extends Disposable {
  readonly signal: AbortSignal;
  /** From now on something of our own is under way: it may finish, and only `abort` ends it. */
  begin(): void;
}

/**
 * For a build that somebody else may be at: whoever is told to stop stops waiting at once, because nothing of its own is under way, and
 * what the other builds is there next time.
 */
export function whileWaiting({ drain, abort }: RunSettings['signals'], reasonOf: () => Error): WhileWaiting {
  const stop = new AbortController();
  const leave = () => stop.abort(reasonOf());
  const stay = () => drain.removeEventListener('abort', leave);
  drain.addEventListener('abort', leave, { once: true });
  if (drain.aborted) leave();
  return { signal: AbortSignal.any([abort, stop.signal]), begin: stay, [Symbol.dispose]: stay };
}
