export type { MetricSpec } from './metric-spec.ts';
export { METRIC_NAMES, METRIC_OPTIONS, type MetricName } from './metrics.ts';
export { REDUCER_FORMS, readReducer } from './reducers.ts';
export { computeResults, ResultsCollector, scorerKeys } from './results.ts';
export { RunningScore, type ScoreSoFar } from './running-score.ts';
export type { SampleScores } from './score-table.ts';
export { numberOfScore } from './score-value.ts';
