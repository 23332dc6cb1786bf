/** Whoever follows a run sees all that happens to it, as it happens. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { directoryBucket } from '../../src/bucket/index.ts';
import {
  beginRound,
  createSubmission,
  LeaseBook,
  SHARED_PREFIX,
  SharedRun,
  sampleJob,
} from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { sharedFixture } from '../sim/shared-fixture.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { startHoldfast } from './holdfast.ts';

test('a whole run is followed until it is over: a line for each thing that happens, when it happens', async () => {
  await using dir = await makeTempDir();
  const bucket = join(dir.path, 'bucket');
  const place = { bucket: directoryBucket(nodeDisk, bucket), prefix: SHARED_PREFIX };
  const record = Object.assign(Object.create(null), { identity: { eval: 'e', targetName: 't' } });
  const { submission } = sharedFixture({ samples: 2, record });
  const { run } = submission;
  await createSubmission(place, submission);
  const shared = await SharedRun.open(place, run);
  if (!shared) throw new Error('it was submitted');
  await beginRound(shared, place, { clock: systemClock, by: 'laptop' });
  const following = startHoldfast(dir.path, ['runs', 'logs', run, '--follow', '--bucket', bucket]);
  let said = '';
  following.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await expect.poll(() => said, { timeout: 60_000 }).toContain('round      round 1, by laptop');
  const book = new LeaseBook(place, { run, clock: systemClock });
  for (const [position, status] of [
    [0, 'completed'],
    [1, 'errored'],
  ] as const) {
    const job = sampleJob(position);
    const taken = await book.take(job, { round: 1, worker: 'a', writer: 'w' });
    if (taken.kind !== 'taken') throw new Error(taken.kind);
    await expect.poll(() => said, { timeout: 60_000 }).toContain(`begun      ${job} (lease 1) on a`);
    await book.end(taken.lease, { status, by: 'a', reason: 'so it was' });
    if (position === 0)
      await expect.poll(() => said, { timeout: 60_000 }).toContain('completed  s0 (lease 1) on a: so it was');
  }
  const ended = await following.ended;
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(`${run} complete`) });
  expect(ended.stdout.trim().split('\n')).toHaveLength(6);
  expect(ended.stdout).toContain('errored    s1 (lease 1) on a: so it was');
});
