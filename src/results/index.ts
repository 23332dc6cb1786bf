export type { PushOutcome } from '../git/index.ts';
export { RESULTS_BRANCH } from './layout.ts';
export type { ListedRun } from './list-runs.ts';
export type { Published } from './publish-log.ts';
export { openPublishedMemory } from './published-memory.ts';
export { cloneResults, type FoundResult, openResults, ResultsStore } from './results-store.ts';
export type { RunRow } from './run-row.ts';
