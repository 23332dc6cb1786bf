import { spawn } from 'node:child_process';
import process from 'node:process';

export interface ProgramResult {
  /** Undefined when it was ended at the time limit. */
  readonly status: number | undefined;
  /** Both streams, in the order in which they came. */
  readonly output: string;
}

/** Runs a program in a group of its own, so that at the time limit its children end with it. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly timeLimitMs: number },
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const bin = `${options.cwd}/node_modules/.bin`;
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH ?? ''}`, FORCE_COLOR: '0' };
    const child = spawn(command, args, {
      cwd: options.cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let isLate = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const timer = setTimeout(() => {
      isLate = true;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, options.timeLimitMs);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ status: isLate ? undefined : (code ?? 1), output });
    });
  });
}
