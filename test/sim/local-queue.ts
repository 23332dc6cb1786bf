import type { Clock } from '../../src/base/index.ts';
import { type Handled, idOfJob, type JobQueue, type QueuedJob } from '../../src/cluster/index.ts';

type ServeOptions = Parameters<JobQueue['serve']>[0];

/** Stands for a queue engine, in this process: nothing of it outlives the process. */
export class LocalQueue implements JobQueue {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, QueuedJob>();
  readonly #handedOut = new Map<string, QueuedJob>();
  readonly #delayed = new Map<string, QueuedJob>();
  readonly #idle = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async add(jobs: readonly QueuedJob[]): Promise<void> {
    for (const job of jobs) {
      const id = idOfJob(job);
      if (this.#handedOut.has(id) || this.#delayed.has(id)) continue;
      this.#waiting.set(id, job);
    }
    for (const wake of [...this.#idle]) wake();
  }

  async count(run: string): Promise<number> {
    const all = [this.#waiting, this.#handedOut, this.#delayed].flatMap((jobs) => [...jobs.values()]);
    return all.filter((job) => job.run === run).length;
  }

  async serve({ slots, signal, handle }: ServeOptions): Promise<void> {
    const slot = async () => {
      for (let job = await this.#next(signal); job; job = await this.#next(signal)) {
        let handled: Handled = { againMs: 0 };
        try {
          handled = await handle(job);
        } finally {
          this.#finish(job, handled);
        }
        // Told to stop, it does not rest any longer.
        if (handled !== 'done' && handled.restMs)
          await this.#clock.sleep(handled.restMs, signal).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: slots }, slot));
  }

  async close(): Promise<void> {
    this.#waiting.clear();
  }

  async #next(signal: AbortSignal): Promise<QueuedJob | undefined> {
    while (!signal.aborted) {
      const [first] = this.#waiting;
      if (first) {
        const [id, job] = first;
        this.#waiting.delete(id);
        this.#handedOut.set(id, job);
        return job;
      }
      await this.#somethingNew(signal);
    }
    return undefined;
  }

  #somethingNew(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#idle.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#idle.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  #finish(job: QueuedJob, handled: Handled): void {
    const id = idOfJob(job);
    this.#handedOut.delete(id);
    if (handled === 'done') return;
    this.#delayed.set(id, job);
    this.#clock.after(handled.againMs, () => {
      this.#delayed.delete(id);
      void this.add([job]);
    });
  }
}
