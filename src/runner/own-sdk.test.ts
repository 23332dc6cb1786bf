/** Targets and scorers that pay with an SDK of their own, over whole runs; a server counts what it answered. */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHarness, type Harness } from '../../test/run-harness.ts';
import { chatCompletion } from '../../test/sim/chat-server.ts';
import { sendJson, startServer } from '../../test/sim/http-server.ts';
import { defineEval, includes, scorer } from '../evals/index.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const data = ['a', 'b', 'c'].map((id) => ({ id, input: id, target: 'answer' }));
const sdk = (url: string, fetch: typeof globalThis.fetch) =>
  createOpenAI({ apiKey: 'k', baseURL: `${url}/v1`, fetch }).chat('m');

test('an own SDK that is interrupted and edited buys only what is new', async () => {
  const abort = new AbortController();
  await using server = await startServer((request, response) => {
    if (request.body.includes('second') && !abort.signal.aborted) return;
    const prompt = JSON.parse(request.body).messages[0].content;
    sendJson(response, chatCompletion(request, `answer to ${prompt}`));
  });
  const definition = (version: number, second: string) =>
    defineEval({
      name: 'own-sdk',
      version,
      data,
      target: async ({ input }, { fetch }) => {
        const model = sdk(server.url, fetch);
        const first = await generateText({ model, prompt: `first ${input}` });
        return `${first.text}, ${(await generateText({ model, prompt: `${second} ${input}` })).text}`;
      },
      scorers: [includes()],
    });
  const interrupted = harness.run(definition(1, 'second'), {
    signals: { drain: new AbortController().signal, abort: abort.signal },
  });
  await expect.poll(() => server.requests.filter(({ body }) => body.includes('second')).length).toBe(3);
  abort.abort();
  expect((await interrupted).account.state).toBe('interrupted');
  expect(server.requests).toHaveLength(6);

  await harness.run(definition(1, 'second'));
  expect(server.requests).toHaveLength(9);
  const { account } = await harness.run(definition(2, 'third'));
  expect(server.requests).toHaveLength(12);
  expect(server.requests.slice(9).every(({ body }) => body.includes('third'))).toBe(true);
  const samples = await harness.samples(account.log);
  expect(samples.map(({ output }) => output?.completion)).toEqual(
    ['a', 'b', 'c'].map((id) => `answer to first ${id}, answer to third ${id}`),
  );
  expect(samples[0]?.metadata?.holdfast).toMatchObject({ made: { how: 'replayed', bought: 1, replayed: 1 } });
});

test('a scorer has the same: its own calls are recorded, and not bought again by an edit', async () => {
  await using server = await startServer((request, response) =>
    sendJson(response, chatCompletion(request, 'yes')),
  );
  let searches = 0;
  const definition = (version: number) =>
    defineEval({
      name: 'own-grader',
      data,
      target: ({ input }) => input,
      scorers: [
        scorer(
          'grader',
          async ({ input, fetch, record }) => {
            const found = await record('search', input, () => ++searches);
            const { text } = await generateText({ model: sdk(server.url, fetch), prompt: `${input}?` });
            return found > 0 && text === 'yes' && version > 0;
          },
          { metrics: version === 1 ? ['mean'] : ['accuracy'] },
        ),
      ],
      version,
    });
  await harness.run(definition(1));
  const { account } = await harness.run(definition(2));
  expect(server.requests).toHaveLength(3);
  expect(searches).toBe(3);
  expect((await harness.samples(account.log)).map(({ scores }) => scores?.grader?.value)).toEqual([
    true,
    true,
    true,
  ]);
});
