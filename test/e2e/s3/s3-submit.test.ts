/** `holdfast submit` sends nothing to a server that does not do what shared runs need. */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { openS3Bucket } from '../../../src/bucket/s3/s3-bucket.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { onRedis, redisObstacle, useRedis } from '../../sim/redis-server.ts';
import { startFaultProxy } from '../../sim/s3/fault-proxy.ts';
import { heedless } from '../../sim/s3/heedless.ts';
import { BUCKET } from '../../sim/s3/s3-server.ts';
import { obstacle, onServer, useS3 } from '../../sim/s3/use-s3.ts';
import { jsonOf } from '../holdfast.ts';
import { sharedProject } from '../shared-project.ts';

const s3 = useS3();
const redis = useRedis();

test.skipIf(obstacle !== undefined || redisObstacle !== undefined)(
  onRedis(
    onServer('a submit to a bucket that creates although there is something is refused, and nothing is sent'),
  ),
  async () => {
    await using proxy = await startFaultProxy(s3.server.endpoint);
    const bucket = `s3://${BUCKET}/${randomUUID()}`;
    const env = { ...s3.env, AWS_ENDPOINT_URL_S3: proxy.endpoint };
    await using project = await sharedProject({ samples: 2, queue: redis.url(), bucket, env });
    const submit = ['submit', 'shared.eval.ts', '--detach', '--json'];
    proxy.fault = heedless('if-none-match');
    expect(jsonOf(await project.holdfast(submit))).toMatchObject({
      exitCode: 2,
      error: { code: 'E_SHARED_BUCKET', message: expect.stringContaining('8 of 8 writers of one key won') },
    });
    const client = new Redis({ port: redis.port });
    expect(await client.keys('*')).toEqual([]);
    client.disconnect();
    const stored = () =>
      openS3Bucket(bucket, { disk: nodeDisk }).then((one) => Array.fromAsync(one.list('')));
    expect(await stored()).toEqual([]);
    // What it was refused for is all that was wrong with it.
    proxy.fault = () => undefined;
    expect(jsonOf(await project.holdfast(submit))).toMatchObject({ exitCode: 0 });
    expect(await stored()).not.toEqual([]);
  },
);
