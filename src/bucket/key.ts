import { UsageError } from '../base/index.ts';
import { isTempName } from '../disk/index.ts';

/** The lock of a directory; it lies beside the objects, so no object may have its name. */
export const LOCK_NAME = '.holdfast-bucket.lock';
/** What names a directory that is a bucket, in a file of its own beside the objects. */
export const ID_NAME = '.holdfast-bucket.id';
/** Where the content of objects lies that are too large for one request to S3. */
export const LARGE_NAME = '.holdfast-large';

/** What S3 allows for a key, and what file systems allow for a name. */
const KEY_BYTES_MAX = 1024;
const PART_BYTES_MAX = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/;

/** [BUCKET-2] Refuses a key that not every kind of bucket can keep, before anything is touched. */
export function checkKey(key: string): void {
  const problem = problemOf(key);
  if (problem === undefined) return;
  throw new UsageError({
    code: 'E_BUCKET_KEY',
    message: `${JSON.stringify(key)} cannot be the key of an object: ${problem}.`,
    hint: 'Use names separated by "/", such as "runs/2026-11-15/results.json".',
  });
}

/** Whether an object of a store that others write to can be one of ours: what no method takes is not listed either. */
export function isKey(key: string): boolean {
  return problemOf(key) === undefined;
}

/**
 * What a listing of `prefix` starts with: a prefix is '' or names a folder, with or without the slash at its end, so
 * that `w1` never takes in `w10/…`.
 */
export function folderOf(prefix: string): string {
  if (prefix === '') return '';
  const folder = prefix.endsWith('/') ? prefix : `${prefix}/`;
  checkKey(folder.slice(0, -1));
  return folder;
}

function problemOf(key: string): string | undefined {
  if (FORBIDDEN.test(key)) return 'it has a backslash or a control character';
  if (!key.isWellFormed()) return 'it is not valid Unicode';
  if (Buffer.byteLength(key) > KEY_BYTES_MAX) return `it is longer than ${KEY_BYTES_MAX} bytes`;
  return firstOf(key.split('/').map(problemOfPart));
}

function problemOfPart(part: string): string | undefined {
  if (part === '') return 'a part of it is empty';
  if (part === '.' || part === '..') return 'a part of it is "." or ".."';
  if (isTempName(part)) return 'a part of it is a name that is kept for temporary files';
  if (part.toLowerCase() === LOCK_NAME) return 'a part of it is the name that is kept for a lock';
  if (part.toLowerCase() === ID_NAME) return 'a part of it is the name that is kept for the id of a bucket';
  if (part.toLowerCase() === LARGE_NAME) return 'a part of it is the name that is kept for large objects';
  if (Buffer.byteLength(part) > PART_BYTES_MAX) return `a part of it is longer than ${PART_BYTES_MAX} bytes`;
  return undefined;
}

function firstOf(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}
