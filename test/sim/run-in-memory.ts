/** A shared run of one process: its bucket and its queue are in memory, and its workers do what they are told. */
import { systemClock } from '../../src/base/index.ts';
import {
  beginRound,
  createSubmission,
  enqueueDue,
  SHARED_VERSION,
  SharedRun,
  SignsOfLife,
  type Submission,
  Worker,
} from '../../src/cluster/index.ts';
import type { WorkerOptions } from '../../src/cluster/worker.ts';
import { LocalQueue } from './local-queue.ts';
import { memoryBucket } from './memory-bucket.ts';
import { NO_WORK } from './submitted-work.ts';

export const RUN = 'run';

/** A run in memory, and a worker whose sessions are processes that die with whatever kills them. */
export async function runInMemory(samples: number, lostMax: number, more: Partial<Submission> = {}) {
  const place = { bucket: memoryBucket({ nowMs: () => systemClock.nowMs() }), prefix: '' };
  const submission: Submission = {
    ...{ format: 'holdfast-submission', version: SHARED_VERSION, run: RUN, at: '', by: 'laptop' },
    record: Object.create(null),
    ...{ work: NO_WORK, samples, lent: '', builds: [], lostMax },
    ...more,
  };
  await createSubmission(place, submission);
  const shared = await SharedRun.open(place, RUN);
  if (!shared) throw new Error('nothing was submitted');
  await beginRound(shared, place, { clock: systemClock, by: 'laptop' });
  const queue = new LocalQueue(systemClock);
  await enqueueDue(shared, queue);
  const serve = (options: Partial<WorkerOptions> & Pick<WorkerOptions, 'openSession'>) => {
    const stop = new AbortController();
    const worker = new Worker({
      ...{ worker: 'w', place, queue, clock: systemClock, slots: 2, signal: stop.signal },
      signs: new SignsOfLife(place, { worker: 'w', clock: systemClock, slots: 2 }),
      ...options,
    });
    const served = worker.serve();
    return {
      served,
      async stop() {
        stop.abort(new Error('enough'));
        await served;
      },
    };
  };
  return { place, shared, queue, serve, lostMax };
}
