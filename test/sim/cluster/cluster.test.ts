import { expect, test } from 'vitest';
import { problemsOfMerges } from './check-merges.ts';
import { problemsOf } from './check-simulated.ts';
import { seeded } from './seeded.ts';
import { problemsOfRemoval } from './sim-removal.ts';
import { problemsOfRivals } from './sim-rivals.ts';
import { simulate } from './simulate.ts';

const SEEDS = Number(process.env.HOLDFAST_SEEDS ?? 2_000);
const FIRST = Number(process.env.HOLDFAST_SEED ?? 1);
const BATCH = 100;
/** What becomes of a run afterwards costs as much as a fifth of the run. */
const REMOVED_EVERY = 3;

for (let first = FIRST; first < FIRST + SEEDS; first += BATCH) {
  const last = Math.min(first + BATCH, FIRST + SEEDS) - 1;
  test(`shared runs of seeds ${first} to ${last} lose nothing, and go the same way twice`, {
    timeout: 300_000,
  }, async () => {
    for (let seed = first; seed <= last; seed++)
      await seeded(seed, 'test/sim/cluster', async () => {
        const simulated = await simulate(seed);
        expect(await problemsOf(simulated)).toEqual([]);
        expect(await problemsOfMerges(simulated)).toEqual([]);
        if (seed % REMOVED_EVERY === 0) expect(await problemsOfRemoval(simulated)).toEqual([]);
        expect(await problemsOfRivals(seed)).toEqual([]);
        const again = await simulate(seed);
        expect(again.trace).toEqual(simulated.trace);
      });
  });
}
