import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type Finding, MB, rounded } from './bench.ts';
import { runChild } from './child.ts';

const SAMPLES = 100_000;
const SAMPLE_BYTES = 4 * 1024;
const PEAK_MB_MAX = 250;
/** Flat: memory grows by no more than this factor after the first 10,000 samples. */
const GROWTH_MAX = 1.25;

interface Line {
  readonly at: number | 'start' | 'sealed' | 'end';
  readonly nowBytes: number;
  readonly peakBytes: number;
  readonly completed?: number;
  readonly runMs?: number;
  readonly sealMs?: number;
}

/** Memory of a large run, from the file with its rows to the verified log. */
export const manySamples: Bench = {
  name: 'samples',
  about: `resident memory while ${SAMPLES} samples of ${SAMPLE_BYTES} bytes are run, sealed and verified`,
  async run() {
    await using dir = await makeTempDir();
    const args = [dir.path, String(SAMPLES), String(SAMPLE_BYTES)];
    const lines = (await runChild('many-samples-child.ts', args)) as readonly Line[];
    return [peakFinding(lines), growthFinding(lines)];
  },
};

function peakFinding(lines: readonly Line[]): Finding {
  const end = lines.at(-1);
  if (end?.completed !== SAMPLES) throw new Error(`${end?.completed} of ${SAMPLES} samples were kept`);
  const peakMb = end.peakBytes / MB;
  const beforeSealMb = Math.max(...duringRun(lines).map(({ peakBytes }) => peakBytes)) / MB;
  return {
    what: 'peak resident memory in MB',
    measured: rounded(peakMb, 0),
    atMost: PEAK_MB_MAX,
    figures: {
      samples: SAMPLES,
      sampleBytes: SAMPLE_BYTES,
      peakMb,
      beforeSealMb,
      runMs: end.runMs,
      sealMs: end.sealMs,
    },
    line: `${rounded(beforeSealMb, 0)} MB while running (${end.runMs} ms), ${rounded(peakMb, 0)} MB with sealing and verifying (${end.sealMs} ms)`,
  };
}

function growthFinding(lines: readonly Line[]): Finding {
  const steps = duringRun(lines).map(({ at, nowBytes }) => ({ at, mb: rounded(nowBytes / MB, 0) }));
  const first = steps[0]?.mb ?? Number.NaN;
  const most = Math.max(...steps.slice(1).map(({ mb }) => mb));
  return {
    what: 'resident memory beyond the first 10,000 samples, as a multiple of what it was there',
    measured: most / first,
    atMost: GROWTH_MAX,
    figures: { mbBySamples: Object.fromEntries(steps.map(({ at, mb }) => [at, mb])) },
    line: steps.map(({ at, mb }) => `${at}: ${mb} MB`).join(', '),
  };
}

function duringRun(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ at }) => typeof at === 'number');
}
