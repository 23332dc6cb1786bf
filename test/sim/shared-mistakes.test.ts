/** Mistakes that builds meet: they end a shared run as they end a run of one machine. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryBucket } from '../../src/bucket/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { defineArtifact, defineEval } from '../../src/evals/index.ts';
import { countingModel } from '../interrupted-run.ts';
import { startWorker, submit, until } from './shared-machines.ts';
import { useTempDir } from './use-temp-dir.ts';

const dir = useTempDir();

test('[SHR-25] a mistake of a build cancels the round, and is not the failure of all samples that need it', async () => {
  const knowledge = defineArtifact({
    ...{ kind: 'knowledge', key: 'shop', version: 1 },
    build: async ({ generate }) => {
      await generate('what is in the shop?');
    },
  });
  const definition = defineEval<string, string, string>({
    name: 'sql',
    data: Array.from({ length: 4 }, (_, at) => ({ id: `q${at}`, input: 'shop' })),
    requires: () => knowledge,
    target: ({ input }) => input,
    scorers: [],
  });
  const { model } = countingModel();
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  const submitted = await submit(bucket, { dir: dir.path, eval: definition, model });
  const { shared } = submitted;
  const worker = await startWorker(submitted, { name: 'a' });
  await until(async () => {
    await shared.refresh();
    return shared.isCancelled || shared.isComplete;
  });
  await worker.stop();
  await shared.refresh();
  expect(shared.cancelled).toMatchObject({
    ...{
      because: 'mistake',
      code: 'E_MODEL_NONE',
      reason: expect.stringContaining('The build of knowledge'),
    },
  });
  const ends = [...shared.jobs()].flatMap((job) => shared.leasesOf(job).map(({ ended }) => ended?.status));
  expect(ends).toEqual(['returned']);
});
