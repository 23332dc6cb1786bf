/** Time is a port, so that tests decide what time it is. Only `systemClock` may ask the machine. */
export interface Clock {
  /** Milliseconds since 1970, wall clock. */
  nowMs(): number;
  /** Milliseconds from a fixed but unknown start; never goes back. */
  monotonicMs(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `work` once, after `ms`; cancelled when disposed. It does not keep the process alive. */
  after(ms: number, work: () => void): Disposable;
  /** Calls `work` again and again, every `ms`, until disposed. It does not keep the process alive. */
  every(ms: number, work: () => void): Disposable;
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
  after(ms, work) {
    const timer = setTimeout(work, ms).unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
  every(ms, work) {
    const timer = setInterval(work, ms).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  },
};

/** A turn of the event loop: whoever works for long without waiting for anything lets the others in. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** `2026-06-10T18:23:49.123456+00:00`: how Inspect writes the times of events and samples. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00');
}

/** `2026-06-10T18:23:49+00:00`: second precision, as in `eval.created`. */
export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');
}
