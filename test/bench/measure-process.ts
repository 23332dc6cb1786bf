/** Runs another program to its end, and tells how long it took and how much memory it held at most. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

export interface Measured {
  readonly exitCode: number | null;
  readonly ms: number;
  /** What it computed itself: on a busy machine this says more than the clock. */
  readonly cpuMs: number;
  /** NaN where the system does not tell (it is asked for on Linux only). */
  readonly peakBytes: number;
  readonly stdout: string;
  readonly stderr: string;
}

const LOOK_EVERY_MS = 20;

export function measureProcess(
  program: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string; readonly peakBytesMax?: number } = {},
): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const child = spawn(program, args, {
      env: { ...process.env, ...options.env },
      cwd: options.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    let seen: Usage = { peakBytes: Number.NaN, cpuMs: Number.NaN };
    const look = setInterval(() => {
      seen = (child.pid === undefined ? undefined : usageOf(child.pid)) ?? seen;
      // The machine is shared: nobody gets all of its memory.
      if (seen.peakBytes > (options.peakBytesMax ?? Number.POSITIVE_INFINITY)) child.kill('SIGKILL');
    }, LOOK_EVERY_MS);
    child.once('error', (error) => {
      clearInterval(look);
      reject(error);
    });
    child.once('close', (exitCode) => {
      clearInterval(look);
      resolve({ exitCode, ms: performance.now() - startedMs, ...seen, stdout, stderr });
    });
  });
}

interface Usage {
  readonly peakBytes: number;
  readonly cpuMs: number;
}

/** The kernel's unit for the time of a process, on all that Node runs on. */
const TICK_MS = 10;

/** The kernel keeps the marks itself, so that no peak falls between two looks. */
function usageOf(pid: number): Usage | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything; what follows it is counted from 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const cpuMs = (Number(fields[14 - 3]) + Number(fields[15 - 3])) * TICK_MS;
    return kilobytes === undefined ? undefined : { peakBytes: Number(kilobytes) * 1_024, cpuMs };
  } catch {
    // The process has just ended, or this is not Linux: what was seen before counts.
    return undefined;
  }
}
