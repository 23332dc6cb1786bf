import { ActionableError, errnoOf, messageOf, UsageError } from '../base/index.ts';

/** The errors that every kind of bucket shares [BUCKET-10]. */
export const bucketErrors = {
  away: (url: string, cause: unknown) =>
    new ActionableError({
      code: 'E_BUCKET_AWAY',
      message: `${url} does not answer: ${messageOf(cause)}.`,
      hint: 'It may be back soon: try again, and check the network or the mount if it is not.',
      retryable: true,
      cause,
    }),
  folderAway: (url: string, what: string) =>
    new ActionableError({
      code: 'E_BUCKET_AWAY',
      message: `The bucket ${url} is away: ${what}.`,
      hint: 'Mount it, or put it back: who waits for it goes on by itself. If what is there now is meant, start the command again.',
      retryable: true,
    }),
  noFolder: (url: string) =>
    new UsageError({
      code: 'E_BUCKET_NONE',
      message: `There is no bucket at ${url}: that is no folder.`,
      hint: 'Mount it, or correct the path; "holdfast submit" makes a new one.',
    }),
  denied: (url: string, cause: unknown) =>
    new ActionableError({
      code: 'E_BUCKET_DENIED',
      message: `${url} does not allow it: ${messageOf(cause)}`,
      hint: 'Check the owner and the permissions, or choose another bucket.',
      cause,
    }),
  keyTaken: (url: string, key: string) =>
    new UsageError({
      code: 'E_BUCKET_KEY_TAKEN',
      message: `${url} cannot keep ${JSON.stringify(key)}: a file is where a folder must be, or the other way round.`,
      hint: 'Choose another key, or move what is in the way.',
    }),
  fileExists: (key: string, path: string) =>
    new ActionableError({
      code: 'E_FILE_EXISTS',
      message: `${JSON.stringify(key)} cannot be downloaded to ${path}: there is a file already.`,
      hint: 'Name another file, or move that one away.',
    }),
};

/** What a mounted directory says while its server cannot be reached, or is too busy for the moment. */
const AWAY: ReadonlySet<string | undefined> = new Set([
  'EAGAIN',
  'EBUSY',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTCONN',
  'ECONNRESET',
  'ESTALE',
  'ETIMEDOUT',
]);

/** [BUCKET-10] What a directory throws for a failed disk call: transient and forbidden ones by the codes of a bucket. */
export function explainBucketError(error: unknown, url: string): unknown {
  if (AWAY.has(errnoOf(error))) return bucketErrors.away(url, error);
  if (errnoOf(error) === 'E_DISK_DENIED') return bucketErrors.denied(url, error);
  return error;
}
