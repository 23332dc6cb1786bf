import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, MB, median, rounded } from './bench.ts';
import { holdfast } from './published.ts';
import { sharedWorkers, untilComplete } from './shared-workers.ts';

const SAMPLES = 10_000;
const WORKERS = 4;
const SLOTS = 8;
const TIMES = 3;
const MS_MAX = 30_000;

/** Whoever has never seen the run brings it home: leases, segments, one log. */
export const sharedFetch: Bench = {
  name: 'shared-fetch',
  about: `${SAMPLES} sample results of ${WORKERS} workers are fetched from a directory bucket and sealed`,
  async run({ scale }) {
    const samples = Math.max(100, Math.round(SAMPLES * scale));
    await using bench = await sharedWorkers({ samples, waitMs: 0 });
    await Promise.all(Array.from({ length: WORKERS }, () => bench.start(SLOTS)));
    const shared = await bench.submit();
    await untilComplete(shared);
    await bench.stop();
    await using dir = await makeTempDir();
    const fetches: { readonly ms: number; readonly cpuMs: number; readonly peakBytes: number }[] = [];
    for (let n = 0; n < TIMES; n++) {
      const home = join(dir.path, `home-${n}`);
      mkdirSync(home);
      const { stdout, ms, cpuMs, peakBytes } = await holdfast(
        ['runs', 'fetch', shared.run, '--json'],
        bench.env,
        home,
      );
      expectWhole(stdout, samples);
      fetches.push({ ms, cpuMs, peakBytes });
    }
    const [ms, cpuMs] = [median(fetches.map((one) => one.ms)), median(fetches.map((one) => one.cpuMs))];
    const peakBytes = Math.max(...fetches.map((one) => one.peakBytes));
    return [
      {
        what: 'ms to fetch and seal',
        measured: ms,
        atMost: MS_MAX,
        figures: { samples, workers: WORKERS, fetches },
        line: `${samples} samples: ${fetches.map((one) => rounded(one.ms / 1_000, 1)).join(', ')} s, median ${rounded(ms / 1_000, 1)} s (${rounded(cpuMs / 1_000, 1)} s of processor time), ${rounded(peakBytes / MB, 0)} MB`,
      },
    ];
  },
};

function expectWhole(stdout: string, samples: number): void {
  const { home } = JSON.parse(stdout) as {
    readonly home: { readonly log?: string; readonly samples: { readonly completed: number } };
  };
  if (home.log === undefined || home.samples.completed !== samples)
    throw new Error(`${home.samples.completed} of ${samples} samples came home.`);
}
