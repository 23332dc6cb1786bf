import { expect, test } from 'vitest';
import { problemsOf } from './check-simulated.ts';
import { simulate } from './simulate.ts';

const SEEDS = Number(process.env.HOLDFAST_SEEDS ?? 2_000);
const FIRST = Number(process.env.HOLDFAST_SEED ?? 1);
const BATCH = 100;

for (let first = FIRST; first < FIRST + SEEDS; first += BATCH) {
  const last = Math.min(first + BATCH, FIRST + SEEDS) - 1;
  test(`shared runs of seeds ${first} to ${last} lose nothing, and go the same way twice`, {
    timeout: 300_000,
  }, async () => {
    for (let seed = first; seed <= last; seed++) {
      const simulated = await simulate(seed);
      const replay = `HOLDFAST_SEED=${seed} HOLDFAST_SEEDS=1 npx vitest run test/sim/cluster`;
      expect({ problems: await problemsOf(simulated), replay }).toEqual({ problems: [], replay });
      const again = await simulate(seed);
      expect({ trace: again.trace, replay }).toEqual({ trace: simulated.trace, replay });
    }
  });
}
