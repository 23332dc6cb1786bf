import { join } from 'node:path';
import process from 'node:process';
import { type Bench, type Finding, MB, rounded } from './bench.ts';
import { measureProcess } from './measure-process.ts';

const SAMPLES = 1_000_000;
const WORKERS = 1_000;
const COMMANDS = ['submit', 'status', 'fetch'] as const;
/** The last is compared with the one before it. */
const PARTS = [100, 10, 1];
const LINEAR_MAX = 1.5;
/** The machine is shared: nobody gets all of its memory. */
const PEAK_BYTES_MAX = 6_000 * MB;

interface Size {
  readonly samples: number;
  readonly ms: number;
  /** What is judged: others work on the same machine, and nothing here waits for anything. */
  readonly cpuMs: number;
  readonly usEach: number;
  readonly peakMb: number;
}

/** Plan, dispatch and derived state of a run of a million samples on a thousand workers, without anything that runs them. */
export const sharedMillion: Bench = {
  name: 'shared-million',
  about:
    'submit, status and fetch of a simulated run of 1,000 workers and 1,000,000 samples: time and memory',
  async run({ scale }) {
    const findings: Finding[] = [];
    for (const command of COMMANDS) {
      const sizes: Size[] = [];
      for (const part of PARTS)
        sizes.push(await measured(command, Math.max(WORKERS, Math.round((SAMPLES * scale) / part))));
      const [before, largest] = sizes.slice(-2);
      findings.push({
        what: `${command}: processor time a sample of the largest over that of a tenth`,
        measured: (largest?.usEach ?? Number.NaN) / (before?.usEach ?? Number.NaN),
        atMost: LINEAR_MAX,
        figures: { workers: WORKERS, sizes },
        line: sizes
          .map(
            ({ samples, ms, cpuMs, usEach, peakMb }) =>
              `${samples} samples ${rounded(ms / 1_000)} s, ${rounded(cpuMs / 1_000)} s of processor time (${rounded(usEach, 1)} µs each), ${rounded(peakMb, 0)} MB`,
          )
          .join('; '),
      });
    }
    return findings;
  },
};

async function measured(command: string, samples: number): Promise<Size> {
  const child = join(import.meta.dirname, 'million-child.ts');
  const args = [child, command, String(samples), String(WORKERS)];
  const { exitCode, stdout, stderr, peakBytes } = await measureProcess(process.execPath, args, {
    peakBytesMax: PEAK_BYTES_MAX,
  });
  if (exitCode !== 0) throw new Error(`${command} of ${samples} samples ended with ${exitCode}:\n${stderr}`);
  const { did, ms, cpuMs } = JSON.parse(stdout) as Readonly<Record<'did' | 'ms' | 'cpuMs', number>>;
  const expected = command === 'submit' ? samples : samples - WORKERS;
  if (did !== expected) throw new Error(`${command} saw ${did} samples, not ${expected}.`);
  return { samples, ms, cpuMs, usEach: (cpuMs * 1_000) / samples, peakMb: peakBytes / MB };
}
