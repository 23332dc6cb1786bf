import { describe } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { openQueue } from '../../src/cluster/index.ts';
import { LocalQueue } from '../sim/local-queue.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { queueContract } from './job-queue.ts';

queueContract('LocalQueue', async () => {
  const queue = new LocalQueue(systemClock);
  return { queue, other: queue, [Symbol.asyncDispose]: () => queue.close() };
});

const redis = useRedis();

describe.skipIf(redisObstacle !== undefined)(onRedis('on a real server'), () => {
  queueContract('a queue in Redis', async () => {
    const url = redis.url();
    const queue = await openQueue(url);
    const other = await openQueue(url);
    return {
      queue,
      other,
      [Symbol.asyncDispose]: async () => {
        await Promise.all([queue.close(), other.close()]);
      },
    };
  });
});
