import type { JobQueue } from './job-queue.ts';
import type { JobId } from './shared-keys.ts';
import type { SharedRun } from './shared-run.ts';

/**
 * Puts into the queue what is due by the bucket: what a queue already holds it keeps [QUEUE-2], so this is right however often
 * it is done, and whatever the queue forgot. Gives how many are due.
 */
export async function enqueueDue(run: SharedRun, queue: JobQueue): Promise<number> {
  if (run.round === 0 || run.isCancelled) return 0;
  const due: JobId[] = [...run.due()];
  await queue.add(due.map((job) => ({ run: run.run, round: run.round, job })));
  return due.length;
}
