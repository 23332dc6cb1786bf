import { expect, test } from 'vitest';
import { problemsOf } from './check-simulated.ts';
import { seeded } from './seeded.ts';
import { simulate } from './simulate.ts';

const SEEDS = Number(process.env.HOLDFAST_SEEDS ?? 2_000);
const FIRST = Number(process.env.HOLDFAST_SEED ?? 1);
const BATCH = 100;

for (let first = FIRST; first < FIRST + SEEDS; first += BATCH) {
  const last = Math.min(first + BATCH, FIRST + SEEDS) - 1;
  test(`shared runs of seeds ${first} to ${last} lose nothing, and go the same way twice`, {
    timeout: 300_000,
  }, async () => {
    for (let seed = first; seed <= last; seed++)
      await seeded(seed, 'test/sim/cluster', async () => {
        const simulated = await simulate(seed);
        expect(await problemsOf(simulated)).toEqual([]);
        const again = await simulate(seed);
        expect(again.trace).toEqual(simulated.trace);
      });
  });
}
