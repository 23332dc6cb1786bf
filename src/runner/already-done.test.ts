import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countingModel, twoTurns } from '../../test/interrupted-run.ts';
import { createHarness } from '../../test/run-harness.ts';

test('[SEAL-5] a finished log with a damaged sample is not done: that sample is run again, the others are taken', async () => {
  const harness = await createHarness();
  const { model, asked } = countingModel();
  const first = await harness.run(twoTurns(3), { model });
  const log = first.account.log ?? '';
  const bytes = readFileSync(log);
  const at = bytes.indexOf('samples/q1_epoch_1.json') + 60;
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(log, bytes);
  const { account } = await harness.run(twoTurns(3), { model });
  expect(account).toMatchObject({ state: 'done', samples: { reused: 2, fresh: 1, lost: 0 } });
  expect(account.log).not.toBe(log);
  expect(asked.slice(6)).toEqual(['question 1 first', 'question 1 second']);
  await harness.close();
});
