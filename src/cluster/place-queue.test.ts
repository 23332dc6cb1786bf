import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { samples } from '../../test/contract/job-queue.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { onRedis, redisObstacle, useRedis } from '../../test/sim/redis-server.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { type Bucket, bucketErrors } from '../bucket/index.ts';
import type { JobQueue } from './job-queue.ts';
import { findPlaceId } from './place-id.ts';
import { openQueueOf } from './place-queue.ts';

const redis = useRedis();
const placeOf = (bucket: Bucket = memoryBucket()) => ({ bucket, prefix: 'p/' });
const keysOf = async ({ bucket }: { readonly bucket: Bucket }) =>
  (await Array.fromAsync(bucket.list(''))).map(({ key }) => key);

/** What is handed out to somebody who serves for a moment. */
async function handedOut(queue: JobQueue, ms = 800): Promise<readonly string[]> {
  const seen: string[] = [];
  const stop = new AbortController();
  const served = queue.serve({
    ...{ slots: 1, signal: stop.signal },
    handle: async ({ job }) => {
      seen.push(job);
      return 'done';
    },
  });
  await sleep(ms);
  stop.abort();
  await served;
  return seen;
}

describe.skipIf(redisObstacle !== undefined)(onRedis('the queue of a place'), () => {
  test('two projects on one Redis never meet: nobody is handed, or drops, a job of a run that is elsewhere', async () => {
    const url = redis.url();
    const [one, other] = [placeOf(), placeOf()];
    const ours = await openQueueOf(one, url);
    const theirs = await openQueueOf(other, url);
    try {
      await ours.add(samples(2));
      expect(await handedOut(theirs)).toEqual([]);
      expect(await theirs.count('run')).toBe(0);
      expect(await ours.count('run')).toBe(2);
      expect([...(await handedOut(ours))].sort()).toEqual(['s0', 's1']);
    } finally {
      await ours.close();
      await theirs.close();
    }
  });

  test('a place has one queue, however many find it without a name, and by whatever address', async () => {
    const url = redis.url();
    const bucket = memoryBucket();
    const queues = await Promise.all(Array.from({ length: 3 }, () => openQueueOf(placeOf(bucket), url)));
    await Promise.all(queues.map((queue) => queue.add(samples(2))));
    for (const queue of queues) expect(await queue.count('run')).toBe(2);
    queues.push(await openQueueOf(placeOf(bucket), url));
    expect(await queues.at(-1)?.count('run')).toBe(2);
    for (const queue of queues) await queue.close();
  });

  test('who only looks, or is refused, leaves nothing in the bucket; and sees the queue once there is one', async () => {
    const url = redis.url();
    const place = placeOf();
    const queue = await openQueueOf(place, url);
    expect(await queue.count('run')).toBe(0);
    expect(await keysOf(place)).toEqual([]);
    const submitter = await openQueueOf(place, url);
    await submitter.add(samples(1));
    expect(await keysOf(place)).toEqual(['p/place']);
    expect(await queue.count('run')).toBe(1);
    await queue.close();
    await submitter.close();
  });

  test('a worker that is started while the bucket is away serves the queue when it is back', async () => {
    const url = redis.url();
    const bucket = memoryBucket();
    const there = await openQueueOf(placeOf(bucket), url);
    await there.add(samples(1));
    let isAway = true;
    const read: Bucket['read'] = async (key) => {
      if (isAway) throw bucketErrors.away('memory', new Error('the cable is cut'));
      return bucket.read(key);
    };
    const create: Bucket['create'] = async (key, bytes) => {
      await read(key);
      return bucket.create(key, bytes);
    };
    const queue = await openQueueOf(placeOf(withMethods(bucket, { read, create })), url);
    const handed = handedOut(queue, 2_500);
    await sleep(500);
    isAway = false;
    expect(await handed).toEqual(['s0']);
    await there.close();
    await queue.close();
  });
});

test('an id that cannot be read is not taken for none', async () => {
  const place = placeOf();
  await place.bucket.create('p/place', Buffer.from('{}\n'));
  await expect(findPlaceId(place)).rejects.toMatchObject({ code: 'E_SHARED_DAMAGED' });
  await expect(openQueueOf(place, 'redis://127.0.0.1:1')).rejects.toMatchObject({ code: 'E_SHARED_DAMAGED' });
});
