import { join } from 'node:path';
import { expect, test } from 'vitest';
import { damageMember } from '../../test/sim/damage-member.ts';
import { filledJournal, newWriter, sampleFields, sampleStart } from '../../test/sim/journal-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { openRunJournals } from '../journal/index.ts';
import { directoryLogStore } from '../log/index.ts';
import { applySeal, countNotIn, findSealedLog, planSeal } from './index.ts';

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

test.each([['header.json'], ['summaries.json']])(
  '[SEAL-5] a log whose %s is damaged is still that of its run, and holds nothing for certain',
  async (member) => {
    await using dir = await makeTempDir();
    const logs = directoryLogStore(nodeDisk, dir.path);
    const writer = await filledJournal(dir.path);
    writer.close();
    const journals = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, writer.run.runId) });
    const plan = await planSeal(journals, logs);
    const { name } = await applySeal(plan, { clock: systemClock, logs, outcome: { status: 'error' } });
    await damageMember(join(dir.path, name), member);
    expect((await findSealedLog(logs, name, writer.run))?.eval.run_id).toBe(writer.run.runId);
    expect(await countNotIn(logs, name, plan)).toBe(4);
    journals.close();
  },
);
