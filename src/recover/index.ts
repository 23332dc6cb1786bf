export { type ListOptions, listRecoverable, type Recoverable } from './list-recoverable.ts';
export { type MergeReport, mergeLogs } from './merge-logs.ts';
export { recoverLog } from './recover-log.ts';
export type { RecoverOptions, RunPlaces } from './recover-options.ts';
export type { RecoverReport, SampleAccount } from './recover-report.ts';
