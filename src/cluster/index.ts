export { comeHome, type HomeReport } from './come-home.ts';
export { evalSession } from './eval-session.ts';
export type { Handled, JobQueue, QueuedJob, ServeOptions } from './job-queue.ts';
export { endOfJob, type Lease, LeaseBook } from './lease-book.ts';
export { LocalQueue } from './local-queue.ts';
export { openQueue } from './open-queue.ts';
export { patiently } from './patiently.ts';
export { rangesText } from './ranges.ts';
export { enqueueDue } from './reconcile.ts';
export { beginRound, cancelRound, createSubmission } from './rounds.ts';
export {
  activeKey,
  buildJob,
  type JobId,
  parseJob,
  SharedKeys,
  type SharedPlace,
  sampleJob,
} from './shared-keys.ts';
export {
  encodeShared,
  type LeaseBegun,
  type LeaseEnded,
  SHARED_VERSION,
  type Submission,
} from './shared-records.ts';
export { SharedRun } from './shared-run.ts';
export { SignsOfLife } from './signs-of-life.ts';
export type { JobOutcome, JobResult, WorkAbout } from './work-on-job.ts';
export { type RunSession, Worker } from './worker.ts';
