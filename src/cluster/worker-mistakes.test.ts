import { expect, test } from 'vitest';
import { RUN, runInMemory } from '../../test/sim/run-in-memory.ts';
import { type ErrorCode, systemClock, UsageError } from '../base/index.ts';
import { LeaseBook } from './lease-book.ts';
import { enqueueDue } from './reconcile.ts';
import { beginRound } from './rounds.ts';
import { sampleJob } from './shared-keys.ts';
import type { SharedRun } from './shared-run.ts';
import { SignsOfLife } from './signs-of-life.ts';
import type { RunSession } from './worker.ts';

type InMemory = Awaited<ReturnType<typeof runInMemory>>;

function usage(code: ErrorCode): UsageError {
  return new UsageError({ code, message: `It is ${code}.`, hint: 'Do something else.' });
}

/** Its jobs end well, or with an error. */
function session({ place }: InMemory, error?: UsageError): RunSession {
  return {
    ...{ book: new LeaseBook(place, { run: RUN, clock: systemClock }), writer: 'x', lostMax: 1 },
    async work({ job }) {
      if (error) throw error;
      return { status: 'completed', origin: job };
    },
  };
}

function serveAs(run: InMemory, worker: string, openSession: () => Promise<RunSession>) {
  const signs = new SignsOfLife(run.place, { worker, clock: systemClock, slots: 2 });
  return run.serve({ worker, signs, openSession });
}

async function until(shared: SharedRun, isSo: () => boolean): Promise<void> {
  for (; !isSo(); await systemClock.sleep(20)) await shared.refresh();
}

const endsOf = (shared: SharedRun) =>
  [...shared.jobs()].flatMap((job) => shared.leasesOf(job).map(({ ended }) => ended));

test('[SHR-25] a mistake that a job meets cancels the round before its lease is returned, and no lease counts against a sample', async () => {
  const run = await runInMemory(6, 1);
  const ordered: string[] = [];
  const { bucket } = run.place;
  const create = bucket.create.bind(bucket);
  bucket.create = (key, bytes) => {
    if (/cancelled|ended/.test(key)) ordered.push(key.includes('cancelled') ? 'cancelled' : 'ended');
    return create(key, bytes);
  };
  const worker = serveAs(run, 'w', async () => session(run, usage('E_MODEL_NONE')));
  await until(run.shared, () => run.shared.isCancelled);
  // What is left in the queue of it is taken out, and not begun.
  while ((await run.queue.count(RUN)) > 0) await systemClock.sleep(20);
  await worker.stop();
  await run.shared.refresh();
  expect(ordered[0]).toBe('cancelled');
  expect(run.shared.cancelled).toMatchObject({
    ...{ because: 'mistake', letsFinish: true, code: 'E_MODEL_NONE' },
    ...{ reason: 'It is E_MODEL_NONE.', hint: 'Do something else.' },
  });
  const ends = endsOf(run.shared);
  expect(ends.length).toBeLessThanOrEqual(2);
  for (const end of ends) expect(end).toMatchObject({ status: 'returned', reason: 'It is E_MODEL_NONE.' });
});

test('[SHR-25] what keeps a second process of an isolated run from being opened beside the first is no mistake: the first one goes on', async () => {
  const run = await runInMemory(3, 1);
  let isPortTaken = false;
  const alone = async (): Promise<RunSession> => {
    if (isPortTaken) throw usage('E_EVAL_THROWS');
    isPortTaken = true;
    return {
      ...session(run),
      async work({ job }) {
        await systemClock.sleep(100);
        return { status: 'completed', origin: job };
      },
      async close() {
        isPortTaken = false;
      },
    };
  };
  const book = new LeaseBook(run.place, { run: RUN, clock: systemClock });
  const signs = new SignsOfLife(run.place, { worker: 'w', clock: systemClock, slots: 2 });
  const worker = run.serve({
    ...{ worker: 'w', signs, slots: 2 },
    openSession: async () => ({ book, lostMax: 1, alone }),
  });
  await until(run.shared, () => endsOf(run.shared).some((end) => end?.status === 'completed'));
  await systemClock.sleep(500);
  await run.shared.refresh();
  expect(run.shared.isCancelled).toBe(false);
  await worker.stop();
});

test('[SHR-25] what a job shows that this worker lacks is a refusal of this worker: its jobs are returned, and another does them', async () => {
  const run = await runInMemory(4, 1);
  const poor = serveAs(run, 'poor', async () => session(run, usage('E_MODEL_KEY')));
  await until(run.shared, () => endsOf(run.shared).length > 0);
  const rich = serveAs(run, 'rich', async () => session(run));
  await until(run.shared, () => run.shared.isComplete);
  await rich.stop();
  await poor.stop();
  expect(run.shared.isCancelled).toBe(false);
  expect(new Set(endsOf(run.shared).map((end) => end?.status))).toEqual(new Set(['returned', 'completed']));
  const beat = Buffer.from((await run.place.bucket.read('workers/poor')) ?? []).toString();
  expect(JSON.parse(beat).refuses).toMatchObject([{ run: RUN, reason: 'It is E_MODEL_KEY.' }]);
});

test('[SHR-25] a run that nobody can open is cancelled and leaves the queue, and its next round is tried anew', async () => {
  const run = await runInMemory(3, 1);
  let isMended = false;
  const worker = serveAs(run, 'w', async () => {
    if (isMended) return session(run);
    throw usage('E_DATA_FILE');
  });
  await until(run.shared, () => run.shared.isCancelled);
  expect(run.shared.cancelled).toMatchObject({ because: 'mistake', code: 'E_DATA_FILE' });
  while ((await run.queue.count(RUN)) > 0) await systemClock.sleep(20);
  expect(endsOf(run.shared)).toEqual([]);
  isMended = true;
  await beginRound(run.shared, run.place, { clock: systemClock, by: 'laptop' });
  await enqueueDue(run.shared, run.queue);
  await until(run.shared, () => run.shared.isComplete);
  await worker.stop();
  expect(run.shared.endOf(sampleJob(0))?.status).toBe('completed');
});

test('[SHR-25] what keeps one worker from a run is no mistake of the run while another is there that has not refused it', async () => {
  const run = await runInMemory(2, 1);
  const busy = new SignsOfLife(run.place, { worker: 'busy', clock: systemClock, slots: 1 });
  await busy.start();
  let refusals = 0;
  const signs = new SignsOfLife(run.place, { worker: 'unable', clock: systemClock, slots: 1 });
  const unable = run.serve({
    ...{ worker: 'unable', signs, openSession: () => Promise.reject(usage('E_EVAL_THROWS')) },
    onProblem: () => refusals++,
  });
  // With the second it has looked at the others after the first.
  while (refusals < 2) await systemClock.sleep(20);
  await run.shared.refresh();
  expect(run.shared.isCancelled).toBe(false);
  const able = serveAs(run, 'able', async () => session(run));
  await until(run.shared, () => run.shared.isComplete || run.shared.isCancelled);
  await busy.stop();
  await able.stop();
  await unable.stop();
  expect([run.shared.isComplete, run.shared.isCancelled]).toEqual([true, false]);
});
