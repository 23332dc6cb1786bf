export type { IncompleteAction } from './incomplete.ts';
export { type ListOptions, listRecoverable, type Recoverable } from './list-recoverable.ts';
export type { MergeConflict } from './merge-choice.ts';
export { type MergeOptions, type MergeReport, mergeLogs } from './merge-logs.ts';
export type { MergeDamage } from './plan-merge.ts';
export { recoverLog } from './recover-log.ts';
export type { RecoverOptions, RunPlaces } from './recover-options.ts';
export type {
  RecoverCounts,
  RecoverProblem,
  RecoverReport,
  SampleAccount,
  SourceKind,
} from './recover-report.ts';
