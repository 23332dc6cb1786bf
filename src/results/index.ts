export type { ListedRun } from './list-runs.ts';
export { type FoundResult, openResults, ResultsStore } from './results-store.ts';
export { rowOfLog } from './row-of-log.ts';
export type { RowAt } from './rows-since.ts';
export type { RunRow } from './run-row.ts';
