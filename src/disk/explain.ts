import { ActionableError, type ErrorCode, errnoOf, messageOf } from '../base/index.ts';

interface Explanation {
  readonly code: ErrorCode;
  readonly what: string;
  readonly hint: string;
}

const FULL: Explanation = {
  code: 'E_DISK_FULL',
  what: 'the disk or the quota is full',
  hint: 'Free some space, then run the same command again: what was stored before is whole and is kept.',
};
const BROKEN: Explanation = {
  code: 'E_DISK_IO',
  what: 'the disk reports an input/output error',
  hint: 'Check the disk (dmesg, SMART, the network mount), then run the same command again.',
};
const DENIED: Explanation = {
  code: 'E_DISK_DENIED',
  what: 'permission is denied',
  hint: 'Check the owner and the permissions of that path, or choose another directory.',
};
const READ_ONLY: Explanation = { ...DENIED, what: 'the file system is read-only' };

const BY_ERRNO: ReadonlyMap<string, Explanation> = new Map([
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['EIO', BROKEN],
  ['EACCES', DENIED],
  ['EPERM', DENIED],
  ['EROFS', READ_ONLY],
]);

/**
 * What to throw for a failed disk call: failures of the disk itself become an ActionableError that names the path
 * and keeps the system error as its cause; every other value (ENOENT, EEXIST …) is given back as it is.
 */
export function explainDiskError(error: unknown, path: string): unknown {
  const errno = errnoOf(error);
  const explanation = errno === undefined ? undefined : BY_ERRNO.get(errno);
  if (!explanation) return error;
  return new ActionableError({
    code: explanation.code,
    message: `Cannot use ${path}: ${explanation.what} (${messageOf(error)}).`,
    hint: explanation.hint,
    cause: error,
  });
}
