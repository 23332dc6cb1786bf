import { constants } from 'node:os';
import { openForProcess } from '../disk/index.ts';
import { type ProcessEnd, type ProcessSettings, startProcess, waitForEnd } from './start-process.ts';

export interface ProcessOptions extends ProcessSettings {
  /** Files that the process reads and writes itself. `stdout` and `stderr` must not exist. */
  readonly files: { readonly stdin?: string; readonly stdout: string; readonly stderr: string };
}

/**
 * Runs a command whose streams are files, so that what it says never passes through us, and waits until all of it is
 * gone. Rejects only when the command cannot be started; everything else is told by the result.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  const { files, signal } = options;
  signal.throwIfAborted();
  await using stdin = files.stdin === undefined ? undefined : await openForProcess(files.stdin, 'read');
  await using stdout = await openForProcess(files.stdout, 'create');
  await using stderr = await openForProcess(files.stderr, 'create');
  const started = await startProcess(options, [stdin?.fd ?? 'ignore', stdout.fd, stderr.fd]);
  return await waitForEnd(started, options);
}

/** The shell's way of putting an end by a signal into an exit code. */
export function exitCodeOf({ exitCode, signal }: Pick<ProcessEnd, 'exitCode' | 'signal'>): number {
  return exitCode ?? 128 + (signal ? (constants.signals[signal] ?? 0) : 0);
}
