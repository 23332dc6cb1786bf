import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countingModel, twoTurns } from '../../test/interrupted-run.ts';
import { createHarness } from '../../test/run-harness.ts';

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
