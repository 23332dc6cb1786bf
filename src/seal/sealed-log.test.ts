import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filledJournal, newWriter, sampleFields, sampleStart } from '../../test/sim/journal-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { openRunJournals } from '../journal/index.ts';
import { directoryLogStore } from '../log/index.ts';
import { applySeal, countNotIn, planSeal } from './index.ts';

test('[SEAL-5] what a log lacks is counted: samples that are not there, and failed copies of completed ones', async () => {
  await using dir = await makeTempDir();
  const logs = directoryLogStore(nodeDisk, dir.path);
  const early = await filledJournal(dir.path);
  early.close();
  const plan = async () => {
    const journals = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, early.run.runId) });
    const made = await planSeal(journals, logs);
    return Object.assign(made, { [Symbol.dispose]: () => journals.close() });
  };
  using before = await plan();
  const { name } = await applySeal(before, { clock: systemClock, logs, outcome: { status: 'error' } });
  expect(await countNotIn(logs, name, before)).toBe(0);
  expect(await countNotIn(logs, 'none.eval', before)).toBe(4);
  // Another writer goes on: one sample is new, and one that had failed is completed now.
  const late = await newWriter(dir.path, early.run, { generation: 2, after: [early.record.writer] });
  for (const id of ['c', 'e']) await late.startAttempt(sampleStart(id)).finish('completed', sampleFields(id));
  late.close();
  using after = await plan();
  expect(await countNotIn(logs, name, after)).toBe(2);
});
