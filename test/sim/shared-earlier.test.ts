import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryBucket } from '../../src/bucket/index.ts';
import { sampleJob } from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { countingModel, twoTurns } from '../interrupted-run.ts';
import { countedReads } from './counted-reads.ts';
import { machine, openShared, openZombie, submit, until } from './shared-machines.ts';
import { useTempDir } from './use-temp-dir.ts';

const dir = useTempDir();
const SAMPLES = 6;

/** A run whose first samples were begun by a worker that hangs with the second call of each. */
async function begunByAnother() {
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  const options = { dir: dir.path, eval: twoTurns(SAMPLES), model: countingModel().model };
  const submitted = await submit(bucket, options);
  const { model: slow, asked: begun } = countingModel((text) => text.endsWith('second'));
  const zombie = await openZombie(submitted, { name: 'a', model: slow });
  const working: Promise<unknown>[] = [];
  const begin = async (position: number) => {
    working.push(zombie.work(sampleJob(position)));
    await until(() => begun.includes(`question ${position} second`));
    await zombie.ship();
  };
  for (let position = 0; position < 3; position++) await begin(position);
  await submitted.shared.refresh();
  const earlier = [submitted.shared.leasesOf(sampleJob(0))[0]?.begun.writer ?? ''];
  const counted = countedReads(bucket);
  const other = { ...submitted, place: { ...submitted.place, bucket: counted.bucket } };
  const { model, asked } = countingModel();
  const shared = await openShared(other, { name: 'b', model });
  const { state } = machine('b', options).settings.places;
  const runDir = state.runDir(submitted.shared.run);
  return {
    ...{ begin, shared, asked, counted },
    run: (position: number) => shared.runSample({ position, earlier, signal: new AbortController().signal }),
    segmentsRead: () => counted.takeRead().filter((key) => key.includes('/segments/')),
    /** What was put together of segments here. */
    scratch: () =>
      readdirSync(join(runDir, '..'))
        .filter((name) => /[^0-9a-zA-Z-]/.test(name))
        .flatMap((name) => readdirSync(join(runDir, '..', name))),
    async close() {
      zombie.stop();
      await Promise.all(working);
      await zombie.close();
      await shared.close();
    },
  };
}

test('the segments of a writer that many samples come after are read once, and again when there are more', async () => {
  const run = await begunByAnother();
  run.counted.reset();
  await Promise.all([0, 1].map((position) => run.run(position)));
  const read = run.segmentsRead();
  expect(read.length).toBeGreaterThan(0);
  expect(new Set(read).size).toBe(read.length);
  expect(run.asked.filter((text) => text.endsWith('first'))).toEqual([]);
  await run.run(2);
  expect(run.segmentsRead()).toEqual([]);
  expect(run.scratch()).toHaveLength(1);
  // It goes on writing, as one that was frozen may: what it bought meanwhile is replayed as well.
  await run.begin(3);
  await run.run(3);
  expect(run.asked).not.toContain('question 3 first');
  expect(run.segmentsRead().length).toBeGreaterThan(read.length);
  expect(run.scratch()).toHaveLength(1);
  await run.close();
});
