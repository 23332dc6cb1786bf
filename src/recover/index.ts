export type { IncompleteAction } from './incomplete.ts';
export { recoverLog } from './recover-log.ts';
export type { RecoverOptions, RunPlaces } from './recover-options.ts';
export type {
  RecoverCounts,
  RecoverProblem,
  RecoverReport,
  SampleAccount,
  SourceKind,
} from './recover-report.ts';
