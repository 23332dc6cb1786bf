import { ActionableError, type Clock, errnoOf, type Random } from '../base/index.ts';

export interface RetryPolicy {
  /** How often a call is tried again after its first failure. */
  readonly retriesMax: number;
  readonly delayMsFirst: number;
  readonly delayMsMax: number;
  /** A provider that asks for a longer wait than this is not waited for. */
  readonly retryAfterMsMax: number;
  /** How often at most when nobody is there at all: a wrong address does not become right by waiting. */
  readonly retriesMaxNobody: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  retriesMax: 8,
  delayMsFirst: 1_000,
  delayMsMax: 60_000,
  retryAfterMsMax: 15 * 60_000,
  retriesMaxNobody: 2,
};

/** What a failed call tells about trying again. */
export interface CallFailure {
  readonly isRetryable: boolean;
  /** The provider has too much to do, so fewer calls at a time should be made. */
  readonly isOverload: boolean;
  /** The name has no address, or nobody listens there. */
  readonly isNobodyThere: boolean;
  readonly status: number | undefined;
  /** Of the network error behind it, such as ECONNREFUSED. */
  readonly errno: string | undefined;
  /** How long the provider asks to wait. */
  readonly retryAfterMs: number | undefined;
}

export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** How to sleep between tries, so that the wait can be kept out of the working time. */
  readonly wait: (ms: number) => Promise<void>;
  /** True when it has answered before: then nobody there is an outage, and worth all tries. */
  readonly hasAnswered?: () => boolean;
  /** Called for every try that fails, before the wait for the next; `nextMs` undefined: there is none. */
  readonly onFailure?: (error: unknown, tried: TriedCall) => void;
}

export interface TriedCall {
  readonly tries: number;
  readonly triesMax: number;
  readonly nextMs: number | undefined;
}

/** Calls `attempt` until it succeeds, fails for good, or the policy says that it is enough. */
export async function withRetry<T>(attempt: (n: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { policy, clock, random, signal, wait } = options;
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(retries);
    } catch (error) {
      if (signal.aborted || error instanceof ActionableError) throw error;
      const failure = readFailure(error, clock.nowMs());
      const retriesMax = retriesFor(failure, options);
      const delayMs = failure.retryAfterMs ?? backoffMs({ policy, retries, random });
      const nextMs = retries < retriesMax ? delayMs : undefined;
      options.onFailure?.(error, { tries: retries + 1, triesMax: Math.max(retriesMax, retries) + 1, nextMs });
      if (nextMs === undefined) throw error;
      await wait(nextMs);
    }
  }
}

/** How often a call that failed so is tried again in all. */
function retriesFor(failure: CallFailure, { policy, hasAnswered }: RetryOptions): number {
  const isWorthIt = failure.isRetryable && (failure.retryAfterMs ?? 0) <= policy.retryAfterMsMax;
  if (!isWorthIt) return 0;
  const isNobody = failure.isNobodyThere && hasAnswered?.() !== true;
  return isNobody ? Math.min(policy.retriesMaxNobody, policy.retriesMax) : policy.retriesMax;
}

/** Failures of one kind have one cause: the same status, the same network error, else the same words. */
export function failureKind({
  status,
  errno,
  reason,
}: Pick<CallFailure, 'status' | 'errno'> & { readonly reason: string }): string {
  return status === undefined ? (errno ?? reason) : `HTTP ${status}`;
}

/** Exponential, with full jitter: callers that failed together must not come back together. */
export function backoffMs(options: {
  readonly policy: RetryPolicy;
  readonly retries: number;
  readonly random: Random;
}): number {
  const { policy, retries, random } = options;
  const ceiling = Math.min(policy.delayMsMax, policy.delayMsFirst * 2 ** retries);
  return ceiling / 2 + (random.next() * ceiling) / 2;
}

const RETRYABLE_STATUS = new Set([408, 409, 425, 429]);
const OVERLOAD_STATUS = new Set([429, 503, 529]);
const NETWORK_ERRNO = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'ENETDOWN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
/** Nobody is there. A network that is away for a moment looks the same, so it is tried again, but not for long. */
const NOBODY_ERRNO = new Set(['ECONNREFUSED', 'ENOTFOUND']);
/** Time heals none of these: a certificate that is not trusted, an address that is none. */
const HOPELESS_ERRNO =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_|ERR_SSL_|ERR_INVALID_URL|EPROTO|EAI_FAIL)/;
/** The server will never do it. */
const HOPELESS_STATUS = new Set([501, 505]);
/** These come with status 429 too, but no wait helps: the account has no money left. */
const HOPELESS_CODES = new Set(['insufficient_quota', 'billing_hard_limit_reached']);

/** Reads the AI SDK's APICallError (by its fields, since several copies of the SDK may be loaded) and network errors. */
export function readFailure(error: unknown, nowMs: number): CallFailure {
  const status = numberField(error, 'statusCode');
  const headers = headersOf(error);
  const errno = causesOf(error).map(errnoOf).find(isKnownErrno);
  const isOverload = status !== undefined && OVERLOAD_STATUS.has(status) && !isHopeless(error);
  return {
    isRetryable: !isAbort(error) && !isHopeless(error) && isRetryableFailure(error, status, headers),
    isOverload,
    // A connection that failed for a reason without a name (`bad port`) does not get better by waiting either.
    isNobodyThere: status === undefined && (errno === undefined || NOBODY_ERRNO.has(errno)),
    status,
    errno,
    retryAfterMs: retryAfterMs(headers, nowMs),
  };
}

/** Reads `retry-after-ms`, `retry-after` (seconds or a date), else the reset time of whichever allowance is used up. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const exactMs = nonNegative(Number.parseFloat(headers['retry-after-ms'] ?? ''));
  if (exactMs !== undefined) return exactMs;
  const after = headers['retry-after'];
  if (after !== undefined) return parseWait(after, nowMs);
  const resets = Object.keys(headers)
    .filter((name) => RESET_HEADER.test(name) && isUsedUp(headers, name))
    .map((name) => parseWait(headers[name] ?? '', nowMs))
    .filter((ms) => ms !== undefined);
  return resets.length > 0 ? Math.max(...resets) : undefined;
}

const RESET_HEADER = /ratelimit-(?:reset(?:-\w+)?|[\w-]+-reset)$/;
const DURATION = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;

/** `x-ratelimit-reset-tokens` matters only when `x-ratelimit-remaining-tokens` is 0. */
function isUsedUp(headers: Readonly<Record<string, string>>, resetName: string): boolean {
  const remaining = headers[resetName.replace('reset', 'remaining')];
  return remaining === undefined ? false : Number.parseFloat(remaining) === 0;
}

/** Numbers from here on are no wait but a moment: some providers count seconds since 1970, some milliseconds. */
const MOMENT_SECONDS_MIN = 1e9;
const MOMENT_MS_MIN = 1e12;

/** `2`, `1.5` (seconds), `6m0s`, `120ms`, an ISO or an HTTP date, or a moment as a number. */
function parseWait(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const seconds = Number(trimmed);
  if (seconds >= MOMENT_SECONDS_MIN)
    return nonNegative(Math.max(0, (seconds >= MOMENT_MS_MIN ? seconds : seconds * 1_000) - nowMs));
  if (!Number.isNaN(seconds)) return nonNegative(seconds * 1_000);
  const parts = DURATION.exec(trimmed);
  if (parts) {
    const [days = 0, hours = 0, minutes = 0, secs = 0, ms = 0] = parts
      .slice(1)
      .map((part) => Number(part ?? 0));
    return (((days * 24 + hours) * 60 + minutes) * 60 + secs) * 1_000 + ms;
  }
  const atMs = Date.parse(trimmed);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

function isRetryableFailure(
  error: unknown,
  status: number | undefined,
  headers: Readonly<Record<string, string>>,
): boolean {
  if (headers['x-should-retry'] === 'true') return true;
  if (headers['x-should-retry'] === 'false') return false;
  if (status !== undefined)
    return RETRYABLE_STATUS.has(status) || (status >= 500 && !HOPELESS_STATUS.has(status));
  // What lies behind decides: SDKs call every failed connection retryable, also one to a name that does not exist.
  const errno = causesOf(error).map(errnoOf).find(isKnownErrno);
  if (errno !== undefined) return !HOPELESS_ERRNO.test(errno);
  return field(error, 'isRetryable') === true;
}

function isKnownErrno(errno: string | undefined): errno is string {
  return (
    errno !== undefined && (NETWORK_ERRNO.has(errno) || NOBODY_ERRNO.has(errno) || HOPELESS_ERRNO.test(errno))
  );
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}

function isHopeless(error: unknown): boolean {
  const details = field(field(error, 'data'), 'error');
  return [field(details, 'code'), field(details, 'type')].some(
    (code) => typeof code === 'string' && HOPELESS_CODES.has(code),
  );
}

/** The error and what it was caused by, at most eight deep; where there are several causes, the first of them too. */
function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at instanceof Error && chain.length < 8; at = at.cause) {
    chain.push(at);
    const several = field(at, 'errors');
    if (Array.isArray(several)) chain.push(...several.slice(0, 1));
  }
  return chain;
}

function headersOf(error: unknown): Readonly<Record<string, string>> {
  const headers = field(error, 'responseHeaders');
  if (typeof headers !== 'object' || headers === null) return {};
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function numberField(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === 'number' ? found : undefined;
}

function nonNegative(value: number): number | undefined {
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
