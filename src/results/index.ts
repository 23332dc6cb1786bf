export type { CollectPlan } from './collect-bodies.ts';
export type { ListedRun } from './list-runs.ts';
export type { NoteAnchor } from './note.ts';
export { type FoundResult, openResults, ResultsStore } from './results-store.ts';
export type { RunRow } from './run-row.ts';
export { removeRun, restoreRun, tagRun, untagRun } from './say.ts';
export type { PushOutcome } from './share.ts';
export type { ResultsStatus } from './status.ts';
export type { VerifiedRun } from './verify-results.ts';
