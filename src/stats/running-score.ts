import type { Json } from '../base/index.ts';
import { tQuantile } from './distributions.ts';
import { type Interval, wilsonInterval } from './intervals.ts';
import { isUnscored, shapeOf, toFloat } from './score-value.ts';

/** The score so far: what a live screen shows. The interval is absent until it means something. */
export interface ScoreSoFar {
  readonly scored: number;
  readonly unscored: number;
  /** NaN while nothing is scored. */
  readonly mean: number;
  readonly interval?: Interval;
}

/**
 * The mean of a stream of score values with its 95 % interval, in constant memory. While all values are 0 or 1 the
 * interval is Wilson's, else mean ± t · stderr. Records and lists have no single number and count as unscored.
 */
export class RunningScore {
  #scored = 0;
  #unscored = 0;
  #mean = 0;
  /** Sum of squared deviations from the mean (Welford). */
  #spread = 0;
  #successes = 0;
  #isBinary = true;

  add(value: Json): void {
    if (isUnscored(value) || shapeOf(value) !== 'scalar') {
      this.#unscored++;
      return;
    }
    const { float } = toFloat(value);
    this.#scored++;
    const step = float - this.#mean;
    this.#mean += step / this.#scored;
    this.#spread += step * (float - this.#mean);
    if (float === 1) this.#successes++;
    else if (float !== 0) this.#isBinary = false;
  }

  soFar(): ScoreSoFar {
    const counts = { scored: this.#scored, unscored: this.#unscored };
    if (this.#scored === 0) return { ...counts, mean: Number.NaN };
    const mean = this.#isBinary ? this.#successes / this.#scored : this.#mean;
    const interval = this.#interval(mean);
    return { ...counts, mean, ...(interval !== undefined && { interval }) };
  }

  #interval(mean: number): Interval | undefined {
    if (this.#isBinary) return wilsonInterval(this.#successes, this.#scored);
    if (this.#scored < 2) return undefined;
    const error = Math.sqrt(this.#spread / (this.#scored - 1) / this.#scored);
    const reach = tQuantile(0.975, this.#scored - 1) * error;
    return { lower: mean - reach, upper: mean + reach };
  }
}
