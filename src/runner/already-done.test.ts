import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { countingModel, twoTurns } from '../../test/interrupted-run.ts';
import { createHarness, type Harness } from '../../test/run-harness.ts';
import { tempPathFor, whoAmI } from '../disk/index.ts';

test('[SEAL-5] a finished log with a damaged sample is not done: that sample is run again from its answers, the others are taken', async () => {
  const harness = await createHarness();
  const { model, asked } = countingModel();
  const first = await harness.run(twoTurns(3), { model });
  const log = first.account.log ?? '';
  const bytes = readFileSync(log);
  const at = bytes.indexOf('samples/q1_epoch_1.json') + 60;
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(log, bytes);
  const { account } = await harness.run(twoTurns(3), { model });
  expect(account).toMatchObject({ state: 'done', samples: { reused: 2, replayed: 1, lost: 0 } });
  expect(account.log).not.toBe(log);
  expect(asked).toHaveLength(6);
  // What was mended stands in the new log: the damaged one is not asked again.
  const again = await harness.run(twoTurns(3), { model });
  expect(again.account).toMatchObject({ state: 'done', log: account.log, samples: { reused: 3 } });
  expect(asked).toHaveLength(6);
  await harness.close();
});

test.each([
  ['its end', (bytes: Buffer) => bytes.length - 60],
  ['its header', (bytes: Buffer) => bytes.indexOf('header.json') + 40],
  ['its last sample', (bytes: Buffer) => bytes.indexOf('samples/q2_epoch_1.json') + 60],
])(
  'a finished log that lost %s is not done, and lends what is whole: nothing of that is bought again',
  async (lost, cutAt) => {
    const harness = await createHarness();
    const { model, asked } = countingModel();
    const log = (await harness.run(twoTurns(3), { model })).account.log ?? '';
    truncateSync(log, cutAt(readFileSync(log)));
    const { account } = await harness.run(twoTurns(3), { model });
    const isSampleLost = lost === 'its last sample';
    expect(account).toMatchObject({ state: 'done', samples: { reused: isSampleLost ? 2 : 3, lost: 0 } });
    expect(asked).toHaveLength(isSampleLost ? 8 : 6);
    // It is told as damage, and another log is made.
    expect(account.damage?.join()).toContain('is torn');
    expect(account.log).not.toBe(log);
    const report = await harness.places.logs.verify(basename(account.log ?? ''));
    expect(report).toMatchObject({ isWhole: true, samples: 3 });
    await harness.close();
  },
);

test('a finished log that somebody declared invalid is not done, and lends nothing', async () => {
  const harness = await createHarness();
  const { model, asked } = countingModel();
  const { account } = await harness.run(twoTurns(2), { model });
  await invalidate(harness, basename(account.log ?? ''));
  const again = await harness.run(twoTurns(2), { model });
  expect(again.account).toMatchObject({ state: 'done', samples: { reused: 0, fresh: 2 } });
  expect(again.account.log).not.toBe(account.log);
  expect(asked).toHaveLength(8);
  await harness.close();
});

/** As a person does who no longer trusts what it says. */
async function invalidate({ places: { logs } }: Harness, name: string): Promise<void> {
  const log = await logs.open(name);
  if (!log) throw new Error(`There is no log ${name}.`);
  const header = await log.header();
  await logs.create(name, {
    replace: true,
    async write(file) {
      for (const member of log.members())
        if (member.name !== 'header.json') await file.copyMember(log, member.name);
      await file.writeHeader({ ...header, invalidated: true });
    },
  });
  await log.close();
}

test('[STORE-4] an unfinished log of a process that died is swept also when there is nothing to do', async () => {
  const harness = await createHarness();
  const { model } = countingModel();
  await harness.run(twoTurns(2), { model });
  const { pid } = spawnSync('true');
  const left = tempPathFor(join(harness.logDir, 'x.eval'), { self: { ...whoAmI(), pid } });
  writeFileSync(left, 'half a log');
  const { account } = await harness.run(twoTurns(2), { model });
  expect(account.samples.reused).toBe(2);
  expect(existsSync(left)).toBe(false);
  await harness.close();
});
