import { systemClock, UsageError } from '../base/index.ts';
import type { JobQueue } from './job-queue.ts';
import { isRedisUrl, parseRedisAddress } from './redis-address.ts';
import type { RedisQueueOptions } from './redis-queue.ts';

/** Opens the queue that an address names, once it has answered and can be used. */
export async function openQueue(url: string, options: Partial<RedisQueueOptions> = {}): Promise<JobQueue> {
  if (!isRedisUrl(url)) {
    throw new UsageError({
      code: 'E_QUEUE_UNSUPPORTED',
      message: `${url.replace(/\/\/.*@/s, '//…@')} is the address of no queue that this version knows.`,
      hint: 'Name a Redis: redis://host[:port], or rediss://… with TLS.',
    });
  }
  const address = parseRedisAddress(url);
  // Only who uses one has to have its client.
  const { openRedisQueue } = await import('./redis-queue.ts');
  return openRedisQueue(address, { clock: systemClock, ...options });
}
