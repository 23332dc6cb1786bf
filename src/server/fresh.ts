import type { Clock } from '../base/index.ts';

/** What was seen so long ago is good enough: pages ask in several questions at a time. */
const GOOD_MS = 1_000;
/** Looking takes at most this share of the time, however slow what is looked at is. */
const LOOK_SHARE = 1 / 4;

/** What a look gave, for all who ask in the same moment. A look that failed is told to those who waited for it, and is made again. */
export class Fresh<T> {
  readonly #clock: Clock;
  readonly #look: () => Promise<T>;
  #seen: { readonly value: T; readonly untilMs: number } | undefined;
  #underWay: Promise<T> | undefined;

  constructor(clock: Clock, look: () => Promise<T>) {
    this.#clock = clock;
    this.#look = look;
  }

  async get(): Promise<T> {
    if (this.#seen && this.#clock.monotonicMs() < this.#seen.untilMs) return this.#seen.value;
    this.#underWay ??= this.#lookAgain().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #lookAgain(): Promise<T> {
    const beganMs = this.#clock.monotonicMs();
    const value = await this.#look();
    const endedMs = this.#clock.monotonicMs();
    const restMs = Math.max(GOOD_MS, (endedMs - beganMs) / LOOK_SHARE);
    this.#seen = { value, untilMs: endedMs + restMs };
    return value;
  }
}
