export { normalQuantile, tQuantile } from './distributions.ts';
export type { EvalMetric, EvalSampleReductions, EvalScore, ScorerSpec } from './eval-score.ts';
export { type Interval, wilsonInterval } from './intervals.ts';
export { type MetricSpec, readMetricSpec } from './metric-spec.ts';
export { isMetricName, METRIC_NAMES, METRIC_OPTIONS, type MetricName } from './metrics.ts';
export { REDUCER_FORMS, type Reducer, readReducer } from './reducers.ts';
export {
  type ComputedResults,
  type ComputeResultsInput,
  computeResults,
  type EvalResults,
  scorerKeys,
} from './results.ts';
export { RunningScore, type ScoreSoFar } from './running-score.ts';
export type { SampleScores } from './score-table.ts';
export { isUnscored, type ScoreLike, toFloat } from './score-value.ts';
