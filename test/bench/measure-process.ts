/** Runs another program to its end, and tells how long it took and how much memory it held at most. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

export interface Measured {
  readonly exitCode: number | null;
  readonly ms: number;
  /** NaN where the system does not tell (it is asked for on Linux only). */
  readonly peakBytes: number;
  readonly stdout: string;
  readonly stderr: string;
}

const LOOK_EVERY_MS = 20;

export function measureProcess(
  program: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly peakBytesMax?: number } = {},
): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const child = spawn(program, args, {
      env: { ...process.env, ...options.env },
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
    let peakBytes = Number.NaN;
    const look = setInterval(() => {
      const found = child.pid === undefined ? undefined : peakOf(child.pid);
      if (found === undefined) return;
      peakBytes = found;
      // The machine is shared: nobody gets all of its memory.
      if (found > (options.peakBytesMax ?? Number.POSITIVE_INFINITY)) child.kill('SIGKILL');
    }, LOOK_EVERY_MS);
    child.once('error', (error) => {
      clearInterval(look);
      reject(error);
    });
    child.once('close', (exitCode) => {
      clearInterval(look);
      resolve({ exitCode, ms: performance.now() - startedMs, peakBytes, stdout, stderr });
    });
  });
}

/** The kernel keeps the mark itself, so that no peak falls between two looks. */
function peakOf(pid: number): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    // The process has just ended, or this is not Linux: what was seen before counts.
    return undefined;
  }
}
