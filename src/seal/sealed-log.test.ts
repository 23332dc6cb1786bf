import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { damageMember } from '../../test/sim/damage-member.ts';
import {
  filledJournal,
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { openRunJournals } from '../journal/index.ts';
import { directoryLogStore, type LogStore } from '../log/index.ts';
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

test('[SEAL-5] answers that came after a log was made are not in it', async () => {
  await using dir = await makeTempDir();
  const logs = directoryLogStore(nodeDisk, dir.path);
  const early = await filledJournal(dir.path);
  early.close();
  const runDir = join(dir.path, early.run.runId);
  const first = await openRunJournals({ disk: nodeDisk, runDir });
  const { name } = await applySeal(await planSeal(first, logs), {
    clock: systemClock,
    logs,
    outcome: { status: 'error' },
  });
  first.close();
  const late = await newWriter(dir.path, early.run, { generation: 2, after: [early.record.writer] });
  await late.startAttempt(sampleStart('a')).answer(someAnswer('late', 7), []);
  late.close();
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  expect(await countNotIn(logs, name, await planSeal(journals, logs))).toBe(1);
  journals.close();
});

test('[SEAL-6] what was bought for a sample here stays, also when another log lends it', async () => {
  await using dir = await makeTempDir();
  const logs = directoryLogStore(nodeDisk, dir.path);
  const lender = await newWriter(join(dir.path, 'state'), runRecord());
  const lent = lender.startAttempt(sampleStart('a'));
  await lent.answer(someAnswer('theirs', 0), []);
  await lent.finish('completed', sampleFields('a'));
  const theirs = await openRunJournals({ disk: nodeDisk, runDir: dirname(lender.dir) });
  const sealed = await applySeal(await planSeal(theirs, logs), SUCCESS(logs));
  theirs.close();
  const run = runRecord();
  const writer = await newWriter(join(dir.path, 'state'), run);
  await writer.startAttempt(sampleStart('a')).answer(someAnswer('ours', 1), []);
  const log = await logs.open(sealed.name);
  for await (const summary of log?.summaries() ?? [])
    writer.recordReuse({ id: 'a', epoch: 1, log: sealed.name, runId: 'x', mode: 'same', summary });
  await log?.close();
  await writer.flush();
  const own = await openRunJournals({ disk: nodeDisk, runDir: dirname(writer.dir) });
  const { name } = await applySeal(await planSeal(own, logs), { ...SUCCESS(logs), name: 'own.eval' });
  const made = await logs.open(name);
  const values: unknown[] = [];
  for await (const { value } of made?.answers({ id: 'a', epoch: 1 }) ?? []) values.push(value);
  await made?.close();
  own.close();
  writer.close();
  lender.close();
  expect(values.toSorted()).toEqual(['ours', 'theirs']);
});

const SUCCESS = (logs: LogStore) => ({ clock: systemClock, logs, outcome: { status: 'success' } as const });

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
