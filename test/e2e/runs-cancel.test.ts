/** Nobody goes on spending because something cannot be read. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { directoryBucket } from '../../src/bucket/index.ts';
import { beginRound, createSubmission, SHARED_PREFIX, SharedRun } from '../../src/cluster/index.ts';
import { writeCancelled } from '../../src/cluster/rounds.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { sharedFixture } from '../sim/shared-fixture.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast } from './holdfast.ts';

test.each([
  ['a lease', 'leases/0000/s0.0001.begun', { state: 'cancelled', damaged: [{ job: 's0' }] }],
  ['the submission', 'submission', { error: { code: 'E_SHARED_DAMAGED' } }],
])(
  '[SHR-24] a run of which %s is damaged is cancelled all the same, and the damage is said',
  async (_, name, said) => {
    await using dir = await makeTempDir();
    const bucket = join(dir.path, 'bucket');
    const place = { bucket: directoryBucket(nodeDisk, bucket), prefix: SHARED_PREFIX };
    const { submission } = sharedFixture();
    const { run } = submission;
    await createSubmission(place, submission);
    const shared = await SharedRun.open(place, run);
    if (!shared) throw new Error('it was submitted');
    await beginRound(shared, place, { clock: systemClock, by: 'laptop' });
    const object = join(bucket, `${shared.keys.root}${name}`);
    mkdirSync(dirname(object), { recursive: true });
    rmSync(object, { force: true });
    writeFileSync(object, '{"x');
    const cancelled = await holdfast(dir.path, ['runs', 'cancel', run, '--bucket', bucket, '--json']);
    expect(cancelled.code).toBe(3);
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ exitCode: 3, ...said });
    expect(cancelled.stderr + cancelled.stdout).toContain(name);
    expect(existsSync(join(bucket, shared.keys.cancelled(1)))).toBe(true);
  },
);

test.each([
  ['that was submitted', 0, async () => undefined],
  // It cannot be told what it is, but that nobody is to work on it.
  ['whose submission cannot be read', 3, async (path: string) => writeFileSync(path, '{"x')],
])('[SHR-10] a run %s and has no round yet is cancelled for good', async (_, code, change) => {
  await using dir = await makeTempDir();
  const bucket = join(dir.path, 'bucket');
  const place = { bucket: directoryBucket(nodeDisk, bucket), prefix: SHARED_PREFIX };
  const { submission } = sharedFixture();
  const { run } = submission;
  await createSubmission(place, submission);
  const submitter = await SharedRun.open(place, run);
  if (!submitter) throw new Error('it was submitted');
  await change(join(bucket, submitter.keys.submission));
  const cancelled = await holdfast(dir.path, ['runs', 'cancel', run, '--bucket', bucket, '--json']);
  expect(cancelled.code).toBe(code);
  await beginRound(submitter, place, { clock: systemClock, by: 'laptop' });
  expect(submitter).toMatchObject({ round: 1, isCancelled: true });
});

const redis = useRedis();

test.skipIf(redisObstacle !== undefined)(
  onRedis(
    '[SHR-10] a run that somebody began to cancel before its first round, and died over it, goes on with the second',
  ),
  async () => {
    await using dir = await makeTempDir();
    const bucket = join(dir.path, 'bucket');
    const place = { bucket: directoryBucket(nodeDisk, bucket), prefix: SHARED_PREFIX };
    const record = Object.assign(Object.create(null), { identity: { eval: 'e', targetName: 't' } });
    const { submission } = sharedFixture({ record });
    const { run } = submission;
    await createSubmission(place, submission);
    await writeCancelled(place, { run, round: 1, clock: systemClock, by: 'laptop' });
    const words = ['runs', 'resume', run, '--bucket', bucket, '--queue', redis.url(), '--detach', '--json'];
    const resumed = await holdfast(dir.path, words);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ runs: [{ round: 2, due: 3, state: 'queued' }] });
  },
);

test('an empty name of a bucket is none', async () => {
  await using dir = await makeTempDir();
  const listed = await holdfast(dir.path, ['runs', 'list', '--bucket', '', '--json']);
  expect(listed.code).toBe(2);
  expect(JSON.parse(listed.stdout)).toMatchObject({ error: { code: 'E_SHARED_BUCKET' } });
});
