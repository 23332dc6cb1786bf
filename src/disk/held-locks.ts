import { InvariantError } from '../base/index.ts';
import { identityOfFile } from './file-identity.ts';

/**
 * The lock files that this process holds, by the file itself and not by its name. The system drops a lock as soon as its
 * holder closes any other descriptor of that file (fcntl, POSIX), so nobody may open one but `lock.ts`.
 */
const held = new Map<string, string>();

export function rememberLock(path: string): string | undefined {
  const identity = identityOfFile(path);
  if (identity !== undefined) held.set(identity, path);
  return identity;
}

export function forgetLock(identity: string | undefined): void {
  if (identity !== undefined) held.delete(identity);
}

/** True for a lock file that this process holds, under whatever name. */
export function isHeldLock(path: string): boolean {
  if (held.size === 0) return false;
  const identity = identityOfFile(path);
  return identity !== undefined && held.has(identity);
}

/** Every way to open a file goes past here first. */
export function refuseLockFile(path: string): void {
  if (isHeldLock(path))
    throw new InvariantError(`${path} is a lock that this process holds: opening it would drop the lock`);
}
