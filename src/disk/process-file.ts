import * as fs from 'node:fs/promises';
import { explainDiskError } from './explain.ts';
import { refuseLockFile } from './held-locks.ts';

/** A file that a child process gets as its stdin, stdout or stderr, so that what it says never passes through us. */
export interface ProcessFile extends AsyncDisposable {
  readonly fd: number;
}

/**
 * `read`: must exist. `create`: must not exist; every write goes to its end, whoever else holds it. Not durable: what a
 * process says is evidence, and what must be kept of it is read back and recorded.
 */
export async function openForProcess(path: string, mode: 'read' | 'create'): Promise<ProcessFile> {
  refuseLockFile(path);
  try {
    const handle = await fs.open(path, mode === 'read' ? 'r' : 'ax');
    return { fd: handle.fd, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    throw explainDiskError(error, path);
  }
}
