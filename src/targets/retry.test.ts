import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../../test/sim/manual-clock.ts';
import { seededRandom } from '../base/index.ts';
import {
  backoffMs,
  DEFAULT_RETRY,
  type RetryOptions,
  readFailure,
  retryAfterMs,
  withRetry,
} from './retry.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');

describe('how long a provider asks to wait', () => {
  test.each([
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after': 'Mon, 01 Jun 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Mon, 01 Jun 2026 11:00:00 GMT' }, 0],
    [{ 'x-ratelimit-reset-tokens': '6m0s', 'x-ratelimit-remaining-tokens': '0' }, 360_000],
    [{ 'x-ratelimit-reset-requests': '120ms', 'x-ratelimit-remaining-requests': '0' }, 120],
    [{ 'x-ratelimit-reset-requests': '1m30s', 'x-ratelimit-remaining-requests': '7' }, undefined],
    [
      {
        'anthropic-ratelimit-requests-reset': '2026-06-01T12:00:05Z',
        'anthropic-ratelimit-requests-remaining': '0',
      },
      5_000,
    ],
    [
      {
        'x-ratelimit-reset-requests': '2s',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-tokens': '1m0s',
        'x-ratelimit-remaining-tokens': '0',
      },
      60_000,
    ],
    [{ 'x-ratelimit-reset': String(NOW + 7_000), 'x-ratelimit-remaining': '0' }, 7_000],
    [{ 'x-ratelimit-reset': String(NOW / 1_000 + 7), 'x-ratelimit-remaining': '0' }, 7_000],
    [{ 'x-ratelimit-reset': String(NOW / 1_000 - 7), 'x-ratelimit-remaining': '0' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ] as const)('%j is %s ms', (headers, expected) => {
    expect(retryAfterMs(headers as Record<string, string>, NOW)).toBe(expected);
  });

  test('any header text gives a wait that is not negative, or none', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = retryAfterMs({ 'retry-after': text, 'retry-after-ms': text }, NOW);
        expect(ms === undefined || ms >= 0).toBe(true);
      }),
    );
  });
});

describe('which failures are worth another try', () => {
  const call = (fields: object) => Object.assign(new Error('failed'), fields);
  const network = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  const errno = (code: string) => Object.assign(new Error(code), { code });
  const quota = { error: { code: 'insufficient_quota' } };

  test.each([
    ['too many requests', call({ statusCode: 429 }), true, true],
    ['an overloaded server', call({ statusCode: 529 }), true, true],
    ['a server error', call({ statusCode: 500 }), true, false],
    ['a wrong key', call({ statusCode: 401 }), false, false],
    ['a bad request', call({ statusCode: 400 }), false, false],
    ['an empty account', call({ statusCode: 429, data: quota }), false, false],
    [
      'what the server says not to try',
      call({ statusCode: 500, responseHeaders: { 'X-Should-Retry': 'false' } }),
      false,
      false,
    ],
    ['a broken connection', new Error('wrapped', { cause: network }), true, false],
    ['what the SDK calls retryable', call({ isRetryable: true }), true, false],
    ['a refused connection', call({ isRetryable: true, cause: errno('ECONNREFUSED') }), true, false],
    ['a name without an address', call({ isRetryable: true, cause: errno('ENOTFOUND') }), true, false],
    [
      'a certificate that is not trusted',
      call({ isRetryable: true, cause: errno('CERT_HAS_EXPIRED') }),
      false,
      false,
    ],
    ['what the server cannot do', call({ statusCode: 501 }), false, false],
    ['a model that is not there', call({ statusCode: 404 }), false, false],
    ['an abort', new DOMException('stop', 'AbortError'), false, false],
    ['a bug', new TypeError('x is not a function'), false, false],
    ['something that is no error', 'oops', false, false],
  ])('%s', (_, error, isRetryable, isOverload) => {
    expect(readFailure(error, NOW)).toMatchObject({ isRetryable, isOverload });
  });
});

test('waits grow, are never longer than the ceiling and never shorter than half of it', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.integer(), (retries, seed) => {
      const ceiling = Math.min(DEFAULT_RETRY.delayMsMax, DEFAULT_RETRY.delayMsFirst * 2 ** retries);
      const ms = backoffMs({ policy: DEFAULT_RETRY, retries, random: seededRandom(seed) });
      expect(ms).toBeGreaterThanOrEqual(ceiling / 2);
      expect(ms).toBeLessThanOrEqual(ceiling);
    }),
  );
});

function retrying(failures: readonly unknown[], policy = {}, more: Partial<RetryOptions> = {}) {
  const waits: number[] = [];
  let tries = 0;
  const result = withRetry(
    async () => {
      const failure = failures[tries++];
      if (failure) throw failure;
      return 'done';
    },
    {
      policy: { ...DEFAULT_RETRY, ...policy },
      clock: manualClock(NOW),
      random: seededRandom(1),
      signal: new AbortController().signal,
      wait: async (ms) => void waits.push(ms),
      ...more,
    },
  );
  return { result, waits, tries: () => tries };
}

const busy = (headers = {}) =>
  Object.assign(new Error('busy'), { statusCode: 429, responseHeaders: headers });

test('a call is tried again until it succeeds, waiting as long as it is told', async () => {
  const { result, waits, tries } = retrying([busy({ 'retry-after': '7' }), busy({ 'retry-after-ms': '30' })]);
  expect(await result).toBe('done');
  expect(tries()).toBe(3);
  expect(waits).toEqual([7_000, 30]);
});

test('the last failure is thrown when the tries are used up', async () => {
  const { result, tries } = retrying([busy(), busy(), busy()], { retriesMax: 2 });
  await expect(result).rejects.toMatchObject({ statusCode: 429 });
  expect(tries()).toBe(3);
});

describe('where nobody is', () => {
  const refused = () =>
    Object.assign(new Error('Cannot connect'), {
      isRetryable: true,
      cause: Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }),
    });
  const many = Array.from({ length: 20 }, refused);

  test('it is tried three times, not nine', async () => {
    const { result, tries } = retrying(many);
    await expect(result).rejects.toThrow('Cannot connect');
    expect(tries()).toBe(3);
  });

  test('unless it has answered before: then it is an outage, and worth all tries', async () => {
    const { result, tries } = retrying(many, {}, { hasAnswered: () => true });
    await expect(result).rejects.toThrow('Cannot connect');
    expect(tries()).toBe(9);
  });

  test('every failed try is told, before the wait for the next', async () => {
    const told: string[] = [];
    const { result, waits } = retrying(
      many,
      {},
      {
        onFailure: (_error, { tries, triesMax, nextMs }) =>
          void told.push(`${tries} of ${triesMax}, ${nextMs === undefined ? 'last' : waits.length}`),
      },
    );
    await expect(result).rejects.toThrow('Cannot connect');
    expect(told).toEqual(['1 of 3, 0', '2 of 3, 1', '3 of 3, last']);
  });
});

test('a provider that asks for hours is not waited for', async () => {
  const { result, tries } = retrying([busy({ 'retry-after': '7200' })]);
  await expect(result).rejects.toMatchObject({ statusCode: 429 });
  expect(tries()).toBe(1);
});
