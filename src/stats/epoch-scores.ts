import type { Json } from '../base/index.ts';
import { type Interval, wilsonInterval } from './intervals.ts';
import { logName } from './metric-spec.ts';
import { mean } from './moments.ts';
import { type Reducer, readReducer } from './reducers.ts';
import { RunningScore } from './running-score.ts';
import { isUnscored, shapeOf, toFloat } from './score-value.ts';

/**
 * The scores of samples at their epochs, for the interval of a mean over samples. Epochs of one sample are alike: they are reduced to
 * one value first, because counting them as samples would make the interval too narrow. Samples and epochs may come in any order, so values are
 * kept to the end: those of 100,000 samples at one epoch take about 10 MB. Records and lists have no single number and count as unscored.
 */
export class EpochScores {
  readonly #first = new Map<string, Json>();
  /** Of samples that have several epochs. */
  readonly #others = new Map<string, Json[]>();
  #isPassOrFail = true;

  add(sample: string, value: Json): void {
    if (isUnscored(value) || shapeOf(value) !== 'scalar') return;
    const { float } = toFloat(value);
    if (float !== 0 && float !== 1) this.#isPassOrFail = false;
    const others = this.#others.get(sample);
    if (others) others.push(value);
    else if (this.#first.has(sample)) this.#others.set(sample, [value]);
    else this.#first.set(sample, value);
  }

  /**
   * 95 %, over samples, each reduced by the reducer of that name, or by the mean where there is none. Where all scores pass or fail it is
   * Wilson's, with the mean of the samples as the share: one that passes at some epochs lies between 0 and 1 and so varies less than one that passes
   * or fails, which makes it never too narrow. Else it is mean ± t · stderr. Undefined while it means nothing.
   */
  interval(reducer = 'mean'): Interval | undefined {
    const score = new RunningScore();
    for (const value of this.#reduced(readReducer(logName(reducer)))) score.add(value);
    const { mean, scored, interval } = score.soFar();
    return this.#isPassOrFail && scored > 0 ? wilsonInterval(mean * scored, scored) : interval;
  }

  *#reduced(reducer: Reducer | undefined): Generator<Json> {
    for (const [sample, first] of this.#first) {
      const values = [first, ...(this.#others.get(sample) ?? [])];
      if (reducer) yield reducer.reduce(values.map((value) => ({ value }))).score.value;
      else yield mean(values.map((value) => toFloat(value).float));
    }
  }
}
