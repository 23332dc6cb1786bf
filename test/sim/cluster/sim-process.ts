import type { Clock, Random } from '../../../src/base/index.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A process of the simulation: it can be killed, frozen and thawed, and its clock may be wrong. */
export class SimProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #held: (() => void)[] = [];
  state: 'alive' | 'frozen' | 'dead' = 'alive';

  constructor(name: string, { time, random, skewMs }: { time: VirtualTime; random: Random; skewMs: number }) {
    this.name = name;
    this.#time = time;
    this.#random = random;
    this.clock = this.#makeClock(skewMs);
  }

  kill(): void {
    this.state = 'dead';
    this.#held.length = 0;
  }

  freeze(): void {
    if (this.state === 'alive') this.state = 'frozen';
  }

  thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'alive';
    for (const work of this.#held.splice(0)) work();
  }

  /** Sends a request over the network and brings back the answer; what was sent arrives whatever becomes of the process. */
  call<T>(request: () => Promise<T>, latencyMs = 1 + 20 * this.#random.next()): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.state === 'dead') return;
      this.#time.after(latencyMs / 2, () => {
        request().then(
          (answer) => this.later(latencyMs / 2, () => resolve(answer)),
          (error: unknown) => this.later(latencyMs / 2, () => reject(error)),
        );
      });
    });
  }

  /** Something in this process happens then, unless it is dead; a frozen one does it when it wakes up. */
  later(ms: number, work: () => void): Disposable {
    return this.#time.after(ms, () => this.#live(work));
  }

  #live(work: () => void): void {
    if (this.state === 'alive') work();
    else if (this.state === 'frozen') this.#held.push(work);
  }

  #makeClock(skewMs: number): Clock {
    const time = this.#time;
    return {
      nowMs: () => 1_700_000_000_000 + time.nowMs + skewMs,
      monotonicMs: () => time.nowMs,
      after: (ms, work) => this.later(ms, work),
      every: (ms, work) => {
        let next = this.later(ms, tick.bind(this));
        let isOver = false;
        function tick(this: SimProcess) {
          if (isOver) return;
          next = this.later(ms, tick.bind(this));
          work();
        }
        return {
          [Symbol.dispose]: () => {
            isOver = true;
            next[Symbol.dispose]();
          },
        };
      },
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason);
          const stop = () => {
            wake[Symbol.dispose]();
            reject(signal?.reason);
          };
          const wake = this.later(ms, () => {
            signal?.removeEventListener('abort', stop);
            resolve();
          });
          signal?.addEventListener('abort', stop, { once: true });
        }),
    };
  }
}
