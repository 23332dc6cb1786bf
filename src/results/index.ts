export { whoRunsThis } from './author.ts';
export { BODY_LIMIT_BYTES, type BodiesSetting } from './bodies.ts';
export { chooseRun, isNamedBy } from './choose-run.ts';
export { cloneResults } from './clone-results.ts';
export { type CollectPlan, collectBodies, planCollectionOf } from './collect-bodies.ts';
export { foreignRunId, isSince } from './layout.ts';
export { Lenders } from './lenders.ts';
export type { ListedRun } from './list-runs.ts';
export { listedSince } from './listed-since.ts';
export { countSamples, countsOfHeader, rowOf, runOf, type SampleCounts } from './make-row.ts';
export type { Note } from './note.ts';
export { pinnedForReading } from './pinned-commit.ts';
export type { Published } from './publish-log.ts';
export { openPublishedMemory } from './published-memory.ts';
export { rebuildLog } from './rebuild-log.ts';
export { type FoundResult, openResults, ResultsStore } from './results-store.ts';
export { isFiltering, matchesFilter, type RunFilter } from './row-filter.ts';
export { rowOfLog } from './row-of-log.ts';
export type { RowAt } from './rows-since.ts';
export type { RunMarks } from './run-marks.ts';
export { type RunRow, rowContent, runRow } from './run-row.ts';
export {
  checkTag,
  type GivenSaying,
  removeRun,
  restoreRun,
  sayOfRun,
  tagRun,
  untagRun,
} from './say.ts';
export type { PushOutcome } from './share.ts';
export type { ResultsStatus } from './status.ts';
export type { VerifiedRun } from './verify-results.ts';
