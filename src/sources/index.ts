export { journalSource } from './journal-source.ts';
export { findInAll, type ListPage, listAll } from './list-all.ts';
export { listItemOf } from './list-item.ts';
export { oneRow, type RunInForms, shownOf } from './one-row.ts';
export { type OpenSourceOptions, openFolder, openSource } from './open-source.ts';
export { resultsSource } from './results-source.ts';
export type { RunSource, SourceChanges, SourceRun } from './run-source.ts';
export type { SourceRow } from './source-row.ts';
