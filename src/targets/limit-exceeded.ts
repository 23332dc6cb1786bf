import { ActionableError } from '../base/index.ts';
import type { SampleLimit } from '../log/index.ts';

export type LimitType = SampleLimit['type'];

/** A sample reached one of its limits. That is an outcome of the sample, not an execution error. */
export class LimitExceeded extends ActionableError {
  override readonly name = 'LimitExceeded';
  readonly type: LimitType;
  /** In the log's units: seconds for time, else a count or US dollars. */
  readonly limit: number;

  constructor(type: LimitType, limit: number, used: number) {
    super({
      code: 'E_SAMPLE_LIMIT',
      message: `The sample reached its ${type} limit of ${limit} (used: ${round(used)}).`,
      hint: 'Raise the limit in `limits` of the eval, or leave it: the sample is scored on what it has.',
    });
    this.type = type;
    this.limit = limit;
  }

  toSampleLimit(): SampleLimit {
    return { type: this.type, limit: this.limit };
  }
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
