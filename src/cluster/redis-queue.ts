import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { assert, type Clock } from '../base/index.ts';
import { idOfJob, type JobQueue, type QueuedJob, type ServeOptions } from './job-queue.ts';
import { explainQueueError, plainly, queueErrors, replyOf } from './queue-errors.ts';
import type { RedisAddress } from './redis-address.ts';
import { connectTo, type Engine, hangUp, loadEngine, probe } from './redis-client.ts';
import { serveFromRedis } from './redis-service.ts';
import { settlesWithin } from './settles-within.ts';
import { isJob } from './shared-keys.ts';
import { SHARED_VERSION } from './shared-records.ts';

export interface RedisQueueOptions {
  readonly clock: Clock;
  /** Told once when Redis goes away while jobs are served, and of everything that it refuses. */
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

/** Longest wait for one answer. */
const ANSWER_MS = 10_000;
/** How long Redis is busy with one batch: some tens of milliseconds, in which it answers nobody else. */
const BATCH = 1_000;
/** Nobody asks for a longer wait than this: a job that waits longer was put back by a clock that is ahead. */
const WAIT_MS_MAX = 60_000;
/** BullMQ keeps milliseconds and a count in one number. */
const DELAY_SCALE = 0x1000;
const JOB_NAME = 'job';

export async function openRedisQueue(address: RedisAddress, options: RedisQueueOptions): Promise<JobQueue> {
  const engine = await probeRedis(address);
  const queue = new RedisQueue(address, engine, options);
  try {
    await queue.claim();
  } catch (error) {
    await queue.close();
    throw error;
  }
  return queue;
}

/** Throws when it does not answer, does not let us in, or cannot do what we need. */
export async function probeRedis(address: RedisAddress): Promise<Engine> {
  const engine = await loadEngine(address);
  await probe(address, engine).catch((error: unknown) => {
    throw explainQueueError(error, address);
  });
  return engine;
}

/**
 * A queue of BullMQ on Redis. Its name carries the version of our records, so that no worker is handed what it cannot read.
 *
 * ### Ordering
 * Each change is one script in Redis: a job waits, is handed out or waits for its time, and is never in between. What a worker that died
 * had is handed out again when its lock has run out.
 */
class RedisQueue implements JobQueue {
  readonly #address: RedisAddress;
  readonly #engine: Engine;
  readonly #options: RedisQueueOptions;
  readonly #redis: Redis;
  readonly #queue: Queue;
  /** Why the connection was lost, as long as it is. */
  #trouble: unknown;

  constructor(address: RedisAddress, engine: Engine, options: RedisQueueOptions) {
    this.#address = address;
    this.#engine = engine;
    this.#options = options;
    this.#redis = connectTo(address, engine, false);
    this.#redis.on('error', (error) => {
      this.#trouble = error;
    });
    this.#redis.on('ready', () => {
      this.#trouble = undefined;
    });
    this.#queue = new engine.bullmq.Queue(nameOf(SHARED_VERSION), {
      connection: this.#redis,
      prefix: address.prefix,
      // It would be said on the terminal what it thinks of the server.
      skipVersionCheck: true,
      skipWaitingForReady: true,
      // Nobody listens to them.
      streams: { events: { maxLen: 0 } },
    });
    this.#queue.on('error', () => undefined);
  }

  /** Throws when jobs of another version are there. */
  async claim(): Promise<void> {
    await this.#ask(() => this.#claim());
  }

  /** [QUEUE-2] */
  async add(jobs: readonly QueuedJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.claim();
    for (let from = 0; from < jobs.length; from += BATCH) {
      const batch = jobs.slice(from, from + BATCH).map((job) => toBull(job));
      await this.#ask(() => this.#queue.addBulk(batch));
    }
    await this.#ask(() => this.#wakeForgotten());
  }

  async count(): Promise<number> {
    const counts = await this.#ask(() => this.#queue.getJobCounts('wait', 'active', 'delayed'));
    return Object.values(counts).reduce((sum, one) => sum + one, 0);
  }

  async serve(options: ServeOptions): Promise<void> {
    await serveFromRedis({
      ...options,
      ...this.#options,
      address: this.#address,
      engine: this.#engine,
      name: this.#queue.name,
      parse: fromBull,
      // A delay of a job that is there already changes nothing.
      addLater: (job, delay) => this.#ask(() => this.#queue.addBulk([toBull(job, { delay })])),
    });
  }

  async close(): Promise<void> {
    hangUp(this.#redis);
    await settlesWithin(this.#queue.close(), ANSWER_MS, this.#options.clock);
  }

  /** A version that has left no jobs behind makes room. */
  async #claim(): Promise<void> {
    const key = `${this.#address.prefix}:version`;
    const own = String(SHARED_VERSION);
    await this.#redis.set(key, own, 'NX');
    const other = await this.#redis.get(key);
    if (other === null || other === own) return;
    const queue = `${this.#address.prefix}:${nameOf(other)}`;
    const held = await Promise.all([
      this.#redis.llen(`${queue}:wait`),
      this.#redis.llen(`${queue}:active`),
      this.#redis.zcard(`${queue}:delayed`),
    ]);
    if (held.some((count) => count > 0)) throw queueErrors.otherVersion(this.#address, { own, other });
    await this.#redis.set(key, own);
  }

  /** Times are those of whoever put a job back: with a clock that is an hour ahead it would wait for an hour. */
  async #wakeForgotten(): Promise<void> {
    const delayed = this.#queue.toKey('delayed');
    const [seconds = 0] = await this.#redis.time();
    const latest = (Number(seconds) * 1_000 + WAIT_MS_MAX) * DELAY_SCALE;
    const forgotten = await this.#redis.zrangebyscore(delayed, latest, '+inf', 'LIMIT', 0, BATCH);
    for (const id of forgotten) await (await this.#queue.getJob(id))?.promote();
  }

  /** No answer is waited for longer than that, and every error is one of ours. */
  async #ask<T>(request: () => Promise<T>): Promise<T> {
    const asked = request();
    if (!(await settlesWithin(asked, ANSWER_MS, this.#options.clock)))
      throw queueErrors.away(this.#address, this.#why(`nothing came for ${ANSWER_MS / 1_000} seconds`));
    try {
      return await asked;
    } catch (error) {
      if (replyOf(error) || this.#trouble === undefined) throw explainQueueError(error, this.#address);
      throw explainQueueError(this.#trouble, this.#address);
    }
  }

  #why(otherwise: string): string {
    return this.#trouble === undefined ? otherwise : plainly(this.#trouble, this.#address);
  }
}

function nameOf(version: number | string): string {
  return `jobs-v${version}`;
}

function toBull(job: QueuedJob, more: { readonly delay?: number } = {}) {
  const jobId = idOfJob(job);
  assert(!jobId.includes(':'), `${jobId} cannot be the id of a job`);
  return { name: JOB_NAME, data: { run: job.run, round: job.round, job: job.job }, opts: { jobId, ...more } };
}

/** Undefined for what is no job of ours. */
function fromBull(data: unknown): QueuedJob | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const run: unknown = Reflect.get(data, 'run');
  const round: unknown = Reflect.get(data, 'round');
  const job: unknown = Reflect.get(data, 'job');
  if (typeof run !== 'string' || typeof round !== 'number' || typeof job !== 'string') return undefined;
  return isJob(job) ? { run, round, job } : undefined;
}
