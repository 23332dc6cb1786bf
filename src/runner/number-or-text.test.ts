/** Ids that are numbers in one run and texts in the next: from JSON and then from CSV, say. */
import { expect, test } from 'vitest';
import { countingModel, rows, twoTurns } from '../../test/interrupted-run.ts';
import { createHarness } from '../../test/run-harness.ts';
import { defineEval } from '../evals/index.ts';

const withIds = (toId: (n: number) => string | number) =>
  defineEval({ ...twoTurns(3), data: rows(3).map((row, n) => ({ ...row, id: toId(n + 1) })) });

test('the code runs again, since it may tell 1 from "1", but it is one sample: nothing is bought for it', async () => {
  await using harness = Object.assign(await createHarness(), {
    [Symbol.asyncDispose]: () => harness.close(),
  });
  const { model, asked } = countingModel();
  await harness.run(withIds(Number), { model });
  expect(asked).toHaveLength(6);
  for (const toId of [String, Number]) {
    const { account } = await harness.run(withIds(toId), { model });
    expect(account).toMatchObject({
      state: 'done',
      samples: { planned: 3, lost: 0 },
      answers: { bought: 0 },
    });
  }
  expect(asked).toHaveLength(6);
});
