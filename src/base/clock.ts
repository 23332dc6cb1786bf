/** Time is a port, so that tests decide what time it is. Only `systemClock` may ask the machine. */
export interface Clock {
  /** Milliseconds since 1970, wall clock. */
  nowMs(): number;
  /** Milliseconds from a fixed but unknown start; never goes back. */
  monotonicMs(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    }),
};

/** `2026-06-10T18:23:49.123456+00:00`: how Inspect writes the times of events and samples. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00');
}

/** `2026-06-10T18:23:49+00:00`: second precision, as in `eval.created`. */
export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');
}
