import type { Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../base/index.ts';
import type { Handled, QueuedJob, ServeOptions } from './job-queue.ts';
import { explainQueueError, replyOf } from './queue-errors.ts';
import type { RedisAddress } from './redis-address.ts';
import { connectTo, type Engine, hangUp, quiet } from './redis-client.ts';
import { settlesWithin } from './settles-within.ts';

export interface RedisServiceOptions extends ServeOptions {
  readonly address: RedisAddress;
  readonly engine: Engine;
  /** Of the queue. */
  readonly name: string;
  readonly clock: Clock;
  readonly parse: (data: unknown) => QueuedJob | undefined;
  readonly addLater: (job: QueuedJob, delayMs: number) => Promise<unknown>;
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

/** A worker that is killed has renewed its lock 4 s ago at the most: its job is handed out again 4 to 12 s after its death. */
const LOCK_MS = 8_000;
const STALL_CHECK_MS = 4_000;
const RETRY_MS = 1_000;
/** How long Redis may take to hear what became of the last jobs, when a worker must go. Afterwards their locks run out. */
const GIVE_BACK_MS = 5_000;
const HANG_UP_MS = 2_000;

/** Hands out jobs of Redis until the signal is aborted or a handler throws. Redis may go away and come back meanwhile. */
export async function serveFromRedis(options: RedisServiceOptions): Promise<void> {
  if (!options.signal.aborted) await new RedisService(options).run();
}

class RedisService {
  readonly #options: RedisServiceOptions;
  readonly #main: Redis;
  /** BullMQ waits for jobs on a connection of its own, which it copies from the first. */
  readonly #copies: Redis[] = [];
  readonly #handling = new Set<Promise<Handled>>();
  readonly #failed = new AbortController();
  #isTold = false;

  constructor(options: RedisServiceOptions) {
    this.#options = options;
    this.#main = connectTo(options.address, options.engine, true);
    this.#main.on('ready', () => {
      this.#isTold = false;
    });
    const duplicate = this.#main.duplicate.bind(this.#main);
    this.#main.duplicate = (override) => {
      const copy = quiet(duplicate(override));
      this.#copies.push(copy);
      return copy;
    };
  }

  get #isStopping(): boolean {
    return this.#options.signal.aborted || this.#failed.signal.aborted;
  }

  async run(): Promise<void> {
    const worker = this.#start();
    await aborted(AbortSignal.any([this.#options.signal, this.#failed.signal]));
    await this.#stop(worker);
    this.#failed.signal.throwIfAborted();
  }

  /** [QUEUE-3] Its concurrency is how many jobs it has at a time: it takes the next one when a handler has ended. */
  #start(): Worker {
    const { engine, name, address, slots } = this.#options;
    const worker = new engine.bullmq.Worker(name, (job, token) => this.#process(job, token), {
      connection: this.#main,
      prefix: address.prefix,
      skipVersionCheck: true,
      concurrency: slots,
      lockDuration: LOCK_MS,
      stalledInterval: STALL_CHECK_MS,
      // How many workers a job may lose is decided by its leases.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: RETRY_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.on('error', (error) => this.#tell(error));
    return worker;
  }

  async #process(job: Job, token: string | undefined): Promise<void> {
    const queued = this.#options.parse(job.data);
    // Nothing of ours: it is not handed out a second time.
    if (!queued) return;
    const handled = this.#isStopping ? { againMs: 0 } : await this.#handle(queued);
    if (handled === 'done') return;
    await this.#putBack(job, token, { queued, againMs: handled.againMs });
    if (handled.restMs) await this.#rest(handled.restMs);
    throw new this.#options.engine.bullmq.DelayedError();
  }

  /** [QUEUE-5] Its slot is free when the job is over for BullMQ. */
  async #rest(restMs: number): Promise<void> {
    const stopped = AbortSignal.any([this.#options.signal, this.#failed.signal]);
    await this.#options.clock.sleep(restMs, stopped).catch(() => undefined); // Told to stop, it does not rest any longer.
  }

  async #handle(queued: QueuedJob): Promise<Handled> {
    const handling = (async () => this.#options.handle(queued))();
    this.#handling.add(handling);
    try {
      return await handling;
    } catch (error) {
      this.#failed.abort(error);
      return { againMs: 0 };
    } finally {
      this.#handling.delete(handling);
    }
  }

  /**
   * [QUEUE-4] One script takes it from those that are handed out and puts it where it waits. When this worker has lost it
   * meanwhile, it is added as a new one, unless it is there. BullMQ is told by its own error to leave it alone; where nothing of this could be done
   * the job is still this worker's, whose lock runs out.
   */
  async #putBack(
    job: Job,
    token: string | undefined,
    { queued, againMs }: { readonly queued: QueuedJob; readonly againMs: number },
  ): Promise<void> {
    const { clock, addLater } = this.#options;
    try {
      if (againMs > 0) await job.moveToDelayed(clock.nowMs() + againMs, token);
      else await job.moveToWait(token);
    } catch {
      // It was handed out elsewhere, or Redis has forgotten it.
      await addLater(queued, againMs).catch((error: unknown) => this.#tell(error));
    }
  }

  /**
   * ### Ordering
   * No job is taken any more; the handlers end; Redis hears what became of their jobs. One that is away then is not waited for any longer.
   */
  async #stop(worker: Worker): Promise<void> {
    const { clock } = this.#options;
    for (const copy of this.#copies) hangUp(copy);
    const isOwing = this.#handling.size > 0 || this.#main.status === 'ready';
    const closed = worker.close();
    await Promise.allSettled(this.#handling);
    if (isOwing) await settlesWithin(closed, GIVE_BACK_MS, clock);
    for (const client of [this.#main, ...this.#copies]) hangUp(client);
    await settlesWithin(closed, HANG_UP_MS, clock);
  }

  /** Of a connection that is lost once, however often it is tried. What BullMQ says of locks that are lost is none of a problem. */
  #tell(error: unknown): void {
    const isOfServer =
      replyOf(error) !== undefined ||
      (error instanceof Error && typeof Reflect.get(error, 'code') === 'string');
    if (!isOfServer || this.#isTold || this.#isStopping) return;
    this.#isTold = true;
    this.#options.onProblem?.(explainQueueError(error, this.#options.address));
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
