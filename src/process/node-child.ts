import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ProcessEnd, ProcessEnv } from './start-process.ts';

export interface NodeChildOptions {
  /** What comes after `node`: options of its own, the script, its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: ProcessEnv;
  readonly onMessage: (message: unknown) => void;
  /** Each line that it writes to its outputs. */
  readonly onLine: (line: string) => void;
}

/** Another Node that runs code of ours. It hears when we end, and ends as well. */
export interface NodeChild {
  readonly pid: number | undefined;
  /** Not delivered when it has ended. Anything that can be cloned. */
  send(message: unknown): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it is gone, also when it could not be started. */
  readonly ended: Promise<Pick<ProcessEnd, 'exitCode' | 'signal'>>;
}

export function startNodeChild({ argv, cwd, env, onMessage, onLine }: NodeChildOptions): NodeChild {
  const child = spawn(process.execPath, [...argv], {
    ...{ cwd, env, windowsHide: true },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Keeps numbers and bytes as they are.
    serialization: 'advanced',
  });
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', onLine);
  child.on('message', onMessage);
  const ended = new Promise<Pick<ProcessEnd, 'exitCode' | 'signal'>>((resolve) => {
    child.once('error', () => resolve({ exitCode: null, signal: null }));
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  return {
    pid: child.pid,
    // What was on its way to a process that ended is nobody's any more: `ended` tells.
    send: (message) => void (child.connected && child.send(message as object, () => undefined)),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

/** The other side: what a child hears of whoever started it, and how it answers. */
export interface ParentLink {
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Aborted when whoever started it is gone. */
  readonly gone: AbortSignal;
}

/** Undefined in a process that was not started as a child. */
export function parentLink(): ParentLink | undefined {
  if (!process.connected || !process.send) return undefined;
  const gone = new AbortController();
  process.once('disconnect', () => gone.abort(new Error('The process that started this one is gone')));
  return {
    send: (message) => void (process.connected && process.send?.(message as object)),
    onMessage: (listener) => void process.on('message', listener),
    gone: gone.signal,
  };
}
