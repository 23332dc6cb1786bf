export { chooseCompared } from './choose-compared.ts';
export { commandForRuns, commandForSamples, RUNS_LISTED, shellWord } from './commands.ts';
export type { CompiledQuery } from './compile-query.ts';
export {
  type Completion,
  type Completions,
  completeComparedQuery,
  completeRunQuery,
  completeSampleQuery,
} from './complete-query.ts';
export { type Cut, visitCuts, withTexts } from './cut-texts.ts';
export { isToldBefore, visitEvent, visitMessage, visitTexts } from './event-texts.ts';
export {
  formatAgo,
  formatBytes,
  formatCount,
  formatDifference,
  formatDuration,
  formatInterval,
  formatP,
  formatPercent,
  formatRunTime,
  formatScore,
  formatShortCount,
  formatUsd,
} from './formatters.ts';
export { joinCompared, joinCompareViews } from './join-comparisons.ts';
export { newestOfOneEval } from './newest-of-one-eval.ts';
export { flipsOf, LIMIT, type Look, lookOfRun, OUTCOMES, outcomeOf } from './outcomes.ts';
export { asValue, printQuery } from './print-query.ts';
export { parseQuery, type Wrong } from './query.ts';
export { questionOf } from './question.ts';
export { compileRunQuery } from './run-query.ts';
export { scoreNamed } from './run-values.ts';
export { type SampleField, sampleFields } from './sample-fields.ts';
export { compileSampleQuery, countSampleStates } from './sample-query.ts';
export { costOf, durationOf, meanScore, tokensOf, turnsOf } from './sample-values.ts';
export { segmentOf, textOfSegment } from './segment.ts';
export { firstIn, type Snippet, snippetAt, snippetKey, textPattern, variantsOf } from './snippet.ts';
export { parseRunSort, parseSampleSort, RUN_SORT_KEYS, sortRuns, sortSamples } from './sort-views.ts';
export { mayHave, type TextFilter, TextFilterMaker } from './text-filter.ts';
