/** The bucket says everything of a run: whoever looks at one, or waits for it, needs no queue. */
import { describe, expect, test } from 'vitest';
import { directoryBucket } from '../../src/bucket/index.ts';
import { openQueueOf, SHARED_PREFIX } from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { onRedis, redisObstacle, startRedis } from '../sim/redis-server.ts';
import { jsonOf } from './holdfast.ts';
import { allAnswers, sharedProject } from './shared-project.ts';

const SAMPLES = 3;

describe.skipIf(redisObstacle !== undefined)(onRedis('a queue that is away'), () => {
  test('keeps nobody from looking at a run, from waiting for it or from cancelling it, and is filled when it is back', async () => {
    await using redis = await startRedis();
    await using project = await sharedProject({ samples: SAMPLES, queue: redis.url });
    const { runs } = jsonOf(
      await project.holdfast(['submit', 'shared.eval.ts', '--detach', '--json', '--limit', '1']),
    );
    const attached = project.start(['submit', 'shared.eval.ts', '--json']);
    await attached.said('queued');
    await redis.kill();
    const [other] = runs;
    const listed = jsonOf(await project.holdfast(['runs', 'list', '--json']));
    const { run } = listed.runs.find((one: { readonly run: string }) => one.run !== other.run);
    expect(jsonOf(await project.holdfast(['runs', 'status', run, '--json']))).toMatchObject({ exitCode: 0 });
    expect(jsonOf(await project.holdfast(['runs', 'fetch', run, '--json']))).toMatchObject({ exitCode: 4 });
    expect(jsonOf(await project.holdfast(['runs', 'cancel', other.run, '--json']))).toMatchObject({
      ...{ exitCode: 0, state: 'cancelled' },
    });
    const waiting = project.start(['runs', 'wait', run, '--json']);
    await Promise.all([waiting, attached].map(({ said }) => said('does not answer')));

    await redis.start();
    await Promise.all([waiting, attached].map(({ said }) => said('The queue is back.')));
    // It came back empty, and no worker is there to fill it.
    const place = { bucket: directoryBucket(nodeDisk, project.bucket), prefix: SHARED_PREFIX };
    const queue = await openQueueOf(place, redis.url);
    expect(await queue.count(run)).toBe(SAMPLES);
    await queue.close();
    await project.worker();
    const [waited, submitted] = await Promise.all([waiting.ended, attached.ended]);
    expect(jsonOf(waited)).toMatchObject({ exitCode: 0, end: 'complete' });
    expect(jsonOf(submitted)).toMatchObject({ exitCode: 0, runs: [{ run, end: 'complete' }] });
    expect(waited.stderr.match(/does not answer/g)).toHaveLength(1);
    expect(project.bought().sort()).toEqual(allAnswers(SAMPLES));
  });
});
