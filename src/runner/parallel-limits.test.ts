/** A sample whose calls are made at the same time, over an interruption; a server counts what it answered. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHarness, type Harness, type HarnessOptions } from '../../test/run-harness.ts';
import { chatCompletion } from '../../test/sim/chat-server.ts';
import { sendJson, startServer } from '../../test/sim/http-server.ts';
import { defineEval, includes } from '../evals/index.ts';
import { createModels } from '../targets/index.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

test('ten calls at once, interrupted and resumed, end at the turn limit with five, each bought once', async () => {
  const abort = new AbortController();
  const answered: string[] = [];
  await using server = await startServer((request, response) => {
    const question = /Question \d/.exec(request.body)?.[0] ?? '';
    // Before the interruption only two of the five that are let through are answered.
    if (!abort.signal.aborted && !['Question 1', 'Question 3'].includes(question)) return;
    answered.push(question);
    sendJson(response, chatCompletion(request, question));
  });
  const definition = defineEval({
    name: 'at-once',
    data: [{ id: 'a', input: 'x', target: 'x' }],
    limits: { turns: 5 },
    target: async (_, { generate }) => {
      const model = `openai-compatible/m@${server.url}`;
      const all = Array.from({ length: 10 }, (_unused, n) => generate({ prompt: `Question ${n}`, model }));
      return (await Promise.all(all)).map(({ text }) => text).join();
    },
    scorers: [includes()],
  });
  const run = (more: HarnessOptions = {}) =>
    harness.run(definition, { models: createModels({ env: {}, concurrency: 20 }), ...more });
  const interrupted = run({ signals: { drain: new AbortController().signal, abort: abort.signal } });
  await expect.poll(() => server.requests.length).toBe(5);
  await expect.poll(() => answered.length).toBe(2);
  abort.abort();
  expect((await interrupted).account.state).toBe('interrupted');

  const { account } = await run();
  expect(answered.toSorted()).toEqual([0, 1, 2, 3, 4].map((n) => `Question ${n}`));
  const [sample] = await harness.samples(account.log);
  expect(sample).toMatchObject({ limit: { type: 'turn', limit: 5 }, turn_count: 5 });
  expect(account.answers).toMatchObject({ bought: 3, replayed: 2 });
});

test.each([
  ['generate', 'the model of the context'],
  ['fetch', 'an SDK of one’s own'],
])(
  'ten calls at once through %s, under a token limit that the first meets: what was served is kept, and not bought again',
  async (way) => {
    const answered: string[] = [];
    await using server = await startServer(async (request, response) => {
      const question = /Question \d/.exec(request.body)?.[0] ?? '';
      answered.push(question);
      // The first is quick; the others are served, and on their way, when it meets the limit.
      if (question !== 'Question 0') await sleep(150);
      sendJson(response, chatCompletion(request, question));
    });
    const definition = (tokens: number) =>
      defineEval({
        name: 'at-once',
        data: [{ id: 'a', input: 'x', target: 'x' }],
        limits: { tokens },
        target: async (_, { generate, fetch }) => {
          const ask = async (n: number) => {
            if (way === 'generate')
              return (await generate({ prompt: `Question ${n}`, model: `openai-compatible/m@${server.url}` }))
                .text;
            const body = JSON.stringify({
              model: 'm',
              messages: [{ role: 'user', content: `Question ${n}` }],
            });
            const sent = await fetch(`${server.url}/chat/completions`, {
              method: 'POST',
              body,
              headers: { 'content-type': 'application/json' },
            });
            return await sent.text();
          };
          return (await Promise.all(Array.from({ length: 10 }, (_unused, n) => ask(n)))).length;
        },
        scorers: [() => 1],
      });
    const run = (tokens: number) =>
      harness.run(definition(tokens), { models: createModels({ env: {}, concurrency: 20 }) });
    const first = await run(1);
    expect((await harness.samples(first.account.log))[0]?.limit).toMatchObject({ type: 'token', limit: 1 });
    const served = answered.length;
    const wide = await run(1_000_000);
    expect((await harness.samples(wide.account.log))[0]?.limit).toBeUndefined();
    expect(served).toBeGreaterThan(1);
    expect(answered.toSorted()).toEqual(Array.from({ length: 10 }, (_, n) => `Question ${n}`));
  },
);
