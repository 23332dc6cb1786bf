import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Handled, JobQueue, QueuedJob } from '../../src/cluster/index.ts';
import { sampleJob } from '../../src/cluster/index.ts';

export interface QueueUnderTest extends AsyncDisposable {
  /** Empty. */
  readonly queue: JobQueue;
  /** The same queue as another process sees it, so far as there can be another. */
  readonly other: JobQueue;
}

/** What every JobQueue must do. */
export function queueContract(name: string, make: () => Promise<QueueUnderTest>): void {
  const withQueue = (run: (made: QueueUnderTest) => Promise<void>) => async () => {
    await using made = await make();
    await run(made);
  };

  describe(`${name} keeps the contract of a queue`, () => {
    test(
      '[QUEUE-1] every job that was added is handed out, once where nobody dies, to whoever serves',
      withQueue(async ({ queue, other }) => {
        const jobs = samples(200);
        await queue.add(jobs);
        const seen: QueuedJob[] = [];
        const handle = async (job: QueuedJob): Promise<Handled> => {
          seen.push(job);
          await sleep(1);
          return 'done';
        };
        await using first = serving(queue, { slots: 4, handle });
        await using second = serving(other, { slots: 4, handle });
        await expect.poll(() => seen.length).toBe(200);
        await expect.poll(() => queue.count('run')).toBe(0);
        await Promise.all([first.stop(), second.stop()]);
        expect(new Set(seen.map(({ job }) => job)).size).toBe(200);
        expect(seen).toHaveLength(200);
        expect(seen.find(({ job }) => job === 's7')).toEqual({ run: 'run', round: 1, job: 's7' });
      }),
    );

    test(
      '[QUEUE-1] whoever waits for a job is handed one that is added',
      withQueue(async ({ queue, other }) => {
        const seen: string[] = [];
        await using _served = serving(queue, { handle: noting(seen) });
        await sleep(300);
        await other.add(samples(1));
        await expect.poll(() => seen).toEqual(['s0']);
      }),
    );

    test(
      '[QUEUE-2] what waits is not added a second time',
      withQueue(async ({ queue, other }) => {
        await queue.add(samples(3));
        await other.add(samples(4));
        expect(await queue.count('run')).toBe(4);
        const seen: string[] = [];
        await using _served = serving(queue, { handle: noting(seen) });
        await expect.poll(() => queue.count('run')).toBe(0);
        expect(seen.sort()).toEqual(['s0', 's1', 's2', 's3']);
      }),
    );

    test(
      '[QUEUE-2] what is handed out is not added a second time; what is done can be',
      withQueue(async ({ queue, other }) => {
        const gate = Promise.withResolvers<void>();
        let begun = 0;
        const handle = async (): Promise<Handled> => {
          begun++;
          await gate.promise;
          return 'done';
        };
        await queue.add(samples(1));
        await using _served = serving(queue, { slots: 2, handle, gate });
        await using _beside = serving(other, { slots: 2, handle, gate });
        await expect.poll(() => begun).toBe(1);
        await other.add(samples(1));
        await sleep(300);
        expect([begun, await queue.count('run')]).toEqual([1, 1]);
        gate.resolve();
        await expect.poll(() => queue.count('run')).toBe(0);
        expect(begun).toBe(1);
        await queue.add(samples(1));
        await expect.poll(() => begun).toBe(2);
      }),
    );

    test(
      '[QUEUE-2] a job of another run, or of another round, is another one',
      withQueue(async ({ queue }) => {
        const [first] = samples(1) as [QueuedJob];
        const jobs = [first, { ...first, run: 'run-2' }, { ...first, round: 2 }];
        await queue.add(jobs);
        const seen: QueuedJob[] = [];
        await using _served = serving(queue, {
          handle: async (job) => {
            seen.push(job);
            return 'done';
          },
        });
        await expect.poll(() => seen).toHaveLength(3);
        expect(seen).toEqual(expect.arrayContaining(jobs));
      }),
    );

    test(
      '[QUEUE-3] a worker has no more jobs at a time than slots, and all slots are used',
      withQueue(async ({ queue }) => {
        await queue.add(samples(40));
        let inHand = 0;
        const counts: number[] = [];
        const handle = async (): Promise<Handled> => {
          counts.push(++inHand);
          await sleep(20);
          inHand--;
          return 'done';
        };
        await using _served = serving(queue, { slots: 3, handle });
        await expect.poll(() => queue.count('run')).toBe(0);
        expect([Math.max(...counts), counts.length]).toEqual([3, 40]);
      }),
    );

    test(
      '[QUEUE-3] what a worker has no slot for is left to others',
      withQueue(async ({ queue, other }) => {
        const gate = Promise.withResolvers<void>();
        const seen: string[] = [];
        await queue.add(samples(3));
        await using _busy = serving(queue, {
          gate,
          handle: async ({ job }) => {
            seen.push(job);
            await gate.promise;
            return 'done';
          },
        });
        await expect.poll(() => seen).toHaveLength(1);
        await using _free = serving(other, { handle: noting(seen) });
        await expect.poll(() => seen.length).toBe(3);
        gate.resolve();
      }),
    );

    test.each([0, 700])(
      '[QUEUE-4] what a handler wants to see again is handed out again, %i ms later',
      (againMs) =>
        withQueue(async ({ queue }) => {
          await queue.add(samples(1));
          const times: number[] = [];
          await using _served = serving(queue, {
            handle: async () => {
              times.push(performance.now());
              return times.length < 3 ? { againMs } : 'done';
            },
          });
          await expect.poll(() => times.length).toBe(3);
          await expect.poll(() => queue.count('run')).toBe(0);
          const [first = 0, second = 0] = times;
          // Clocks count in whole milliseconds.
          expect(second - first).toBeGreaterThanOrEqual(againMs - 2);
        })(),
    );

    test(
      '[QUEUE-4] [QUEUE-2] what waits for its time is there: it counts, others can have it, and it is not added a second time',
      withQueue(async ({ queue, other }) => {
        await queue.add(samples(1));
        let seen = 0;
        const first = serving(queue, {
          handle: async () => {
            seen++;
            return { againMs: 1_000 };
          },
        });
        await expect.poll(() => seen).toBe(1);
        await first.stop();
        expect(await queue.count('run')).toBe(1);
        await queue.add(samples(1));
        expect(await queue.count('run')).toBe(1);
        const elsewhere: string[] = [];
        await using _served = serving(other, { handle: noting(elsewhere) });
        await expect.poll(() => elsewhere).toEqual(['s0']);
        await expect.poll(() => queue.count('run')).toBe(0);
      }),
    );

    test(
      '[QUEUE-5] a slot that asked for rest is handed nothing until then, others have its job, and whoever stops does not rest',
      withQueue(async ({ queue, other }) => {
        await queue.add(samples(3));
        let refused = 0;
        const resting = serving(queue, {
          handle: async () => {
            refused++;
            return { againMs: 100, restMs: 60_000 };
          },
        });
        await expect.poll(() => refused).toBe(1);
        await sleep(500);
        expect(refused).toBe(1);
        const seen: string[] = [];
        await using _served = serving(other, { handle: noting(seen) });
        await expect.poll(() => seen.length).toBe(3);
        const startedMs = performance.now();
        await resting.stop();
        expect(performance.now() - startedMs).toBeLessThan(6_000);
        expect(refused).toBe(1);
      }),
    );

    test(
      'a worker that is told to stop takes no job any more, and its handlers end',
      withQueue(async ({ queue }) => {
        await queue.add(samples(5));
        const gate = Promise.withResolvers<void>();
        const ended: string[] = [];
        let begun = 0;
        await using served = serving(queue, {
          slots: 2,
          gate,
          handle: async ({ job }) => {
            begun++;
            await gate.promise;
            ended.push(job);
            return 'done';
          },
        });
        await expect.poll(() => begun).toBe(2);
        const stopped = served.stop();
        await sleep(100);
        expect(ended).toEqual([]);
        gate.resolve();
        await stopped;
        expect([begun, ended.length, await queue.count('run')]).toEqual([2, 2, 3]);
      }),
    );

    test(
      'a worker that has nothing to do stops at once, and one that was told before takes nothing',
      withQueue(async ({ queue }) => {
        const idle = serving(queue, { handle: async () => 'done' });
        await sleep(300);
        const started = performance.now();
        await idle.stop();
        expect(performance.now() - started).toBeLessThan(1_000);
        await queue.add(samples(1));
        await queue.serve({
          slots: 1,
          signal: AbortSignal.abort(),
          handle: () => Promise.reject(new Error('taken')),
        });
        expect(await queue.count('run')).toBe(1);
      }),
    );

    test(
      '[QUEUE-1] a handler that throws ends the serving with its error, and its job is there again',
      withQueue(async ({ queue, other }) => {
        await queue.add(samples(1));
        const { signal } = new AbortController();
        const served = queue.serve({ slots: 1, signal, handle: () => Promise.reject(new Error('a bug')) });
        await expect(served).rejects.toThrow('a bug');
        const seen: string[] = [];
        await using _served = serving(other, { handle: noting(seen) });
        await expect.poll(() => seen).toEqual(['s0']);
      }),
    );

    test(
      'nothing added is nothing, and nothing is counted of an empty queue',
      withQueue(async ({ queue }) => {
        await queue.add([]);
        expect(await queue.count('run')).toBe(0);
      }),
    );
  });
}

export function samples(count: number, run = 'run'): QueuedJob[] {
  return Array.from({ length: count }, (_, position) => ({ run, round: 1, job: sampleJob(position) }));
}

/** Notes what it is handed, and is done with it. */
export function noting(seen: string[]): (job: QueuedJob) => Promise<Handled> {
  return async ({ job }) => {
    seen.push(job);
    return 'done';
  };
}

export interface Serving extends AsyncDisposable {
  stop(): Promise<void>;
}

export interface ServingOptions {
  readonly slots?: number;
  readonly handle: (job: QueuedJob) => Promise<Handled>;
  /** What handlers wait for: it opens at the latest when the test is over, whatever became of it. */
  readonly gate?: { resolve(): void };
}

/** Serves until it is stopped. */
export function serving(queue: JobQueue, { slots = 1, handle, gate }: ServingOptions): Serving {
  const stopping = new AbortController();
  const served = queue.serve({ slots, signal: stopping.signal, handle });
  const stop = () => {
    stopping.abort();
    return served;
  };
  const end = () => {
    gate?.resolve();
    return stop();
  };
  return { stop, [Symbol.asyncDispose]: end };
}
