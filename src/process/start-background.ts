import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ProcessEnv } from './start-process.ts';

export interface BackgroundOptions {
  /** Never through a shell: each item is one argument, whatever is in it. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: ProcessEnv;
}

/**
 * Starts a command that goes on when this process ends, and that nobody waits for: work that can be done at any time and by anybody.
 * It has no terminal, reads nothing and its words are lost, so it must be harmless to begin, to fail and to kill. False when it could not be
 * started, which is as good as done later.
 */
export async function startBackground({ argv, cwd, env }: BackgroundOptions): Promise<boolean> {
  const [command = '', ...args] = argv;
  const child = spawn(command, args, { cwd, env, stdio: 'ignore', detached: true, windowsHide: true });
  try {
    await once(child, 'spawn');
  } catch {
    // It emits `error` instead, for a program that is not there: told by the answer.
    return false;
  }
  child.unref();
  return true;
}
