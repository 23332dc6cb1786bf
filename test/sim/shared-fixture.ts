import {
  beginRound,
  Company,
  createSubmission,
  type JobId,
  LeaseBook,
  SHARED_VERSION,
  SharedRun,
  SignsOfLife,
  type Submission,
} from '../../src/cluster/index.ts';
import type { JobPorts, JobSession } from '../../src/cluster/work-on-job.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { memoryBucket } from './memory-bucket.ts';
import { NO_WORK } from './submitted-work.ts';

export const RUN = 'run';

/** A shared run in memory, and a clock that is the bucket's as well. */
export function sharedFixture(more: Partial<Submission> = {}) {
  const clock: ManualClock = manualClock();
  const bucket = memoryBucket({ nowMs: () => clock.nowMs() });
  const place = { bucket, prefix: '' };
  const submission: Submission = {
    ...{ format: 'holdfast-submission', version: SHARED_VERSION, run: RUN, at: '', by: 'laptop' },
    // These tests have no journals.
    record: Object.create(null),
    ...{ work: NO_WORK, samples: 3, lent: '', builds: [], lostMax: 3 },
    ...more,
  };
  const book = new LeaseBook(place, { run: RUN, clock });
  let isSubmitted = false;
  return {
    ...{ clock, bucket, place, submission, book },
    taker: (worker: string, round = 1) => ({ round, worker, writer: `writer of ${worker}` }),
    async submit(): Promise<SharedRun> {
      isSubmitted = await createSubmission(place, submission);
      const shared = await this.open();
      await beginRound(shared, place, { clock, by: 'laptop' });
      return shared;
    },
    async open(): Promise<SharedRun> {
      const shared = await SharedRun.open(place, RUN);
      if (!shared) throw new Error('nothing was submitted');
      return shared;
    },
    /** What a worker needs to do a job; by default it does it at once. */
    async ports(
      worker: string,
      { work, ...ports }: Partial<JobPorts> & Partial<Pick<JobSession, 'work'>> = {},
    ): Promise<JobPorts> {
      // Nobody takes a job of a run that is gone.
      if (!isSubmitted) isSubmitted = await createSubmission(place, submission);
      const signs = new SignsOfLife(place, { worker, clock, slots: 1 });
      await signs.give();
      return {
        ...{ book, signs, clock, worker, round: 1, lostMax: 3 },
        company: new Company(),
        session: async () => ({
          writer: `writer of ${worker}`,
          work:
            work ??
            (async ({ job }: { readonly job: JobId }) => ({
              status: 'completed',
              origin: `${worker} ${job}`,
            })),
        }),
        isCancelled: async () => false,
        signal: new AbortController().signal,
        ...ports,
      };
    },
  };
}
