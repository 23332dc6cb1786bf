/** `holdfast studio` as it is published, in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { buildPublished, LAUNCHER } from './published.ts';

export interface StudioServer extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
  /** Resident now, and at most so far. */
  memory(): { readonly nowBytes: number; readonly peakBytes: number };
  /** What it computed itself so far: on a busy machine this says more than the clock. */
  cpuMs(): number;
  ask(path: string): Promise<unknown>;
}

export async function startStudio(args: readonly string[]): Promise<StudioServer> {
  buildPublished();
  const child = spawn(process.execPath, [LAUNCHER, 'studio', ...args, '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { readonly url: string };
  return {
    url,
    child,
    memory: () => memoryOf(child.pid ?? 0),
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    ask: async (path) => (await fetch(url + path)).json(),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function memoryOf(pid: number): { readonly nowBytes: number; readonly peakBytes: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return { nowBytes: kb('VmRSS') * 1024, peakBytes: kb('VmHWM') * 1024 };
}

/** The kernel's unit for the time of a process, on all that Node runs on. */
const TICK_MS = 10;

function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything; what follows it is counted from 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[14 - 3]) + Number(fields[15 - 3])) * TICK_MS;
}
