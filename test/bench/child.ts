/** Processes of their own, for what must be measured alone: memory, above all. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs a script of this folder; gives what it wrote to its report, line by line as JSON. */
export async function runChild(script: string, args: readonly string[]): Promise<readonly unknown[]> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, script), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`${script} ended with ${code}`);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

/** Called in the child: one line of its report. */
export function report(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Resident memory of this process in bytes, now and at its highest. */
export function residentBytes(): { readonly nowBytes: number; readonly peakBytes: number } {
  const { rss } = process.memoryUsage();
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const peakKb = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1];
  const peakBytes = peakKb === undefined ? process.resourceUsage().maxRSS * 1024 : Number(peakKb) * 1024;
  return { nowBytes: rss, peakBytes };
}
