import { type Clock, errnoOf, type Random } from '../base/index.ts';

export interface RetryPolicy {
  /** How often a call is tried again after its first failure. */
  readonly retriesMax: number;
  readonly delayMsFirst: number;
  readonly delayMsMax: number;
  /** A provider that asks for a longer wait than this is not waited for. */
  readonly retryAfterMsMax: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  retriesMax: 8,
  delayMsFirst: 1_000,
  delayMsMax: 60_000,
  retryAfterMsMax: 15 * 60_000,
};

/** What a failed call tells about trying again. */
export interface CallFailure {
  readonly isRetryable: boolean;
  /** The provider has too much to do, so fewer calls at a time should be made. */
  readonly isOverload: boolean;
  readonly status: number | undefined;
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
}

/** Calls `attempt` until it succeeds, fails for good, or the policy says that it is enough. */
export async function withRetry<T>(attempt: (n: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { policy, clock, random, signal, wait } = options;
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(retries);
    } catch (error) {
      const failure = readFailure(error, clock.nowMs());
      const delayMs = failure.retryAfterMs ?? backoffMs({ policy, retries, random });
      const isWorthIt = failure.isRetryable && (failure.retryAfterMs ?? 0) <= policy.retryAfterMsMax;
      if (signal.aborted || !isWorthIt || retries >= policy.retriesMax) throw error;
      await wait(delayMs);
    }
  }
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
/** These come with status 429 too, but no wait helps: the account has no money left. */
const HOPELESS_CODES = new Set(['insufficient_quota', 'billing_hard_limit_reached']);

/** Reads the AI SDK's APICallError (by its fields, since several copies of the SDK may be loaded) and network errors. */
export function readFailure(error: unknown, nowMs: number): CallFailure {
  const status = numberField(error, 'statusCode');
  const headers = headersOf(error);
  const isOverload = status !== undefined && OVERLOAD_STATUS.has(status) && !isHopeless(error);
  return {
    isRetryable: !isAbort(error) && !isHopeless(error) && isRetryableFailure(error, status, headers),
    isOverload,
    status,
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

/** `2`, `1.5` (seconds), `6m0s`, `120ms`, an ISO or an HTTP date. */
function parseWait(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const seconds = Number(trimmed);
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
  if (status !== undefined) return RETRYABLE_STATUS.has(status) || status >= 500;
  return field(error, 'isRetryable') === true || causesOf(error).some(isNetworkError);
}

function isNetworkError(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno !== undefined && NETWORK_ERRNO.has(errno);
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

/** The error and what it was caused by, at most eight deep. */
function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at instanceof Error && chain.length < 8; at = at.cause) chain.push(at);
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
