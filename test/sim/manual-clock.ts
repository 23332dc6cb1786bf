import type { Clock } from '../../src/base/index.ts';

export interface ManualClock extends Clock {
  /** Lets time pass, waking sleepers in the order of their times; each may go to sleep again. */
  advance(ms: number): Promise<void>;
  readonly sleepers: number;
}

interface Sleeper {
  readonly atMs: number;
  wake(): void;
}

/** A clock that stands still until the test moves it. */
export function manualClock(startMs = 1_700_000_000_000): ManualClock {
  let elapsedMs = 0;
  const sleeping = new Set<Sleeper>();
  const after = (ms: number, work: () => void): Disposable => {
    const sleeper: Sleeper = { atMs: elapsedMs + ms, wake: work };
    sleeping.add(sleeper);
    return { [Symbol.dispose]: () => void sleeping.delete(sleeper) };
  };
  return {
    after,
    every(ms, work) {
      let next = after(ms, tick);
      function tick() {
        next = after(ms, tick);
        work();
      }
      return { [Symbol.dispose]: () => next[Symbol.dispose]() };
    },
    nowMs: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          sleeping.delete(sleeper);
          reject(signal?.reason);
        };
        const wake = () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        };
        const sleeper: Sleeper = { atMs: elapsedMs + ms, wake };
        sleeping.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      }),
    async advance(ms) {
      const endMs = elapsedMs + ms;
      await settle();
      for (let next = earliest(sleeping, endMs); next; next = earliest(sleeping, endMs)) {
        sleeping.delete(next);
        elapsedMs = Math.max(elapsedMs, next.atMs);
        next.wake();
        await settle();
      }
      elapsedMs = endMs;
      await settle();
    },
    get sleepers() {
      return sleeping.size;
    },
  };
}

function earliest(sleeping: ReadonlySet<Sleeper>, endMs: number): Sleeper | undefined {
  return [...sleeping].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
}

/** Lets everything that is ready run: promise callbacks, and what they in turn make ready. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
}
