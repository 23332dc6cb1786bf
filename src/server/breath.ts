import { type Clock, nextTurn } from '../base/index.ts';

/** So long nobody else is kept waiting. */
const TURN_MS = 8;

/** For work that goes through many bytes: lets others in now and then, and ends when nobody waits for it any more. */
export class Breath {
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  #sinceMs: number;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.signal = signal;
    this.#sinceMs = clock.monotonicMs();
  }

  async take(): Promise<void> {
    this.signal.throwIfAborted();
    if (this.#clock.monotonicMs() - this.#sinceMs < TURN_MS) return;
    await nextTurn();
    this.signal.throwIfAborted();
    this.#sinceMs = this.#clock.monotonicMs();
  }
}
