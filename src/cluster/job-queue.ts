import type { JobId } from './shared-keys.ts';

/** What a queue holds: ids and nothing else. */
export interface QueuedJob {
  readonly run: string;
  readonly round: number;
  readonly job: JobId;
}

/** What becomes of a job that was handed out. */
export type Handled =
  /** It is not needed in the queue any more. */
  | 'done'
  /** Somebody should look at it again, after a while or at once. */
  | { readonly againMs: number };

/**
 * JobQueue: hands jobs to workers. It decides nothing: the bucket says what is due and what is over.
 *
 * - [QUEUE-1] Every job that was added is handed out at least once, unless the queue is lost; the one that a worker stopped
 *   renewing is handed out again.
 * - [QUEUE-2] A job that is there already, waiting or handed out, is not added a second time.
 * - [QUEUE-3] A worker is handed no more jobs at a time than it has slots: a slot first, a job second.
 * - [QUEUE-4] What a handler wants to see again is there again, also when it is handed out elsewhere meanwhile.
 */
export interface JobQueue {
  add(jobs: readonly QueuedJob[]): Promise<void>;
  /** How many jobs of a run it holds, waiting and handed out. */
  count(run: string): Promise<number>;
  /** Hands out jobs until the signal is aborted; resolves when the last handler has ended. */
  serve(options: ServeOptions): Promise<void>;
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly slots: number;
  readonly signal: AbortSignal;
  readonly handle: (job: QueuedJob) => Promise<Handled>;
}
