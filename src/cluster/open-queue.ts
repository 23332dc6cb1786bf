import { systemClock, UsageError } from '../base/index.ts';
import type { JobQueue } from './job-queue.ts';
import { isRedisUrl, parseRedisAddress, type RedisAddress } from './redis-address.ts';
import type { RedisLimiter, RedisLimiterOptions } from './redis-limiter.ts';
import type { RedisQueueOptions } from './redis-queue.ts';

export interface OpenQueueOptions extends Partial<RedisQueueOptions> {
  /** Whose queue it is, of all that share a Redis and a prefix. */
  readonly within?: string | undefined;
}

/** Opens the queue that an address names, once it has answered and can be used. */
export async function openQueue(
  url: string,
  { within, ...options }: OpenQueueOptions = {},
): Promise<JobQueue> {
  const address = addressOf(url);
  // Only who uses one has to have its client.
  const { openRedisQueue } = await import('./redis-queue.ts');
  const prefix = within === undefined ? address.prefix : `${address.prefix}:${within}`;
  return openRedisQueue({ ...address, prefix }, { clock: systemClock, ...options });
}

/** Resolves when it answers and can be used, and leaves nothing there. */
export async function probeQueue(url: string): Promise<void> {
  const address = addressOf(url);
  const { probeRedis } = await import('./redis-queue.ts');
  await probeRedis(address);
}

function addressOf(url: string): RedisAddress {
  if (!isRedisUrl(url)) {
    throw new UsageError({
      code: 'E_QUEUE_UNSUPPORTED',
      message: `${url.replace(/\/\/.*@/s, '//…@')} is the address of no queue that this version knows.`,
      hint: 'Name a Redis: redis://host[:port], or rediss://… with TLS.',
    });
  }
  return parseRedisAddress(url);
}

/** The limits that hold over all workers of a queue: whoever opened the queue knows that it answers. */
export async function openLimiter(url: string, options: RedisLimiterOptions): Promise<RedisLimiter> {
  const address = parseRedisAddress(url);
  const [{ RedisLimiter }, { loadEngine }] = await Promise.all([
    import('./redis-limiter.ts'),
    import('./redis-client.ts'),
  ]);
  return new RedisLimiter(address, await loadEngine(address), options);
}
