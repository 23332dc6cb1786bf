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
        timer[Symbol.dispose]();
        reject(signal?.reason);
      };
      const timer = timerOf(ms, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      signal?.addEventListener('abort', stop, { once: true });
    }),
  after(ms, work) {
    return timerOf(ms, work, { isKeptAlive: false });
  },
  every(ms, work) {
    if (ms <= TIMER_MS_MAX) {
      const timer = setInterval(work, ms).unref();
      return { [Symbol.dispose]: () => clearInterval(timer) };
    }
    let timer: Disposable;
    const begin = () => {
      timer = timerOf(ms, again, { isKeptAlive: false });
    };
    const again = () => {
      begin();
      work();
    };
    begin();
    return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
  },
};

/** `setTimeout` fires at once for more than this, which is less than 25 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The one timer for times that people give: one that is too long for the machine is waited for in steps. */
function timerOf(ms: number, work: () => void, { isKeptAlive = true } = {}): Disposable {
  const untilMs = performance.now() + ms;
  let timer: NodeJS.Timeout;
  const begin = (restMs: number) => {
    const step = () => begin(untilMs - performance.now());
    timer = setTimeout(restMs > TIMER_MS_MAX ? step : work, Math.min(restMs, TIMER_MS_MAX));
    if (!isKeptAlive) timer.unref();
  };
  begin(ms);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

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
