import { type Bench, median, rounded } from './bench.ts';
import { paceOf, sharedWorkers, turnsOf, untilComplete } from './shared-workers.ts';

const WORKERS = 4;
const SLOTS = 2;
const WAIT_MS = 200;
/** Each worker has this many, so that all are measured for about as long. */
const SAMPLES_EACH = 100;
const TIMES = 3;
const RATIO_MIN = 3.6;

/** What more workers bring: one, then four, in turn, on a target that waits. */
export const sharedScale: Bench = {
  name: 'shared-scale',
  about: `1 against ${WORKERS} workers of ${SLOTS} slots on a target that waits ${WAIT_MS} ms: throughput`,
  async run({ scale }) {
    const each = Math.max(20, Math.round(SAMPLES_EACH * scale));
    const [one, all]: [number[], number[]] = [[], []];
    for (let n = 0; n < TIMES; n++) {
      await using bench = await sharedWorkers({ samples: each * WORKERS, waitMs: WAIT_MS });
      const perSecond = async (workers: number) => {
        const shared = await bench.submit(each * workers);
        await untilComplete(shared);
        const pace = paceOf(turnsOf(shared));
        if (pace.workers !== workers) throw new Error(`${pace.workers} of ${workers} workers had samples.`);
        return (pace.samples / pace.ms) * 1_000;
      };
      await bench.start(SLOTS);
      one.push(await perSecond(1));
      await Promise.all(Array.from({ length: WORKERS - 1 }, () => bench.start(SLOTS)));
      all.push(await perSecond(WORKERS));
    }
    const ratio = median(all) / median(one);
    return [
      {
        what: `${RATIO_MIN} over the throughput of ${WORKERS} workers beside that of one`,
        measured: RATIO_MIN / ratio,
        atMost: 1,
        figures: { workers: WORKERS, slots: SLOTS, waitMs: WAIT_MS, ratio, one, all },
        line: `${rounded(ratio)} times: medians of ${TIMES}, ${rounded(median(one))} samples a second with one worker, ${rounded(median(all))} with ${WORKERS}; slots alone would give ${(1_000 / WAIT_MS) * SLOTS} and ${(1_000 / WAIT_MS) * SLOTS * WORKERS}`,
      },
    ];
  },
};
