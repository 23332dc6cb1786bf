/** Targets that bring their own SDK, seen from a server that counts what it answered. */
import { describe, expect, test } from 'vitest';
import { chatCompletion } from '../../test/sim/chat-server.ts';
import { sendJson, startServer } from '../../test/sim/http-server.ts';
import { expectInspectEvents } from '../../test/sim/inspect-events.ts';
import { ask, begin, chat, type Fetch, KEY, PRICES } from '../../test/sim/own-sdk.ts';
import { startAttempt, testModels } from '../../test/sim/target-attempt.ts';
import { createBudget } from './budget.ts';
import type { FailedTry } from './call-watch.ts';
import { createOwnCalls } from './own-calls.ts';
import { recordedFetch } from './recorded-fetch.ts';

const numbered = () =>
  startServer((request, response, count) => sendJson(response, chatCompletion(request, `answer ${count}`)));

test('an SDK that is given the fetch is recorded and counted, and gets the same answers again for nothing', async () => {
  await using server = await numbered();
  const first = begin();
  const said = [await ask(chat(first.fetch, server)), await ask(chat(first.fetch, server))];
  expect(said).toEqual(['answer 1', 'answer 2']);
  expect(first.attempt.meter.totals).toMatchObject({
    turns: 2,
    boughtCalls: 2,
    tokens: 30,
    unpricedCalls: 0,
  });
  expect(first.attempt.meter.totals.spentUsd).toBeCloseTo(76e-6, 9);
  expect(first.attempt.meter.usageByModel()).toMatchObject({ 'openai-compatible/m': { output_tokens: 6 } });
  expect(first.attempt.recorder.exchanges).toMatchObject([
    { request: { kind: 'http' }, answer: { tokens: 15, costUsd: 38e-6 } },
    { request: { kind: 'http' } },
  ]);

  const again = begin({ earlier: first.attempt.recorder.exchanges });
  expect([await ask(chat(again.fetch, server)), await ask(chat(again.fetch, server))]).toEqual(said);
  expect(server.requests).toHaveLength(2);
  expect(again.attempt.meter.totals).toMatchObject({
    spentUsd: 0,
    replayedCalls: 2,
    turns: 2,
    savedTokens: 30,
  });
  expect(again.attempt.recorder.events).toMatchObject(
    Array(2).fill({ metadata: { holdfast: { replayed: true } } }),
  );
});

test('the exchange is in the transcript, and the key is nowhere', async () => {
  await using server = await numbered();
  const { attempt, fetch } = begin();
  await ask(chat(fetch, server));
  expect(attempt.recorder.events).toMatchObject([
    {
      event: 'info',
      source: 'http',
      data: {
        method: 'POST',
        url: `${server.url}/v1/chat/completions`,
        headers: { 'content-type': 'application/json' },
        body: expect.stringContaining('Hello'),
        status: 200,
        response: expect.stringContaining('answer 1'),
      },
    },
  ]);
  expectInspectEvents(attempt.recorder.events);
  expect(JSON.stringify([attempt.recorder.events, attempt.recorder.exchanges])).not.toContain(KEY);
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
});

test.each(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'])(
  'a key that the header %s carries is nowhere, though the request says it again',
  async (header) => {
    await using server = await startServer((_, response) => sendJson(response, { ok: true }));
    const { attempt, fetch } = begin();
    await fetch(server.url, { method: 'POST', headers: { [header]: KEY }, body: `the key is ${KEY}` });
    const kept = JSON.stringify([attempt.recorder.events, attempt.recorder.exchanges]);
    expect(kept).toContain('the key is ');
    expect(kept).not.toContain(KEY);
    expect(server.requests[0]?.body).toContain(KEY);
  },
);

describe('what makes a request another one', () => {
  const base = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };
  const form = () => {
    const data = new FormData();
    data.set('file', new Blob(['x']), 'x.txt');
    return { method: 'POST', body: data };
  };
  const same: Readonly<Record<string, readonly [RequestInit, RequestInit]>> = {
    'another key': [
      base,
      { ...base, headers: { ...base.headers, authorization: 'Bearer b', 'x-api-key': 'c' } },
    ],
    'another client': [base, { ...base, headers: { ...base.headers, 'user-agent': 'x/2', cookie: 'a=b' } }],
    'another try': [
      base,
      {
        ...base,
        headers: {
          ...base.headers,
          'x-stainless-retry-count': '1',
          'x-stainless-timeout': '9',
          'idempotency-key': 'i',
        },
      },
    ],
    'another time': [base, { ...base, headers: { ...base.headers, date: 'now', 'x-request-id': 'r' } }],
    'another boundary of a form': [form(), form()],
  };
  const other: Readonly<Record<string, readonly [RequestInit, RequestInit]>> = {
    'another method': [base, { ...base, method: 'PUT' }],
    'another body': [base, { ...base, body: '{"a":2}' }],
    'another version of the API': [
      { ...base, headers: { ...base.headers, 'anthropic-version': '1' } },
      { ...base, headers: { ...base.headers, 'anthropic-version': '2' } },
    ],
    'another type': [base, { ...base, headers: { 'content-type': 'text/plain' } }],
    'a header that nobody knows': [base, { ...base, headers: { ...base.headers, 'x-model': 'large' } }],
  };

  async function askedTwice([one, two]: readonly [RequestInit, RequestInit], paths = ['/a', '/a']) {
    await using server = await startServer((_, response) => void response.end('ok'));
    const first = begin();
    await first.fetch(`${server.url}${paths[0]}`, one);
    const second = begin({ earlier: first.attempt.recorder.exchanges });
    await second.fetch(`${server.url}${paths[1]}`, two);
    return server.requests.length;
  }

  test.each(Object.entries(same))('%s does not', async (_, pair) => expect(await askedTwice(pair)).toBe(1));
  test.each(Object.entries(other))('%s does', async (_, pair) => expect(await askedTwice(pair)).toBe(2));
  test('another address does, but for the key in it', async () => {
    expect(await askedTwice([base, base], ['/a?x=1', '/a?x=2'])).toBe(2);
    expect(await askedTwice([base, base], ['/a', '/a/'])).toBe(2);
    expect(await askedTwice([base, base], ['/m:generateContent?key=1', '/m:generateContent?key=2'])).toBe(1);
    expect(await askedTwice([base, base], ['/lookup?key=1', '/lookup?key=2'])).toBe(2);
  });
});

describe('responses', () => {
  test('they come back as they were: status, headers and bytes', async () => {
    const bytes = Buffer.from([0, 255, 254, 1]);
    await using server = await startServer((request, response) => {
      if (request.path === '/none') return void response.writeHead(204, { 'x-next': '7' }).end();
      response.writeHead(201, 'Made', { 'x-next': '7', 'set-cookie': 'a=b', 'content-type': 'image/x' });
      response.end(bytes);
    });
    const first = begin();
    const read = async (fetch: Fetch, path: string) => {
      const response = await fetch(`${server.url}${path}`);
      const { status, statusText, headers, url } = response;
      const body = Buffer.from(await response.arrayBuffer()).toString('hex');
      return { status, statusText, url, body, headers: Object.fromEntries(headers) };
    };
    const live = [await read(first.fetch, '/x'), await read(first.fetch, '/none')];
    expect(live).toMatchObject([
      {
        status: 201,
        statusText: 'Made',
        url: `${server.url}/x`,
        body: '00fffe01',
        headers: { 'x-next': '7' },
      },
      { status: 204, body: '', headers: { 'x-next': '7' } },
    ]);
    expect(live[0]?.headers).not.toHaveProperty('set-cookie');
    const again = begin({ earlier: first.attempt.recorder.exchanges });
    expect([await read(again.fetch, '/x'), await read(again.fetch, '/none')]).toEqual(live);
    expect(server.requests).toHaveLength(2);
  });

  test('[REC-1] nobody sees one before it is durable', async () => {
    await using server = await numbered();
    const { attempt } = begin();
    const durable = Promise.withResolvers<void>();
    const recorder = { ...attempt.recorder, record: () => durable.promise };
    const slow = recordedFetch({ models: testModels(), scope: { ...attempt.scope, recorder } });
    let isSeen = false;
    const seen = slow(server.url, { method: 'POST', body: '{}' }).then(() => {
      isSeen = true;
    });
    await expect.poll(() => server.requests.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isSeen).toBe(false);
    durable.resolve();
    await seen;
  });

  test('any other status goes to the SDK, whose own retries ask the server', async () => {
    await using server = await startServer((request, response, count) =>
      count === 1
        ? sendJson(response, { error: { message: 'busy' } }, 503, { 'retry-after-ms': '1' })
        : sendJson(response, chatCompletion(request, 'ok')),
    );
    const models = testModels();
    const { attempt, fetch } = begin({ models });
    expect(await ask(chat(fetch, server))).toBe('ok');
    expect(server.requests).toHaveLength(2);
    expect(attempt.recorder.exchanges).toHaveLength(1);
    expect(attempt.recorder.events).toMatchObject([{ data: { status: 503 } }, { data: { status: 200 } }]);
    expect(attempt.meter.totals).toMatchObject({ failedCalls: 0, turns: 1 });
    expect(models.gates[0]?.history).toMatchObject([{ reason: 'rate_limit' }]);
  });

  test('a proxy that the SDK brings along is used', async () => {
    await using server = await numbered();
    const { fetch } = begin();
    const dispatcher = {
      dispatch() {
        throw new Error('through the proxy');
      },
    };
    const asked = fetch(server.url, { dispatcher } as never);
    await expect(asked).rejects.toMatchObject({ cause: { message: 'through the proxy' } });
    expect(server.requests).toHaveLength(0);
  });

  test('a key that stands in the body, too, is in no event', async () => {
    await using server = await startServer((_, response) => void response.socket?.destroy());
    const { attempt, fetch } = begin();
    const headers = { authorization: `Bearer ${KEY}` };
    await expect(fetch(server.url, { method: 'POST', headers, body: `my key is ${KEY}` })).rejects.toThrow();
    expect(JSON.stringify(attempt.recorder.events)).not.toContain(KEY);
  });

  test('a call that fails for good is counted as such, and can be made again', async () => {
    await using server = await startServer((_, response) => void response.socket?.destroy());
    const { attempt, fetch } = begin();
    await expect(fetch(server.url)).rejects.toThrow();
    expect(attempt.meter.totals.failedCalls).toBe(1);
    expect(attempt.recorder.exchanges).toEqual([]);
    expect(attempt.recorder.events).toMatchObject([{ data: { error: expect.any(String) } }]);
  });
});

describe('what stops a call', () => {
  test('the turn limit, also when calls are made at the same time', async () => {
    await using server = await numbered();
    const { attempt, fetch } = begin({ limits: { turns: 5 } });
    await Promise.allSettled(Array.from({ length: 10 }, (_, n) => ask(chat(fetch, server), `Q${n}`, 0)));
    expect(server.requests).toHaveLength(5);
    expect(attempt.meter.exceeded?.toSampleLimit()).toEqual({ type: 'turn', limit: 5 });
  });

  test('an empty purse, at once: the SDK does not get to try again', async () => {
    await using server = await numbered();
    const budget = createBudget(30e-6);
    const { attempt, fetch } = begin({ models: testModels({ prices: PRICES, budget }) });
    await ask(chat(fetch, server), 'one');
    await expect(ask(chat(fetch, server), 'two')).rejects.toThrow();
    expect(attempt.meter.signal.reason).toMatchObject({ code: 'E_BUDGET_EXHAUSTED' });
    expect(server.requests).toHaveLength(1);
  });

  test('its own signal, and the end of the sample; nothing is recorded then', async () => {
    await using server = await startServer(() => undefined);
    const { attempt, fetch } = begin({ limits: { timeMs: 200 } });
    await expect(fetch(server.url, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    await expect(fetch(server.url)).rejects.toMatchObject({ name: 'LimitExceeded' });
    expect(attempt.recorder.exchanges).toEqual([]);
  });

  test('a record that cannot be written stops the sample, whatever the SDK makes of it', async () => {
    await using server = await numbered();
    const { attempt } = begin();
    const full = new Error('disk full');
    const recorder = { ...attempt.recorder, record: () => Promise.reject(full) };
    const fetch = recordedFetch({ models: testModels(), scope: { ...attempt.scope, recorder } });
    await expect(ask(chat(fetch, server))).rejects.toThrow();
    expect(attempt.meter.signal.reason).toBe(full);
    expect(server.requests).toHaveLength(1);
  });
});

describe('what it costs', () => {
  const post = (fetch: Fetch, { url }: { readonly url: string }, body: object) =>
    fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) });

  test('[BUD-5] a model without a price is refused under a budget before it is asked, and so is what is no model', async () => {
    await using server = await numbered();
    for (const [body, name] of [
      [{ model: 'zzz', messages: [] }, 'openai-compatible/zzz'],
      [{ query: 'x' }, `http/${new URL(server.url).host}`],
    ] as const) {
      const { attempt, fetch } = begin({ models: testModels({ budget: createBudget(1) }) });
      await expect(post(fetch, server, body)).rejects.toMatchObject({
        code: 'E_PRICE_UNKNOWN',
        message: expect.stringContaining(name),
      });
      // SDKs catch what `fetch` throws and try again.
      expect(attempt.meter.signal.reason).toMatchObject({ code: 'E_PRICE_UNKNOWN' });
    }
    expect(server.requests).toHaveLength(0);
    const allowed = testModels({ budget: createBudget(1, { allowUnpriced: true }) });
    await post(begin({ models: allowed }).fetch, server, { model: 'zzz', messages: [] });
    expect(server.requests).toHaveLength(1);
  });

  test('a price for each call counts for what tells no tokens', async () => {
    await using server = await numbered();
    const budget = createBudget(1);
    const models = testModels({ budget, prices: { 'http/*': { call: 0.25 } } });
    const { attempt, fetch } = begin({ models });
    await post(fetch, server, { query: 'x' });
    expect(attempt.meter.totals).toMatchObject({ spentUsd: 0.25, unpricedCalls: 0 });
    expect(budget.spentUsd).toBe(0.25);
  });
});

describe('what fails', () => {
  const failing = (status: number) =>
    startServer((_, response) => sendJson(response, { error: { message: 'Not you.' } }, status));

  function watched() {
    const models = testModels({ prices: PRICES });
    const told: FailedTry[] = [];
    models.calls.onFailedTry = (failed) => void told.push(failed);
    const sample = async (url: string, body: string, tries = 1) => {
      const attempt = startAttempt();
      using own = createOwnCalls({ models, scope: attempt.scope });
      for (let n = 0; n < tries; n++)
        await own.calls.fetch(url, { method: 'POST', body }).catch(() => undefined);
    };
    return { models, told, sample };
  }

  test('[CALL-1] every failed try is told at once, with what the server said', async () => {
    await using server = await failing(503);
    const { told, sample } = watched();
    await sample(server.url, '{"model":"m","messages":[]}', 2);
    expect(told).toMatchObject([
      { model: 'openai-compatible/m', reason: 'HTTP 503: Not you.', tries: 1, triesMax: undefined },
      { tries: 2 },
    ]);
  });

  test('[CALL-2] ten requests that a server refuses alike are enough, however often each was tried', async () => {
    await using server = await failing(401);
    const { models, sample } = watched();
    for (let n = 0; n < 9; n++) await sample(server.url, `{"model":"m","n":${n}}`, 2);
    expect(models.calls.stop.aborted).toBe(false);
    await sample(server.url, '{"model":"m","n":9}');
    expect(models.calls.stop.reason).toMatchObject({
      code: 'E_CALLS_FAIL',
      message: expect.stringContaining('HTTP 401: Not you.'),
    });
  });

  test('[CALL-2] what passes counts when the code has given it up, and not when it was answered', async () => {
    let isDown = true;
    await using server = await startServer((_, response) =>
      isDown ? sendJson(response, {}, 500) : sendJson(response, { ok: true }),
    );
    const { models, sample } = watched();
    const attempt = startAttempt();
    using own = createOwnCalls({ models, scope: attempt.scope });
    const ask = (n: number) => own.calls.fetch(server.url, { method: 'POST', body: `${n}` });
    await Promise.all(Array.from({ length: 12 }, (_, n) => ask(n)));
    expect(models.calls.stop.aborted).toBe(false);
    isDown = false;
    await Promise.all(Array.from({ length: 12 }, (_, n) => ask(n)));
    own[Symbol.dispose]();
    expect(models.calls.stop.aborted).toBe(false);
    expect(attempt.meter.totals).toMatchObject({ failedCalls: 0 });

    isDown = true;
    const other = watched();
    for (let n = 0; n < 10; n++) await other.sample(server.url, `${n}`, 2);
    expect(other.models.calls.stop.aborted).toBe(true);
    await sample(server.url, 'x');
  });

  test('an address at which nobody listens is told with what lies behind "fetch failed"', async () => {
    const { told, sample } = watched();
    await sample('http://127.0.0.1:1/', '{}');
    expect(told[0]?.reason).toMatch(/^fetch failed: .*(ECONNREFUSED|bad port)/);
  });
});
