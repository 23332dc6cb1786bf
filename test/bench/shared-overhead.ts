import { type Bench, median, rounded } from './bench.ts';
import { paceOf, sharedWorkers, turnsOf, untilComplete } from './shared-workers.ts';

const WORKERS = 4;
const SLOTS = 4;
const SAMPLES = 2_000;
const WAITING_SAMPLES = 400;
const WAITING_SLOTS = 2;
const WAIT_MS = 200;
const MS_MAX = 10;

/**
 * What a sample costs besides its target, at 4 workers. Judged is by how much each makes the run longer: with a target that answers at
 * once, the time in which all workers work over the samples that end in it. How long a slot is held longer than its target takes is
 * told beside it: that is what one sample waits for, mostly for the disk, while others go on.
 */
export const sharedOverhead: Bench = {
  name: 'shared-overhead',
  about: `${SAMPLES} samples over Redis and a directory bucket at ${WORKERS} workers: dispatch and journaling a sample`,
  async run({ scale }) {
    const atOnce = await paceAt({ samples: Math.max(200, Math.round(SAMPLES * scale)), waitMs: 0 }, SLOTS);
    const waiting = await paceAt(
      { samples: Math.max(100, Math.round(WAITING_SAMPLES * scale)), waitMs: WAIT_MS },
      WAITING_SLOTS,
    );
    const heldMs = waiting.msEach * WORKERS * WAITING_SLOTS - WAIT_MS;
    return [
      {
        what: 'ms by which a sample makes a run longer',
        measured: atOnce.msEach,
        atMost: MS_MAX,
        figures: { workers: WORKERS, slots: SLOTS, atOnce, waiting, heldMs },
        line: `${atOnce.samples} samples that answer at once in ${rounded(atOnce.ms / 1_000)} s at ${WORKERS} × ${SLOTS} slots, each with its lease for ${atOnce.leaseMs} ms (median); with ${WAIT_MS} ms of waiting at ${WORKERS} × ${WAITING_SLOTS} slots a slot is held for ${rounded(heldMs)} ms more, a lease for ${waiting.leaseMs - WAIT_MS} ms more`,
      },
    ];
  },
};

async function paceAt(project: { readonly samples: number; readonly waitMs: number }, slots: number) {
  await using bench = await sharedWorkers(project);
  await Promise.all(Array.from({ length: WORKERS }, () => bench.start(slots)));
  const shared = await bench.submit();
  await untilComplete(shared);
  const turns = turnsOf(shared);
  const pace = paceOf(turns);
  if (pace.workers !== WORKERS) throw new Error(`${pace.workers} of ${WORKERS} workers had samples.`);
  const leaseMs = median(turns.map(({ begunMs, endedMs = Number.NaN }) => endedMs - begunMs));
  return { ...pace, msEach: pace.ms / pace.samples, leaseMs };
}
