import { type Clock, nextTurn } from '../../base/index.ts';

/** Nobody else waits longer than that for a turn. */
const TURN_MS = 8;

/** Lets others have the event loop when it was held for long. */
export class Turns {
  readonly #clock: Clock;
  #lastMs: number;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastMs = clock.monotonicMs();
  }

  isDue(): boolean {
    return ++this.#count % 16 === 0 && this.#clock.monotonicMs() - this.#lastMs >= TURN_MS;
  }

  async take(): Promise<void> {
    await nextTurn();
    this.#lastMs = this.#clock.monotonicMs();
  }
}
