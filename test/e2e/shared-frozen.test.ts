/** A worker that sleeps past its lease and wakes up: what it bought is worth as much as before, what it says of its sample comes too late. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { SharedPlace } from '../../src/cluster/index.ts';
import { costsInSegments } from '../../src/journal/index.ts';
import { samplesOf } from '../sim/read-log.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { freeze } from './freeze.ts';
import { jsonOf } from './holdfast.ts';
import { leasesAt, placeAt, untilLease } from './shared-bucket.ts';
import { allAnswers, sharedProject, until } from './shared-project.ts';

const redis = useRedis();
const SAMPLES = 4;

/** When all is bought it waits while there is a gate for its worker, and then says whose work it was. */
const NAMED_BY_WORKER = `target: async ({ input }, { record }) => {
  await buy(record, input + ' first');
  await buy(record, input + ' second');
  while (isThere(process.env.LEDGER + '-' + process.env.NAME)) await pause(20);
  return input + ' by ' + process.env.NAME;
},`;

describe.skipIf(redisObstacle !== undefined || process.platform === 'win32')(
  onRedis('a frozen worker'),
  () => {
    test('[SHR-5] [SHR-6] it is declared lost, its answers are replayed and its late result is none; awake again it goes on working', async () => {
      const queue = redis.url();
      await using project = await sharedProject({ samples: SAMPLES, queue, more: NAMED_BY_WORKER });
      const gate = join(project.path, '../ledger-frozen');
      writeFileSync(gate, '');
      project.hold(2);
      const first = await project.worker(['--slots', '1'], { NAME: 'frozen' });
      const submit = ['submit', 'shared.eval.ts', '--json', '--detach'];
      const { run } = jsonOf(await project.holdfast(submit)).runs[0];
      const place = await placeAt(project.bucket);
      const { begun } = await untilLease(place, run, () => true);
      await untilShipped(place, run, { writer: begun.writer, answers: 2 });
      const frozen = freeze(first);

      // Room for all that wait, and for what the other had.
      const second = await project.worker(['--slots', String(SAMPLES)], { NAME: 'awake' });
      const lost = await untilLease(place, run, ({ ended }) => ended?.status === 'lost');
      expect(lost).toMatchObject({ begun, ended: { reason: expect.stringContaining('no sign of life') } });
      await untilLease(place, run, ({ ended }) => ended?.job === begun.job && ended.status === 'completed');
      // It had all answers before it: none was left to buy, and none could be.
      expect(project.bought()).toHaveLength(2);

      // Its code wakes up before the worker does: the sample is completed, and is in the bucket, before anybody there finds out.
      rmSync(gate);
      frozen.thawSessions();
      await untilCompletedBy(place, run, begun.writer);
      frozen.thawWorker();
      await first.said(`${run} ${begun.job}`);
      const ends = (await leasesAt(place, run)).filter(({ ended }) => ended?.job === begun.job);
      expect(ends.map(({ ended }) => ended?.status)).toEqual(['lost', 'completed']);
      expect(ends[0]).toEqual(lost);

      second.child.kill('SIGTERM');
      await second.ended;
      project.letGo();
      expect(jsonOf(await project.holdfast(['runs', 'wait', run, '--json']))).toMatchObject({ exitCode: 0 });
      const { home } = jsonOf(await project.holdfast(['runs', 'fetch', run, '--json']));
      expect(home).toMatchObject({
        ...{ isComplete: true, lostResults: [], problems: [], samples: { completed: SAMPLES } },
        lostLeases: [{ job: begun.job, n: 1 }],
      });
      expect(project.bought().sort()).toEqual(allAnswers(SAMPLES));
      const outputs = (await samplesOf(home.log)).map(({ output }) => output.choices[0]?.message.content);
      const workers = Array.from({ length: SAMPLES }, (_, n) => (`s${n}` === begun.job ? 'awake' : 'frozen'));
      expect(outputs).toEqual(workers.map((name, n) => `q${n} by ${name}`));
    }, 300_000);
  },
);

/** An answer costs a cent. */
function untilShipped(
  place: SharedPlace,
  run: string,
  { writer, answers }: { readonly writer: string; readonly answers: number },
): Promise<void> {
  const cents = async () => 100 * ((await costsInSegments({ ...place, run })).get(writer) ?? 0);
  return until(async () => Math.round(await cents()) >= answers, `${answers} answers to be shipped`);
}

/** Until a segment of a writer says that an attempt is completed. */
function untilCompletedBy(place: SharedPlace, run: string, writer: string): Promise<void> {
  const { bucket, prefix } = place;
  return until(async () => {
    for await (const { key } of bucket.list(`${prefix}${run}/segments/${writer}/`)) {
      const bytes = await bucket.read(key);
      if (bytes && zstdDecompressSync(bytes).includes('"completed"')) return true;
    }
    return false;
  }, 'the late result to be shipped');
}
