import { join } from 'node:path';
import process from 'node:process';
import { type Bench, MB, rounded } from './bench.ts';
import { measureProcess } from './measure-process.ts';

const WRITERS = [500, 2_000, 5_000];
const LINEAR_MAX = 1.5;
const FILES_MAX = 100;
const MS_MAX = 60_000;
/** The machine is shared: nobody gets all of its memory. */
const PEAK_BYTES_MAX = 4_000 * MB;

interface Size {
  readonly writers: number;
  readonly ms: number;
  readonly cpuMs: number;
  /** What is judged: others work on the same machine. */
  readonly cpuMsEach: number;
  readonly files: number;
  readonly bucketMb: number;
  readonly peakMb: number;
}

/** A run whose samples had a process each comes home: as many writers as samples. */
export const sharedIsolated: Bench = {
  name: 'shared-isolated',
  about: `a shared run of isolated samples comes home from a directory bucket: ${WRITERS.join(', ')} writers`,
  async run({ scale }) {
    const sizes: Size[] = [];
    for (const writers of WRITERS) sizes.push(await measured(Math.max(10, Math.round(writers * scale))));
    const [smallest, middle, largest] = sizes;
    const figures = { sizes };
    const line = sizes.map(lineOf).join('; ');
    return [
      {
        what: 'processor time a writer of 2,000 over that of 500',
        measured: (middle?.cpuMsEach ?? Number.NaN) / (smallest?.cpuMsEach ?? Number.NaN),
        ...{ atMost: LINEAR_MAX, figures, line },
      },
      {
        what: 'ms until the largest is home',
        ...{ measured: largest?.ms ?? Number.NaN, atMost: MS_MAX, figures, line },
      },
      {
        what: 'open files at their peak',
        ...{ measured: Math.max(...sizes.map(({ files }) => files)), atMost: FILES_MAX, figures, line },
      },
    ];
  },
};

function lineOf({ writers, ms, cpuMs, cpuMsEach, files, bucketMb, peakMb }: Size): string {
  return `${writers} writers ${rounded(ms / 1_000, 1)} s, ${rounded(cpuMs / 1_000, 1)} s of processor time (${rounded(cpuMsEach, 1)} ms each), ${files} open files, ${rounded(bucketMb, 0)} MB in the bucket, ${rounded(peakMb, 0)} MB of memory`;
}

async function measured(writers: number): Promise<Size> {
  const args = [join(import.meta.dirname, 'isolated-child.ts'), String(writers)];
  const { exitCode, stdout, stderr, peakBytes } = await measureProcess(process.execPath, args, {
    peakBytesMax: PEAK_BYTES_MAX,
  });
  if (exitCode !== 0) throw new Error(`${writers} writers: it ended with ${exitCode}:\n${stderr}`);
  const { ms, cpuMs, files, bucketBytes } = JSON.parse(stdout) as Readonly<
    Record<'ms' | 'cpuMs' | 'files' | 'bucketBytes', number>
  >;
  const sizes = { bucketMb: bucketBytes / MB, peakMb: peakBytes / MB };
  return { writers, ms, cpuMs, cpuMsEach: cpuMs / writers, files, ...sizes };
}
