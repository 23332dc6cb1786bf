import { join } from 'node:path';
import process from 'node:process';
import { type Environment, installedInspect } from '../../scripts/inspect/environment.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type BenchOptions, type Finding, MB, rounded } from './bench.ts';
import { type BigCrash, type BigCrashSize, makeBigCrash } from './big-crash.ts';
import { type Measured, measureProcess } from './measure-process.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/holdfast.js');
const PEAK_MB_MAX = 500;
/** The aim: a tenth of Inspect's time and memory. */
const SHARE_MAX = 0.1;
/** Inspect holds a whole sample many times over; it may have this much, and is stopped beyond. */
const THEIR_PEAK_BYTES_MAX = 16 * 1_024 * MB;

/** Crashed runs of Inspect, recovered by us and, where it is installed, by Inspect itself. */
export const recoverMany = recoveryBench('recover', {
  what: '1,000 samples',
  samples: 1_000,
  events: 355,
  running: 100,
});
export const recoverLong = recoveryBench('recover-long', {
  what: 'one sample of 337,000 events',
  samples: 1,
  events: 337_000,
  running: 1,
});

function recoveryBench(name: string, { what, ...size }: BigCrashSize & { readonly what: string }): Bench {
  return {
    name,
    about: `time and memory of recovering a crashed run of 1 GB (${what}), beside Inspect’s own tool`,
    run: async (options) => compare(what, scaled(size, options), await installedInspect()),
  };
}

/** One large sample stays one; many stay as large as they are. */
function scaled(size: BigCrashSize, { scale }: BenchOptions): BigCrashSize {
  if (size.samples === 1) return { ...size, events: Math.ceil(size.events * scale) };
  return { ...size, samples: Math.ceil(size.samples * scale), running: Math.ceil(size.running * scale) };
}

async function compare(
  what: string,
  size: BigCrashSize,
  inspect: Environment | undefined,
): Promise<readonly Finding[]> {
  await using dir = await makeTempDir();
  const crash = await makeBigCrash(dir.path, size);
  const ours = await recoverWithHoldfast(crash, join(dir.path, 'ours.eval'));
  const theirs = inspect && (await recoverWithInspect(crash, join(dir.path, 'theirs.eval'), inspect));
  const figures = {
    samples: size.samples,
    events: crash.events,
    megabytes: rounded(crash.sizeBytes / MB, 0),
    ours: figuresOf(ours),
    ...(theirs ? { theirs: { ...figuresOf(theirs), version: inspect?.version } } : {}),
  };
  const about = `${crash.events} events, ${figures.megabytes} MB; ours ${textOf(ours)}`;
  const memory: Finding = {
    what: `${what}: peak memory in MB`,
    measured: ours.peakBytes / MB,
    atMost: PEAK_MB_MAX,
    figures,
    line: theirs ? `${about}; Inspect ${textOf(theirs)}` : `${about}; Inspect is not installed here`,
  };
  if (!theirs) return [memory];
  const share = (of: (measured: Measured) => number, name: string): Finding => ({
    what: `${what}: ${name}, as a part of Inspect’s`,
    measured: of(ours) / of(theirs),
    atMost: SHARE_MAX,
    figures,
    line: `${rounded(of(theirs) / of(ours), 1)} times less${theirs.exitCode === 0 ? '' : ', and Inspect did not come to its end'}`,
  });
  return [memory, share(({ ms }) => ms, 'time'), share(({ peakBytes }) => peakBytes, 'memory')];
}

async function recoverWithHoldfast({ log, dataDir }: BigCrash, output: string): Promise<Measured> {
  const args = [PROGRAM, 'recover', log, '--output', output, '--keep', '--json'];
  const measured = await measureProcess(process.execPath, args, { env: { XDG_DATA_HOME: dataDir } });
  if (measured.exitCode !== 0) throw new Error(`holdfast recover failed: ${measured.stderr}`);
  return measured;
}

function recoverWithInspect(
  { log, dataDir }: BigCrash,
  output: string,
  { python }: Environment,
): Promise<Measured> {
  const args = ['-m', 'inspect_ai', 'log', 'recover', log, '--output', output, '--no-cleanup'];
  return measureProcess(python, args, {
    env: { XDG_DATA_HOME: dataDir },
    peakBytesMax: THEIR_PEAK_BYTES_MAX,
  });
}

function figuresOf({ ms, cpuMs, peakBytes, exitCode }: Measured) {
  return {
    seconds: rounded(ms / 1_000, 1),
    cpuSeconds: rounded(cpuMs / 1_000, 1),
    peakMegabytes: rounded(peakBytes / MB, 0),
    exitCode,
  };
}

function textOf(measured: Measured): string {
  const { seconds, cpuSeconds, peakMegabytes, exitCode } = figuresOf(measured);
  return `${seconds} s (${cpuSeconds} s of them computing) and ${peakMegabytes} MB${exitCode === 0 ? '' : ` (ended with ${exitCode})`}`;
}
