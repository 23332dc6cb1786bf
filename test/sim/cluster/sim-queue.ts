import { ActionableError, type Random } from '../../../src/base/index.ts';
import { type Handled, idOfJob, type JobQueue, type QueuedJob } from '../../../src/cluster/index.ts';
import type { SimProcess } from './sim-process.ts';
import type { VirtualTime } from './virtual-time.ts';

const LOCK_MS = 8_000;
const STALL_CHECK_MS = 4_000;
const RENEW_MS = 3_000;
const POLL_MS = 700;

interface Held {
  readonly job: QueuedJob;
  readonly token: number;
  untilMs: number;
}

/** A queue engine as the real ones are: locks that expire, at least once, and all of it gone when it is lost. */
export class SimEngine {
  readonly #time: VirtualTime;
  readonly #random: Random;
  #waiting = new Map<string, QueuedJob>();
  #held = new Map<string, Held>();
  #tokens = 0;
  awayUntilMs = 0;
  /** Of stall checks: how many hand out a job that somebody has. */
  doubleShare = 0;

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random;
    this.#checkLater();
  }

  /** It comes back empty. */
  lose(downMs: number): void {
    this.#waiting = new Map();
    this.#held = new Map();
    this.awayUntilMs = this.#time.nowMs + downMs;
  }

  add(jobs: readonly QueuedJob[]): void {
    for (const job of jobs) {
      const id = idOfJob(job);
      if (!this.#waiting.has(id) && !this.#held.has(id)) this.#waiting.set(id, job);
    }
  }

  count(run: string): number {
    const held = [...this.#held.values()].map(({ job }) => job);
    return [...this.#waiting.values(), ...held].filter((job) => job.run === run).length;
  }

  pop(): Held | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [id, job] = first;
    this.#waiting.delete(id);
    const held = { job, token: ++this.#tokens, untilMs: this.#time.nowMs + LOCK_MS };
    this.#held.set(id, held);
    return held;
  }

  renew({ job, token }: Held): void {
    const held = this.#held.get(idOfJob(job));
    if (held?.token === token) held.untilMs = this.#time.nowMs + LOCK_MS;
  }

  finish({ job, token }: Held, handled: Handled): void {
    const id = idOfJob(job);
    const isOurs = this.#held.get(id)?.token === token;
    if (isOurs) this.#held.delete(id);
    if (handled === 'done') return;
    this.#time.after(handled.againMs, () => this.add([job]));
  }

  check(): void {
    for (const [id, { job, untilMs }] of [...this.#held]) {
      const isDoubled = this.#random.next() < this.doubleShare;
      if (untilMs >= this.#time.nowMs && !isDoubled) continue;
      this.#held.delete(id);
      this.#waiting.set(id, job);
    }
  }

  #checkLater(): void {
    this.#time.after(STALL_CHECK_MS, () => {
      this.check();
      this.#checkLater();
    });
  }
}

/** The engine as one process sees it. */
export function queueOf(
  process: SimProcess,
  { engine, time }: { engine: SimEngine; time: VirtualTime },
): JobQueue {
  const ask = <T>(request: () => T): Promise<T> =>
    process.call(async () => {
      if (time.nowMs < engine.awayUntilMs) throw away();
      return request();
    });
  return {
    add: (jobs) => ask(() => engine.add(jobs)),
    count: (run) => ask(() => engine.count(run)),
    close: async () => undefined,
    async serve({ slots, signal, handle }) {
      const slot = async () => {
        while (!signal.aborted) {
          const held = await ask(() => engine.pop()).catch(() => undefined);
          if (held) await handleOne(held, handle);
          else await process.clock.sleep(POLL_MS, signal).catch(() => undefined);
        }
      };
      await Promise.all(Array.from({ length: slots }, slot));
    },
  };

  async function handleOne(held: Held, handle: (job: QueuedJob) => Promise<Handled>): Promise<void> {
    using _renewal = process.clock.every(RENEW_MS, () => {
      ask(() => engine.renew(held)).catch(() => undefined);
    });
    const handled = await handle(held.job);
    await ask(() => engine.finish(held, handled)).catch(() => undefined);
  }
}

function away(): ActionableError {
  return new ActionableError({
    code: 'E_QUEUE_AWAY',
    message: 'The queue does not answer.',
    hint: 'It is asked again.',
    retryable: true,
  });
}
