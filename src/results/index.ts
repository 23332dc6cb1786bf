export { chooseRun, isNamedBy } from './choose-run.ts';
export { foreignRunId } from './layout.ts';
export type { ListedRun } from './list-runs.ts';
export { countSamples, countsOfHeader, rowOf, runOf, type SampleCounts } from './make-row.ts';
export { type FoundResult, openResults, ResultsStore } from './results-store.ts';
export { isFiltering, matchesFilter, type RunFilter } from './row-filter.ts';
export { rowContent, runRow } from './run-row.ts';
