export type { ListedRun, ListOptions, RunPage } from './list-runs.ts';
export { type FoundResult, openResults, ResultsStore } from './results-store.ts';
export type { RunRow } from './run-row.ts';
