import { type Clock, definedOf } from '../base/index.ts';
import { bucketErrors } from '../bucket/index.ts';
import type { SharedEval } from '../runner/index.ts';
import { LeaseBook } from './lease-book.ts';
import { patiently } from './patiently.ts';
import { parseJob, type SharedPlace } from './shared-keys.ts';
import type { LeaseBegun, Submission } from './shared-records.ts';
import type { JobResult, WorkAbout } from './work-on-job.ts';
import type { RunSession } from './worker.ts';

export interface EvalSessionOptions {
  readonly place: SharedPlace;
  readonly clock: Clock;
  readonly submission: Submission;
  readonly shared: SharedEval;
}

/** A run that a worker has opened: its samples are run by the runner, and their results are in the bucket before their leases end. */
export function evalSession({ place, clock, submission, shared }: EvalSessionOptions): RunSession {
  const { run, lostMax } = submission;
  const work = async ({ job }: LeaseBegun, { earlier, signal }: WorkAbout): Promise<JobResult> => {
    const parsed = parseJob(job);
    if (parsed?.kind !== 'sample') throw new Error(`${job} is no job that this worker can do`);
    const before = earlier.map(({ begun }) => begun.writer);
    const asked = { position: parsed.position, earlier: before, signal };
    const { outcome, origin, reason } = await shared.runSample(asked);
    const status = outcome.status === 'interrupted' ? 'returned' : outcome.status;
    const { spentUsd: usd } = outcome.totals;
    // [SHR-4] Not even a worker that must go says that something is there before it is.
    if (status !== 'returned') await patiently(() => shipped(shared), { clock, signal });
    return { status, usd, ...definedOf({ origin, reason }) };
  };
  return { book: new LeaseBook(place, { run, clock }), writer: shared.writer, lostMax, work };
}

async function shipped(shared: SharedEval): Promise<void> {
  if (!(await shared.ship()))
    throw bucketErrors.away('the bucket', new Error('it did not take the segments'));
}
