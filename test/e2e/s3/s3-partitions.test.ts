/**
 * A worker on a machine of its own, with one cable to Redis and one to the bucket, either of which is cut while it works: packets are
 * dropped, connections stay, and nobody is told.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { namespaceObstacle, openNamespace } from '../../sim/network-namespace.ts';
import { redisObstacle, startRedis } from '../../sim/redis-server.ts';
import { startRelay } from '../../sim/relay.ts';
import { BUCKET } from '../../sim/s3/s3-server.ts';
import { obstacle, onServer, useS3 } from '../../sim/s3/use-s3.ts';
import { holdIn } from '../hold.ts';
import { allAnswers, sharedProject, untilBought } from '../shared-project.ts';

const s3 = useS3();
const whyNot = obstacle ?? redisObstacle ?? namespaceObstacle();
const title = whyNot === undefined || whyNot === obstacle ? onServer('partitions') : `partitions (${whyNot})`;

const SAMPLES = 6;
const SLOTS = 2;

/** A project whose first worker is far away, has `SLOTS` jobs in hand, and buys so many answers and no more until it is let go. */
async function workedOnFarAway(answers: number) {
  await using stack = new AsyncDisposableStack();
  const far = stack.use(required(openNamespace(2)));
  const [toRedis, toBucket] = far.cables.map(required);
  if (!toRedis || !toBucket) throw new Error('there are two');
  const redis = stack.use(await startRedis());
  const bucket = new URL(s3.server.endpoint);
  const [near, nearBucket] = [
    stack.use(await startRelay(toRedis.ours, { host: '127.0.0.1', port: redis.port })),
    stack.use(await startRelay(toBucket.ours, { host: bucket.hostname, port: Number(bucket.port) })),
  ];
  const project = stack.use(
    await sharedProject({
      samples: SAMPLES,
      queue: redis.url,
      bucket: `s3://${BUCKET}/${randomUUID()}`,
      env: { ...s3.env },
    }),
  );
  const heldFar = join(project.path, '../hold-far');
  holdIn(heldFar, answers);
  const env = {
    HOLDFAST_QUEUE: `redis://${toRedis.ours}:${near.port}`,
    AWS_ENDPOINT_URL_S3: `http://${toBucket.ours}:${nearBucket.port}`,
    HOLD: heldFar,
  };
  const worker = await project.worker(['--slots', String(SLOTS)], env, far.prefix);
  const submitted = await project.holdfast(['submit', 'shared.eval.ts', '--detach', '--json']);
  expect(submitted.code, submitted.stderr).toBe(0);
  const run: string = JSON.parse(submitted.stdout).runs[0].run;
  const busyCount = async () => {
    const status = await project.holdfast(['runs', 'status', run, '--json']);
    return JSON.parse(status.stdout).inFlight.length;
  };
  while ((await busyCount()) < SLOTS) await sleep(100);
  const used = stack.move();
  const letGo = () => holdIn(heldFar, Number.POSITIVE_INFINITY);
  return { project, worker, run, toRedis, toBucket, letGo, [Symbol.asyncDispose]: () => used.disposeAsync() };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is not there');
  return value;
}

describe.skipIf(whyNot !== undefined)(title, () => {
  test('a worker that Redis does not reach keeps what it has: others are handed it, see it alive, and nothing is bought twice', async () => {
    await using far = await workedOnFarAway(0);
    const { project, run } = far;
    far.toRedis.cut();
    const near = await project.worker(['--slots', '2']);
    const waiting = project.holdfast(['runs', 'wait', run, '--json', '--no-progress', '3m']);
    // The queue took it for gone, and handed another what it has.
    await near.said('held ');
    far.letGo();
    const waited = await waiting;
    expect(JSON.parse(waited.stdout), waited.stderr).toMatchObject({ exitCode: 0, end: 'complete' });
    far.toRedis.mend();
    const { home } = JSON.parse((await project.holdfast(['runs', 'fetch', run, '--json'])).stdout);
    expect(home).toMatchObject({
      ...{ isComplete: true, lostLeases: [], lostResults: [], problems: [] },
      samples: { completed: SAMPLES, errored: 0 },
    });
    expect(project.bought().sort()).toEqual(allAnswers(SAMPLES));
    expect(project.pids().size).toBe(2);
  });

  test('a worker that does not reach the bucket loses what it has to others, and what it bought is there when it does again', async () => {
    await using far = await workedOnFarAway(SLOTS);
    const { project, run, worker } = far;
    await untilBought(project, SLOTS);
    far.toBucket.cut();
    far.letGo();
    await project.worker(['--slots', '2']);
    const waited = await project.holdfast(['runs', 'wait', run, '--json', '--no-progress', '3m']);
    expect(JSON.parse(waited.stdout), waited.stderr).toMatchObject({ exitCode: 0, end: 'complete' });
    const fetch = async () =>
      JSON.parse((await project.holdfast(['runs', 'fetch', run, '--json'])).stdout).home;
    const before = await fetch();
    expect(before).toMatchObject({
      ...{ isComplete: true, lostResults: [], problems: [] },
      samples: { completed: SAMPLES, errored: 0 },
    });
    const bought = project.bought();
    expect(new Set(bought)).toEqual(new Set(allAnswers(SAMPLES)));
    const twice = bought.filter((text, at) => bought.indexOf(text) !== at);
    const lost: string[] = before.lostLeases.map(({ job }: { job: string }) => job);
    expect(lost).toHaveLength(SLOTS);
    expect(twice.filter((text) => !lost.includes(`s${Number.parseInt(text.slice(1), 10)}`))).toEqual([]);

    far.toBucket.mend();
    await worker.said('lost ');
    const after = await fetch();
    expect(after).toMatchObject({ log: before.log, lostResults: [], lostLeases: before.lostLeases });
    expect(after.usd).toBeCloseTo(0.01 * project.bought().length);
    expect(project.bought()).toEqual(bought);
  });
});
