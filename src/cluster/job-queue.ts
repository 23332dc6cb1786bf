import type { JobId } from './shared-keys.ts';

/** What a queue holds: ids and nothing else. */
export interface QueuedJob {
  readonly run: string;
  readonly round: number;
  readonly job: JobId;
}

/** What tells it from others: without a colon, which some engines keep for themselves. */
export function idOfJob({ run, round, job }: QueuedJob): string {
  return `${run}-${round}-${job}`;
}

/** What becomes of a job that was handed out. */
export type Handled =
  /** It is not needed in the queue any more. */
  | 'done'
  /** Somebody should look at it again, after a while or at once. The slot that had it takes nothing for `restMs`. */
  | { readonly againMs: number; readonly restMs?: number };

/**
 * JobQueue: hands jobs to workers. It decides nothing: the bucket says what is due and what is over.
 *
 * - [QUEUE-1] Every job that was added is handed out at least once, unless the queue is lost; the one that a worker stopped
 *   renewing is handed out again.
 * - [QUEUE-2] A job that is there already, waiting or handed out, is not added a second time.
 * - [QUEUE-3] A worker is handed no more jobs at a time than it has slots: a slot first, a job second.
 * - [QUEUE-4] What a handler wants to see again is there again, also when it is handed out elsewhere meanwhile.
 * - [QUEUE-5] A slot whose handler asks for rest is handed nothing until that is over, or until nobody serves any more.
 *
 * While its engine is away, `add` and `count` throw a retryable error (E_QUEUE_AWAY) within seconds; whoever serves waits, and goes on when it
 * is back. Whether it came back empty nobody is told: the bucket knows what is due.
 */
export interface JobQueue {
  /** What is there already is left as it is; but what waits for longer than a minute is handed out now: some clock was wrong. */
  add(jobs: readonly QueuedJob[]): Promise<void>;
  /**
   * At least as many as it holds of a run: waiting, handed out, and waiting for their time. An engine that many runs share may count those of all, so
   * only 0 says that nothing of this run is there.
   */
  count(run: string): Promise<number>;
  /**
   * Hands out jobs until the signal is aborted; resolves when the last handler has ended. What was handed out too late to be
   * begun is there again at once. A handler that throws ends the serving with its error, and its job is there again.
   */
  serve(options: ServeOptions): Promise<void>;
  /** Called when nobody serves any more. */
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly slots: number;
  readonly signal: AbortSignal;
  readonly handle: (job: QueuedJob) => Promise<Handled>;
}
