/** The whole way to a provider: a real HTTP server, the real provider package, our retries and records. */
import { expect, test } from 'vitest';
import { chatCompletion } from '../../test/sim/chat-server.ts';
import { sendJson, startServer } from '../../test/sim/http-server.ts';
import { runTarget, startAttempt, testModels } from '../../test/sim/target-attempt.ts';
import type { TargetContext } from '../evals/index.ts';

const KEY = 'sk-test-0123456789';
const env = { OPENAI_COMPATIBLE_API_KEY: KEY };

test('a model on a server of one’s own is asked, counted and replayed', async () => {
  await using server = await startServer((request, response) =>
    sendJson(response, chatCompletion(request, 'Paris')),
  );
  const models = testModels({
    env,
    prices: { 'openai-compatible/llama3': { input: 1, output: 10, cacheRead: 0 } },
  });
  const name = `openai-compatible/llama3@${server.url}/v1`;
  const first = await runTarget(name, { models, sample: { input: 'Capital of France?' } });
  expect(first.result.output).toBe('Paris');
  expect(first.result.modelOutput).toMatchObject({
    model: 'llama3',
    completion: 'Paris',
    usage: {
      input_tokens: 8,
      input_tokens_cache_read: 4,
      output_tokens: 3,
      total_tokens: 15,
      total_cost: 38e-6,
    },
  });
  expect(server.requests).toMatchObject([
    { method: 'POST', path: '/v1/chat/completions', headers: { authorization: `Bearer ${KEY}` } },
  ]);

  const again = await runTarget(name, {
    models,
    sample: { input: 'Capital of France?' },
    earlier: first.attempt.recorder.exchanges,
  });
  expect(again.result).toEqual(first.result);
  expect(server.requests).toHaveLength(1);
});

test('a server that says 429 is asked again when it said, and fewer calls are made at a time', async () => {
  await using server = await startServer((request, response, count) =>
    count === 1
      ? sendJson(response, { error: { message: 'slow down' } }, 429, { 'retry-after-ms': '20' })
      : sendJson(response, chatCompletion(request, 'ok')),
  );
  const models = testModels({
    env,
    baseUrl: `${server.url}/v1`,
    retry: { delayMsFirst: 60_000, delayMsMax: 60_000 },
  });
  const { attempt } = await runTarget('openai-compatible/llama3', { models });
  expect(server.requests).toHaveLength(2);
  expect(attempt.recorder.events).toMatchObject([{ retries: 1 }]);
  expect(models.gates).toMatchObject([{ model: 'openai-compatible/llama3', limit: 5 }]);
});

test('a server that is broken is given up after the retries, and the key is nowhere', async () => {
  await using server = await startServer((_, response) =>
    sendJson(response, { error: { message: `your key ${KEY} is fine, we are not` } }, 500),
  );
  const attempt = startAttempt();
  const models = testModels({ env, retry: { retriesMax: 2 } });
  const run = runTarget(`openai-compatible/llama3@${server.url}/v1`, { models, attempt });
  const error = await run.then(undefined, (reason: Error) => reason);
  expect(error).toMatchObject({ code: 'E_MODEL_CALL', status: 500, retryable: true });
  expect(server.requests).toHaveLength(3);
  const kept = JSON.stringify([attempt.recorder.events, (error as Error).message]);
  expect(kept).toContain('[redacted]');
  expect(kept).not.toContain(KEY);
});

test('a request that the server refuses is not sent again', async () => {
  await using server = await startServer((_, response) =>
    sendJson(response, { error: { message: 'no' } }, 400),
  );
  const models = testModels({ env });
  await expect(runTarget(`openai-compatible/x@${server.url}`, { models })).rejects.toMatchObject({
    status: 400,
  });
  expect(server.requests).toHaveLength(1);
});

test('a server that nobody runs is a network failure, tried again and then said', async () => {
  const server = await startServer(() => undefined);
  await server[Symbol.asyncDispose]();
  const models = testModels({ env, retry: { retriesMax: 1 } });
  await expect(runTarget(`openai-compatible/x@${server.url}`, { models })).rejects.toMatchObject({
    code: 'E_MODEL_CALL',
    retryable: true,
    message: expect.stringContaining('after 2 tries'),
  });
});

test('a slow answer is cut off at the time limit, and the server sees that nobody listens', async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await startServer((_, response) => {
    response.on('close', () => closed.resolve());
  });
  const attempt = startAttempt({ limits: { timeMs: 150 } });
  const run = runTarget(`openai-compatible/x@${server.url}`, { models: testModels({ env }), attempt });
  await expect(run).rejects.toMatchObject({ name: 'LimitExceeded', type: 'time', limit: 0.15 });
  await closed.promise;
  expect(attempt.recorder.exchanges).toEqual([]);
  expect(attempt.recorder.events).toMatchObject([{ error: 'Cancelled by limit' }]);
});

test('a target function can use the model with the AI SDK itself, and it is recorded all the same', async () => {
  await using server = await startServer((request, response) =>
    sendJson(response, chatCompletion(request, 'Paris')),
  );
  const { generateText } = await import('ai');
  const target = async ({ input }: { input: string }, { model }: TargetContext) =>
    (await generateText({ model, prompt: input })).text;
  const { attempt, result } = await runTarget(target as never, {
    models: testModels({ env }),
    model: `openai-compatible/llama3@${server.url}`,
  });
  expect(result.output).toBe('Paris');
  expect(attempt.recorder.exchanges).toHaveLength(1);
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
});
