import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryBucket } from '../../src/bucket/index.ts';
import { KnownRuns, sampleJob } from '../../src/cluster/index.ts';
import { spentOnRun } from '../../src/cluster/spent-on-run.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { defineEval, includes } from '../../src/evals/index.ts';
import { countingModel } from '../interrupted-run.ts';
import { bringHome, startWorker, submit, untilComplete } from './shared-machines.ts';
import { useTempDir } from './use-temp-dir.ts';

const dir = useTempDir();

test('[QLIM-5] the bucket knows what agents paid for themselves, in all tries at a sample, and so does whoever fetches', async () => {
  const fails = join(dir.path, 'failed');
  const submitted = await submit(directoryBucket(nodeDisk, join(dir.path, 'bucket')), {
    ...{ dir: dir.path, model: countingModel().model },
    prices: { 'command/sh': { call: 0.25 } },
    eval: defineEval({
      name: 'agents',
      data: ['a', 'b'].map((id) => ({ id, input: id, target: id })),
      // Its first try at each fails, and is paid for.
      target: {
        command: ['/bin/sh', '-c', `[ -e ${fails}-$1 ] && echo $1 || { touch ${fails}-$1; exit 1; }`].concat([
          'sh',
          '{{input}}',
        ]),
      },
      retries: 1,
      scorers: [includes()],
    }),
  });
  const { place, shared } = submitted;
  const worker = await startWorker(submitted, { name: 'w' });
  await untilComplete(submitted);
  await worker.stop();
  const leases = [0, 1].map((position) => shared.leasesOf(sampleJob(position))[0]);
  expect(leases).toMatchObject([
    { ended: { status: 'completed', usd: 0.5 } },
    { ended: { status: 'completed', usd: 0.5 } },
  ]);
  const spent = await spentOnRun(place, { run: shared.run, runs: new KnownRuns(place) });
  expect(spent.get(`w:${leases[0]?.begun.writer}`)).toBe(1);
  expect((await bringHome(submitted)).usd).toBe(1);
});
