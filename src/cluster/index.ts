export { collectDisk, letWriterGo } from './collect-disk.ts';
export { type Collectable, collectRuns, noteFetched } from './collect-runs.ts';
export { collectWorkers } from './collect-workers.ts';
export { comeHome, type HomeReport } from './come-home.ts';
export { Company } from './company.ts';
export type { DamagedObject } from './damage.ts';
export { evalSession } from './eval-session.ts';
export { type OutputPiece, OutputReader } from './evidence-follow.ts';
export { Prints } from './evidence-prints.ts';
export { cancelIfFailing } from './failing-runs.ts';
export { findNotHome } from './find-not-home.ts';
export { findShared, findSharedId, lostRuns, sharedRunIds } from './find-shared.ts';
export { isolatedRun } from './isolated-run.ts';
export { idsIn, type JobName, jobNames, jobNameText, jobsNamed } from './job-names.ts';
export { type Handled, idOfJob, type JobQueue, type QueuedJob } from './job-queue.ts';
export { KnownRuns } from './known-runs.ts';
export { LeaseBook } from './lease-book.ts';
export type { Lease } from './lease-standing.ts';
export { leftBySubmit } from './left-by-submit.ts';
export { uploadLenders } from './lender-logs.ts';
export { neededBundles } from './needed-bundles.ts';
export { openLimiter, openQueue } from './open-queue.ts';
export { patiently } from './patiently.ts';
export { openQueueOf } from './place-queue.ts';
export { servePool } from './pool-session.ts';
export { joinPurse } from './purse.ts';
export { parseRanges, rangesText } from './ranges.ts';
export { enqueueDue } from './reconcile.ts';
export { rememberingBucket } from './remembering-bucket.ts';
export { activeRuns, beginRound, cancelRound, cancelUnread, createSubmission } from './rounds.ts';
export { eventName, eventsOf, type RunEvent } from './run-events.ts';
export { isSettled, type RunStatus, statusOf } from './run-status.ts';
export { type OpenedRun, type SessionTold, serveSession } from './session-child.ts';
export { SessionLimits } from './session-limits.ts';
export type { SessionBegin } from './session-messages.ts';
export { SessionProcess, type SessionProcessOptions } from './session-process.ts';
export { buildJob, type JobId, parseJob, SHARED_PREFIX, type SharedPlace, sampleJob } from './shared-keys.ts';
export { type LeaseBegun, SHARED_VERSION, type Submission, type SubmittedWork } from './shared-records.ts';
export { readSubmission, SharedRun } from './shared-run.ts';
export { SignsOfLife } from './signs-of-life.ts';
export { spentOn } from './spending.ts';
export { spentOfBudget } from './spent-on-run.ts';
export { submittedBuilds } from './submitted-builds.ts';
export { type JobOutcome, type JobResult, type WorkAbout, workOnJob } from './work-on-job.ts';
export { type OpenRun, type RunSession, Worker } from './worker.ts';
export { WorkerPool } from './worker-pool.ts';
export {
  ageOf,
  bucketNowMs,
  type SeenWorker,
  type SeenWorkers,
  seeWorkers,
  WorkersWatch,
} from './workers-seen.ts';
export { yieldToRival } from './yield-to-rival.ts';
