import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../../test/sim/http-server.ts';
import { expectInspectEvents } from '../../test/sim/inspect-events.ts';
import { settle } from '../../test/sim/manual-clock.ts';
import { runTarget, startAttempt, testModels } from '../../test/sim/target-attempt.ts';
import { createBudget } from './budget.ts';

const env = { AGENT_KEY: 'key-0123456789' };

test('an endpoint is asked with the template, its answer found by the path, and replayed', async () => {
  await using server = await startServer((_, response) =>
    sendJson(response, { choices: [{ text: 'Paris' }] }),
  );
  const models = testModels({ env });
  const spec = {
    url: `${server.url}/ask?topic={{metadata.topic}}`,
    headers: { Authorization: 'Bearer {{env.AGENT_KEY}}', 'X-Sample': '{{id}}' },
    body: { q: 'Answer: {{input}}', raw: '{{input}}', n: 1 },
    responsePath: 'choices.0.text',
  };
  const sample = { id: 'a', input: 'Capital of "France"?', metadata: { topic: 'geo & more' } };
  const first = await runTarget(spec, { models, sample });
  expect(first.result.output).toBe('Paris');
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      path: '/ask?topic=geo%20%26%20more',
      headers: {
        authorization: `Bearer ${env.AGENT_KEY}`,
        'x-sample': 'a',
        'content-type': 'application/json',
      },
    },
  ]);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    q: 'Answer: Capital of "France"?',
    raw: 'Capital of "France"?',
    n: 1,
  });
  const kept = JSON.stringify([first.attempt.recorder.events, first.attempt.recorder.exchanges]);
  expect(kept).not.toContain(env.AGENT_KEY);
  expect(kept).toContain('Bearer {{env.AGENT_KEY}}');
  expectInspectEvents(first.attempt.recorder.events);

  const again = await runTarget(spec, { models, sample, earlier: first.attempt.recorder.exchanges });
  expect(again.result).toEqual(first.result);
  expect(server.requests).toHaveLength(1);
  expect(again.attempt.recorder.events).toMatchObject([{ metadata: { holdfast: { replayed: true } } }]);
});

test('a request arrives whole, and its answer, whatever letters are in them', async () => {
  await using server = await startServer((_, response) => sendJson(response, { text: 'größer 東京 🗼' }));
  const body = { q: 'Wie groß ist {{input}}?' };
  const { result } = await runTarget(
    { url: server.url, body, responsePath: 'text' },
    { sample: { input: '東京 🗼' } },
  );
  expect(result.output).toBe('größer 東京 🗼');
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ q: 'Wie groß ist 東京 🗼?' });
});

test('method, status and headers are recorded with the answer; what is stored without them is read', async () => {
  await using server = await startServer((_, response) => {
    response.writeHead(201, { 'content-type': 'text/plain', 'x-version': '7', 'set-cookie': 'a=b' });
    response.end('ok');
  });
  const first = await runTarget({ url: server.url, method: 'PUT' });
  const [exchange] = first.attempt.recorder.exchanges;
  expect(exchange?.answer.value).toMatchObject({
    method: 'PUT',
    status: 201,
    headers: { 'content-type': 'text/plain', 'x-version': '7' },
    body: 'ok',
  });
  expect(JSON.stringify([exchange, first.attempt.recorder.events])).not.toContain('a=b');
  expect(first.attempt.recorder.events).toMatchObject([
    { data: { method: 'PUT', status: 201, response_headers: { 'x-version': '7' } } },
  ]);
  expect(first.attempt.meter.totals).toMatchObject({ boughtCalls: 1, replayedCalls: 0 });

  const earlier = first.attempt.recorder.exchanges.map(({ request }) => ({
    request,
    answer: { value: { status: 200, body: 'from before' } },
  }));
  const again = await runTarget({ url: server.url, method: 'PUT' }, { earlier });
  expect(again.result.output).toBe('from before');
  expect(again.attempt.meter.totals).toMatchObject({ boughtCalls: 0, replayedCalls: 1 });
  expect(server.requests).toHaveLength(1);
});

test('an input that is no text goes into the body as it is', async () => {
  await using server = await startServer((request, response) => sendJson(response, JSON.parse(request.body)));
  const spec = { url: server.url, body: { question: '{{input}}' }, responsePath: 'question' };
  const { result } = await runTarget(spec, { sample: { input: { a: [1, null] } } });
  expect(result.output).toEqual({ a: [1, null] });
});

test('without a path the whole body is the answer; GET has no body', async () => {
  await using server = await startServer(
    (request, response) => void response.end(`${request.method} ${request.path}${request.body}`),
  );
  const { result } = await runTarget({ url: `${server.url}/{{input}}`, method: 'GET' });
  expect(result.output).toBe('GET /Hello');
  expect((await runTarget({ url: server.url })).result.output).toBe('POST /{"input":"Hello"}');
});

describe('what goes wrong', () => {
  test('a busy or broken server is asked again', async () => {
    await using server = await startServer((_, response, count) => {
      if (count === 1) sendJson(response, {}, 429, { 'retry-after': '0' });
      else if (count === 2) response.socket?.destroy();
      else sendJson(response, 'ok');
    });
    const models = testModels();
    const { result, attempt } = await runTarget({ url: server.url }, { models });
    expect(result.output).toBe('"ok"');
    expect(attempt.recorder.events).toMatchObject([{ data: { status: 200, retries: 2 } }]);
    expect(models.gates[0]?.history).toMatchObject([{ reason: 'rate_limit' }]);
  });

  test('it is asked again when it said, and an account without money is not asked again, as with models', async () => {
    await using server = await startServer((_, response, count) =>
      count === 1
        ? sendJson(response, {}, 503, { 'retry-after-ms': '20' })
        : sendJson(response, { error: { code: 'insufficient_quota' } }, 429),
    );
    const models = testModels({ retry: { delayMsFirst: 60_000, delayMsMax: 60_000 } });
    await expect(runTarget({ url: server.url }, { models })).rejects.toMatchObject({
      code: 'E_HTTP_CALL',
      retryable: false,
      message: expect.stringContaining('after 2 tries'),
    });
    expect(server.requests).toHaveLength(2);
  });

  test('a server that stays broken is given up after as many tries as a model is', async () => {
    await using server = await startServer((_, response) => sendJson(response, {}, 500));
    const attempt = startAttempt();
    const models = testModels({ retry: { retriesMax: 3 } });
    await expect(runTarget({ url: server.url }, { models, attempt })).rejects.toMatchObject({
      retryable: true,
    });
    expect(server.requests).toHaveLength(4);
    expect(attempt.recorder.exchanges).toEqual([]);
    expect(attempt.meter.totals.failedCalls).toBe(1);
  });

  test('no call begins without money, also for those that waited at the gate', async () => {
    await using server = await startServer((_, response) => sendJson(response, 'ok'));
    const budget = createBudget(1);
    const models = testModels({ budget, concurrency: 1 });
    const pass = await models.gate(`http/${new URL(server.url).host}`).enter();
    const waiting = runTarget({ url: server.url }, { models });
    const refused = expect(waiting).rejects.toMatchObject({ code: 'E_BUDGET_EXHAUSTED' });
    await settle();
    budget.spend(1);
    pass.leave('succeeded');
    await refused;
    expect(server.requests).toHaveLength(0);
  });

  test('any other status is an execution error with the beginning of the body', async () => {
    await using server = await startServer((_, response) =>
      sendJson(response, { oops: 'x'.repeat(5_000) }, 422),
    );
    const attempt = startAttempt();
    const error = await runTarget({ url: server.url }, { attempt }).then(
      undefined,
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({
      code: 'E_HTTP_CALL',
      retryable: false,
      message: expect.stringContaining('status 422'),
    });
    expect((error as Error).message.length).toBeLessThan(2_200);
    expect(attempt.recorder.exchanges).toEqual([]);
    expect(attempt.recorder.events).toMatchObject([
      { event: 'info', data: { error: expect.stringContaining('oops') } },
    ]);
  });

  test('a path that leads nowhere is an execution error', async () => {
    await using server = await startServer((_, response) => sendJson(response, { a: 1 }));
    const run = runTarget({ url: server.url, responsePath: 'b.0' });
    await expect(run).rejects.toMatchObject({
      code: 'E_HTTP_RESPONSE',
      message: expect.stringContaining('"b.0"'),
    });
  });

  test('a server that never answers is left at the time limit', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await startServer(
      (_, response) => void response.on('close', () => closed.resolve()),
    );
    const run = runTarget({ url: server.url }, { limits: { timeMs: 100 } });
    await expect(run).rejects.toMatchObject({ name: 'LimitExceeded', type: 'time' });
    await closed.promise;
  });

  test.each([
    [{ url: 'agent.example.com' }, 'E_HTTP_URL'],
    [{ url: 'file:///etc/passwd' }, 'E_HTTP_URL'],
    [{ url: 'http://x/{{env.AGENT_KEY}}' }, 'E_TEMPLATE_UNKNOWN'],
    [{ url: 'http://x/', body: { a: ['{{env.AGENT_KEY}}'] } }, 'E_TEMPLATE_UNKNOWN'],
    [{ url: 'http://x/', body: '{{target}}' }, 'E_TEMPLATE_UNKNOWN'],
    [{ url: 'http://x/', headers: { a: '{{env.UNSET}}' } }, 'E_TARGET_ENV'],
  ])('%j is refused before any call: %s', async (spec, code) => {
    await expect(runTarget(spec, { models: testModels({ env }) })).rejects.toMatchObject({ code });
  });
});
