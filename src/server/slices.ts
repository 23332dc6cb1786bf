import type { Clock } from '../base/index.ts';

/** Nobody waits longer than this for work that goes on behind. */
const SLICE_MS = 12;

/** Long work in slices: between two of them, whoever asks something is answered. */
export class Slices {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #sinceMs: number;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#sinceMs = clock.monotonicMs();
  }

  /** True when the slice is used up; then `rest` has to be awaited. */
  get isOver(): boolean {
    return this.#clock.monotonicMs() - this.#sinceMs >= SLICE_MS;
  }

  async rest(): Promise<void> {
    await this.#clock.sleep(0, this.#signal);
    this.#sinceMs = this.#clock.monotonicMs();
  }
}
