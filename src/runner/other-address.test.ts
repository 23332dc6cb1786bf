/** Two servers behind one name: what one answered is never taken for an answer of the other. Each counts what it was asked. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHarness, type Harness, type HarnessOptions } from '../../test/run-harness.ts';
import { chatCompletion } from '../../test/sim/chat-server.ts';
import { sendJson, startServer, type TestServer } from '../../test/sim/http-server.ts';
import { type EvalDefinition, includes, modelGraded } from '../evals/index.ts';
import { createModels, type LanguageModel } from '../targets/index.ts';

let harness: Harness;
let one: TestServer;
let two: TestServer;
beforeEach(async () => {
  harness = await createHarness();
  [one, two] = [await startNamed('one'), await startNamed('two')];
});
afterEach(async () => {
  await one[Symbol.asyncDispose]();
  await two[Symbol.asyncDispose]();
  await harness.close();
});

function startNamed(name: string): Promise<TestServer> {
  return startServer((request, response) => {
    if (!request.body.includes('HANG') || name === 'two')
      sendJson(response, chatCompletion(request, `${name} GRADE: C`));
  });
}

const data = ['a', 'b'].map((id) => ({ id, input: `Question ${id}`, target: 'x' }));
const objectAt = ({ url }: TestServer): LanguageModel =>
  createOpenAICompatible({ name: 'own', baseURL: `${url}/v1` })('m');

type Definition = EvalDefinition<unknown, unknown, unknown>;
type Case = (server: TestServer) => { readonly definition: Definition; readonly env?: object };

const base = { name: 'addresses', data, scorers: [includes()] };
const NAMED = 'openai-compatible/m';
const CASES: Readonly<Record<string, Case>> = {
  'a model by name, with its address in a variable': ({ url }) => ({
    definition: { ...base, target: NAMED },
    env: { OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` },
  }),
  'a function that names its model, with its address in a variable': ({ url }) => ({
    definition: {
      ...base,
      target: async ({ input }, { generate }) =>
        (await generate({ prompt: String(input), model: NAMED })).text,
    },
    env: { OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` },
  }),
  'a model object as the target': (server) => ({ definition: { ...base, target: objectAt(server) } }),
  'a model of the `models:` map': (server) => ({
    definition: { ...base, target: 'my/model', models: { 'my/model': objectAt(server) } },
  }),
  'a model of the map, asked by a function': (server) => ({
    definition: {
      ...base,
      target: async ({ input }, { generate }) =>
        (await generate({ prompt: String(input), model: 'my/model' })).text,
      models: { 'my/model': objectAt(server) },
    },
  }),
};

function runAt(server: TestServer, make: Case, more: HarnessOptions = {}) {
  const { definition, env = {} } = make(server);
  const models = createModels({
    env: env as Readonly<Record<string, string>>,
    concurrency: 4,
    retry: { retriesMax: 0 },
    ...(definition.models ? { scripted: definition.models as Record<string, LanguageModel> } : {}),
  });
  return harness.run(definition, { models, ...more });
}

test.each(Object.entries(CASES))('%s: nothing of the other server is reused', async (_, make) => {
  const first = await runAt(one, make);
  expect([one.requests.length, two.requests.length]).toEqual([2, 0]);
  const second = await runAt(two, make);
  expect([one.requests.length, two.requests.length]).toEqual([2, 2]);
  const outputs = async (log: string | undefined) =>
    (await harness.samples(log)).map(({ output }) => output?.completion);
  expect(await outputs(first.account.log)).toEqual(['one GRADE: C', 'one GRADE: C']);
  expect(await outputs(second.account.log)).toEqual(['two GRADE: C', 'two GRADE: C']);
  await runAt(one, make);
  expect([one.requests.length, two.requests.length]).toEqual([2, 2]);
});

test.each(Object.entries(CASES).filter(([name]) => name.includes('function')))(
  '%s: a sample that is resumed elsewhere mixes nothing',
  async (_, make) => {
    const twoTurns: Case = (server) => {
      const made = make(server);
      const model = made.definition.models ? 'my/model' : NAMED;
      const target: Definition['target'] = async (sample, { generate }) => {
        const first = (await generate({ prompt: `first ${sample.input}`, model })).text;
        return `${first}, ${(await generate({ prompt: 'HANG', model })).text}`;
      };
      return { ...made, definition: { ...made.definition, target } };
    };
    const abort = new AbortController();
    const interrupted = runAt(one, twoTurns, {
      signals: { drain: new AbortController().signal, abort: abort.signal },
    });
    await expect.poll(() => one.requests.filter(({ body }) => body.includes('HANG')).length).toBe(2);
    abort.abort();
    expect((await interrupted).account.state).toBe('interrupted');
    const { account } = await runAt(two, twoTurns);
    expect(two.requests).toHaveLength(4);
    for (const { output } of await harness.samples(account.log))
      expect(output?.completion).toBe('two GRADE: C, two GRADE: C');
  },
);

test('a grader at another address is asked anew, about outputs that are kept', async () => {
  const make: Case = ({ url }) => ({
    definition: { ...base, target: 'mock/echo', scorers: [modelGraded({ model: NAMED })] },
    env: { OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` },
  });
  await runAt(one, make);
  await runAt(two, make);
  expect([one.requests.length, two.requests.length]).toEqual([2, 2]);
});

test.each<readonly [string, (name: string) => Definition]>([
  ['the target', (name) => ({ ...base, target: name })],
  [
    'asked by a function',
    (name) => ({
      ...base,
      version: name, // Its code is another.
      target: async ({ input }, { generate }) =>
        (await generate({ prompt: String(input), model: name })).text,
    }),
  ],
])(
  'a model is bought from once, whether its address stands in a variable or in its name: %s',
  async (_, of) => {
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${one.url}/v1` };
    await runAt(one, () => ({ definition: of(NAMED), env }));
    expect(one.requests).toHaveLength(2);
    await runAt(one, () => ({ definition: of(`${NAMED}@${one.url}/v1`) }));
    expect(one.requests).toHaveLength(2);
  },
);

test.each<readonly [string, (model: LanguageModel) => Definition]>([
  ['as the target', (model) => ({ ...base, target: model })],
  ['of the `models:` map', (model) => ({ ...base, target: 'my/model', models: { 'my/model': model } })],
])('a model object that sends other headers is another, %s', async (_, of) => {
  const sending = (tier: string, apiKey: string) =>
    createOpenAICompatible({
      ...{ name: 'own', baseURL: `${one.url}/v1`, apiKey },
      headers: { 'x-tier': tier, 'api-key': apiKey },
    })('m');
  const run = (tier: string, apiKey: string) => runAt(one, () => ({ definition: of(sending(tier, apiKey)) }));
  await run('silver', 'k1');
  expect(one.requests).toHaveLength(2);
  await run('gold', 'k1');
  expect(one.requests).toHaveLength(4);
  await run('gold', 'k2');
  expect(one.requests).toHaveLength(4);
});

test('a setting that reaches an endpoint from the environment counts, a key does not', async () => {
  const headers = {
    'x-variant': '{{env.VARIANT}}',
    'x-who': 'of {{env.AGENT_KEY}}',
    authorization: 'Bearer {{env.WHO}}',
  };
  const definition = { ...base, target: { url: one.url, headers } };
  const run = (env: Readonly<Record<string, string>>) => {
    const all = { VARIANT: 'small', AGENT_KEY: 'k1', WHO: 'v1', ...env };
    return harness.run(definition, { models: createModels({ env: all, concurrency: 4 }) });
  };
  await run({});
  await run({ AGENT_KEY: 'k2', WHO: 'v2' });
  expect(one.requests).toHaveLength(2);
  await run({ VARIANT: 'large' });
  expect(one.requests.map(({ headers }) => headers['x-variant'])).toEqual([
    'small',
    'small',
    'large',
    'large',
  ]);
  await run({});
  expect(one.requests).toHaveLength(4);
});
