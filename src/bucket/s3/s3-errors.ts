import { ActionableError, errnoOf, messageOf } from '../../base/index.ts';
import { bucketErrors } from '../bucket-errors.ts';

/** What an answer of a server means for whoever asked [BUCKET-10]. */
export type Meaning = 'missing' | 'conflict' | 'transient' | 'denied' | 'permanent';

const TRANSIENT_NAMES: ReadonlySet<string> = new Set([
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'RequestTimeout',
  'RequestTimeoutException',
  'TimeoutError',
  'NetworkingError',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'RequestLimitExceeded',
  'OperationAborted',
  // Damaged on its way: sent once more it may arrive whole.
  'BadDigest',
  'IncompleteBody',
  'XAmzContentSHA256Mismatch',
]);
const TRANSIENT_CODES: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_STREAM_PREMATURE_CLOSE',
  'UND_ERR_SOCKET',
]);
const MISSING_NAMES: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound']);
const CREDENTIALS_NAMES: ReadonlySet<string> = new Set(['CredentialsProviderError', 'TokenProviderError']);

export function statusOf(error: unknown): number | undefined {
  const { httpStatusCode } = fieldsOf(fieldsOf(error).$metadata);
  return typeof httpStatusCode === 'number' ? httpStatusCode : undefined;
}

export function nameOf(error: unknown): string {
  const { name } = fieldsOf(error);
  return typeof name === 'string' ? name : '';
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value, name: Reflect.get(value, 'name') } : {};
}

export function meaningOf(error: unknown): Meaning {
  const status = statusOf(error);
  const name = nameOf(error);
  if (name === 'NoSuchBucket') return 'permanent';
  if (MISSING_NAMES.has(name) || status === 404) return 'missing';
  if (status === 412 || status === 409) return 'conflict';
  if (TRANSIENT_NAMES.has(name) || (status !== undefined && (status >= 500 || status === 429)))
    return 'transient';
  // Amazon says 400 of a token that has expired.
  if (status === 401 || status === 403 || CREDENTIALS_NAMES.has(name) || Object.hasOwn(DENIED_HINTS, name))
    return 'denied';
  if (status === undefined && TRANSIENT_CODES.has(errnoOf(error))) return 'transient';
  return 'permanent';
}

/** Whether a request was refused for its time, and the next one will have that of the server. */
export function isClockCorrected(error: unknown): boolean {
  return meaningOf(error) === 'denied' && fieldsOf(fieldsOf(error).$metadata).clockSkewCorrected === true;
}

/** What callers of a bucket are told. */
export function explainS3Error(error: unknown, url: string): unknown {
  if (error instanceof ActionableError) return error;
  const name = nameOf(error);
  if (CREDENTIALS_NAMES.has(name)) return noCredentials(url, error);
  if (name === 'NoSuchBucket') return noBucket(url, error);
  if (name === 'PermanentRedirect' || name === 'AuthorizationHeaderMalformed') return wrongRegion(url, error);
  switch (meaningOf(error)) {
    case 'transient':
      return bucketErrors.away(url, error);
    case 'denied':
      return denied(url, error);
    default:
      return refused(url, error);
  }
}

const DENIED_HINTS: Readonly<Record<string, string>> = {
  ExpiredToken:
    'The credentials have expired: get new ones (for instance with "aws sso login"), and try again.',
  ExpiredTokenException:
    'The credentials have expired: get new ones (for instance with "aws sso login"), and try again.',
  TokenRefreshRequired: 'The credentials have expired: get new ones, and try again.',
  InvalidToken: 'The session token does not belong to the key: check AWS_SESSION_TOKEN or the profile.',
  RequestTimeTooSkewed: 'The clock of this machine is wrong: set it, and try again.',
  SignatureDoesNotMatch: 'The secret does not belong to the key: check AWS_SECRET_ACCESS_KEY or the profile.',
  InvalidAccessKeyId:
    'The server does not know this key: check AWS_ACCESS_KEY_ID or the profile, and the endpoint.',
};

function denied(url: string, cause: unknown): ActionableError {
  return new ActionableError({
    code: 'E_BUCKET_DENIED',
    message: `${url} does not allow it: ${described(cause)}.`,
    hint: DENIED_HINTS[nameOf(cause)] ?? 'Check what the credentials may do there, or choose another bucket.',
    cause,
  });
}

function noCredentials(url: string, cause: unknown): ActionableError {
  return new ActionableError({
    code: 'E_BUCKET_DENIED',
    message: `There are no credentials for ${url}.`,
    hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, as for the aws command.',
    cause,
  });
}

function noBucket(url: string, cause: unknown): ActionableError {
  return new ActionableError({
    code: 'E_BUCKET_NONE',
    message: `There is no bucket for ${url}.`,
    hint: 'Check its name, the endpoint and the region, or make it with the tools of its provider.',
    cause,
  });
}

function wrongRegion(url: string, cause: unknown): ActionableError {
  return new ActionableError({
    code: 'E_BUCKET_REFUSED',
    message: `${url} is in another region than the one that was asked: ${described(cause)}.`,
    hint: 'Set AWS_REGION to that of the bucket.',
    cause,
  });
}

function refused(url: string, cause: unknown): ActionableError {
  return new ActionableError({
    code: 'E_BUCKET_REFUSED',
    message: `${url} refuses it: ${described(cause)}.`,
    hint: 'Run "holdfast doctor --bucket" on it, which tells what this server can do.',
    cause,
  });
}

function described(cause: unknown): string {
  const name = nameOf(cause);
  const message = messageOf(cause).replace(/\.$/, '');
  return message === '' || message === name ? name || `status ${statusOf(cause)}` : `${name}: ${message}`;
}
