export type { ListedRun, RunFilter } from './list-runs.ts';
export { rebuildLog } from './rebuild-log.ts';
export { type FoundResult, openResults, ResultsStore } from './results-store.ts';
export { rowOfLog } from './row-of-log.ts';
export type { RowAt } from './rows-since.ts';
export type { RunRow } from './run-row.ts';
