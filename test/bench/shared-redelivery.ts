import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedRun } from '../../src/cluster/index.ts';
import { type Bench, rounded } from './bench.ts';
import { sharedWorkers, type Turn, turnsOf, untilComplete } from './shared-workers.ts';

const TIMES = 5;
const WORKERS = 3;
const SLOTS = 2;
/** As many as two workers can have: whoever is killed, there is room for what it had. */
const SAMPLES = 4;
/** Longer than it takes until all of them are begun. */
const WAIT_MS = 8_000;
/** Signs of life and locks are renewed every few seconds: kills are spread over that time. */
const SPREAD_MS = 2_000;
const LOOK_MS = 50;
const MS_MAX = 15_000;

/** From the SIGKILL of a worker until another has begun each of its samples. */
export const sharedRedelivery: Bench = {
  name: 'shared-redelivery',
  about: `a worker is killed with SIGKILL, ${TIMES} times: until another has begun its samples`,
  async run({ scale }) {
    const times = Math.max(2, Math.round(TIMES * scale));
    await using bench = await sharedWorkers({ samples: SAMPLES, waitMs: WAIT_MS });
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => bench.start(SLOTS)));
    const ms: number[] = [];
    for (let n = 0; n < times; n++) {
      const shared = await bench.submit();
      const held = await untilAllBegun(shared);
      await sleep((SPREAD_MS * n) / times);
      const victim = workers.find(({ pid }) => held.some((turn) => isOf(turn, pid)));
      if (!victim) throw new Error('No worker that was started here has a sample.');
      const exit = once(victim, 'exit');
      victim.kill('SIGKILL');
      const killedMs = Date.now();
      await exit;
      workers[workers.indexOf(victim)] = await bench.start(SLOTS);
      await untilComplete(shared);
      const taken = turnsOf(shared).filter(({ n: lease }) => lease > 1);
      if (taken.length === 0) throw new Error('The worker was killed, and nothing of it was taken.');
      ms.push(...taken.map(({ begunMs }) => begunMs - killedMs));
    }
    const sorted = ms.sort((a, b) => a - b);
    const worst = sorted.at(-1) ?? Number.NaN;
    return [
      {
        what: 'ms from SIGKILL until another has begun the sample, at worst',
        measured: worst,
        atMost: MS_MAX,
        figures: { times, ms: sorted },
        line: `${times} kills, ${ms.length} samples: ${sorted.map((one) => `${rounded(one / 1_000, 1)}`).join(', ')} s`,
      },
    ];
  },
};

async function untilAllBegun(shared: SharedRun): Promise<readonly Turn[]> {
  for (;;) {
    const turns = turnsOf(shared);
    if (turns.length >= SAMPLES) return turns;
    if (turns.some(({ endedMs }) => endedMs !== undefined))
      throw new Error(`One of ${SAMPLES} samples ended before all were begun: this machine is too busy.`);
    await sleep(LOOK_MS);
    await shared.refresh();
  }
}

/** Its name ends with the id of its process and a random word. */
function isOf({ worker }: Turn, pid: number | undefined): boolean {
  return worker.split('-').at(-2) === String(pid);
}
