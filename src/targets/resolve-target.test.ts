import { expect, test } from 'vitest';
import { runTarget, startAttempt, testModels } from '../../test/sim/target-attempt.ts';
import { nodeDisk } from '../disk/index.ts';
import { defineEval, normalizeEval, type TargetContext, withModel } from '../evals/index.ts';
import { mockModel } from './mock-model.ts';
import { type AnyTargetSpec, resolvePlanned, resolveTarget } from './resolve-target.ts';
import { scoringScope } from './sample-scope.ts';

const resolved = (spec: AnyTargetSpec | undefined, model?: string) =>
  resolveTarget(spec, { models: testModels(), disk: nodeDisk, baseDir: '/', ...(model && { model }) });

test('a model can be named, described, given as an object, or come from the command line', async () => {
  for (const [spec, model] of [
    ['mock/fixed:yes'],
    [{ model: 'mock/fixed:yes' }],
    [mockModel({ name: 'mock/own', answers: ['yes'] })],
    [undefined, 'mock/fixed:yes'],
  ] as const) {
    const { result } = await runTarget(spec, model === undefined ? {} : { model });
    expect(result.output).toBe('yes');
  }
  expect((await resolved(mockModel({ name: 'mock/own' }))).name).toBe('mock/own');
});

test('a model target fills its templates, and takes a conversation as it is', async () => {
  const spec = { model: 'mock/echo', system: 'On {{metadata.topic}}', prompt: 'Q: {{input}}\n{{choices}}' };
  const sample = { input: 'Which?', choices: ['this', 'that'], metadata: { topic: 'cats' } };
  const { result } = await runTarget(spec, { sample });
  expect(result.output).toBe('Q: Which?\nA) this\nB) that');
  expect(result.messages[0]).toMatchObject({ role: 'system', content: 'On cats' });

  const input = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
  ];
  const talk = await runTarget('mock/echo', { sample: { input } });
  expect(talk.result.output).toBe('three');
  expect(talk.result.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
});

test('the key tells targets apart by all that decides their answers', async () => {
  const keys = await Promise.all([
    resolved('mock/echo'),
    resolved({ model: 'mock/echo', temperature: 1 }),
    resolved('mock/fixed:x'),
    resolved(async () => 'a'),
    resolved(async () => 'b', 'mock/echo'),
  ]);
  expect(new Set(keys.map(({ key }) => JSON.stringify(key))).size).toBe(keys.length);
  expect(keys.map(({ name }) => name)).toEqual([
    'mock/echo',
    'mock/echo',
    'mock/fixed:x',
    'none/none',
    'mock/echo',
  ]);
});

test.each([undefined, null])('a function that returns %s is an execution error', async (nothing) => {
  await expect(runTarget(async () => nothing)).rejects.toMatchObject({ code: 'E_TARGET_NO_OUTPUT' });
});

test.each(['', 0, false, [], { a: 1 }])('%j is an output', async (output) => {
  expect((await runTarget(async () => output)).result.output).toEqual(output);
});

test('a function without a model leaves question and answer as its conversation', async () => {
  const { result } = await runTarget(async ({ input }: { input: unknown }) => ({ said: input }) as never);
  expect(result.messages).toMatchObject([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: '{"said":"Hello"}' },
  ]);
});

test('a function that says something else than its model did has that as its last message', async () => {
  const target = async (_: unknown, { generate }: TargetContext) => `${(await generate('x')).text}!`;
  const { result } = await runTarget(target, { model: 'mock/echo' });
  expect(result.messages.map(({ content }) => content)).toEqual(['x', 'x', 'x!']);
  expect(result.modelOutput).toMatchObject({ completion: 'x!', usage: { total_tokens: 2 } });
});

test('a function that throws is an execution error with that very error', async () => {
  const oops = new TypeError('oops');
  await expect(
    runTarget(() => {
      throw oops;
    }),
  ).rejects.toBe(oops);
});

test('a function that never ends is left at the time limit', async () => {
  const run = runTarget(() => new Promise<string>(() => undefined), { limits: { timeMs: 20 } });
  await expect(run).rejects.toMatchObject({ name: 'LimitExceeded', type: 'time' });
});

test('a limit comes through whatever the function wraps it in', async () => {
  const target = async (_: unknown, { generate }: TargetContext) => {
    try {
      return (await generate('x')).text;
    } catch (error) {
      throw new Error('my agent failed', { cause: error });
    }
  };
  const attempt = startAttempt({ limits: { tokens: 1 } });
  const run = runTarget(target, { model: 'mock/echo', attempt, sample: { input: 'a long question' } });
  await expect(run).rejects.toMatchObject({ name: 'LimitExceeded', type: 'token' });
  expect(attempt.scope.conversation.output?.completion).toBe('x');
});

test('notes of a function are info events', async () => {
  const target = async (_: unknown, { info }: TargetContext) => {
    info({ step: 1 }, 'my-agent');
    return 'ok';
  };
  const { attempt } = await runTarget(target);
  expect(attempt.recorder.events).toMatchObject([{ event: 'info', source: 'my-agent', data: { step: 1 } }]);
});

test('scorers are not limited by what the target used, and do not change its conversation', async () => {
  const attempt = startAttempt({ limits: { tokens: 1 } });
  await expect(runTarget('mock/echo', { attempt })).rejects.toMatchObject({ type: 'token' });
  const scope = scoringScope(attempt.scope);
  const models = testModels();
  const model = models.recorded(await models.open('mock/fixed:C'), scope);
  await model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'grade it' }] }] });
  expect(attempt.scope.conversation.output?.completion).toBe('Hello');
});

test.each([
  [undefined, 'E_TARGET_NONE'],
  [{}, 'E_TARGET_UNKNOWN'],
  ['gpt-5', 'E_MODEL_UNKNOWN'],
  [{ model: 'mock/echo', prompt: '{{target}}' }, 'E_TEMPLATE_UNKNOWN'],
])('%j is refused: %s', async (spec, code) => {
  await expect(resolved(spec as AnyTargetSpec)).rejects.toMatchObject({ code });
});

test('a planned eval carries its target: it is resolved from the plan, also with another model', async () => {
  const options = { models: testModels(), disk: nodeDisk, baseDir: '/' };
  const base = { name: 'e', data: [{ input: 'q' }], scorers: [] };
  const nameOf = async (target: object | string | undefined, model?: string) => {
    const planned = normalizeEval(defineEval({ ...base, ...(target !== undefined && { target }) } as never));
    const changed = model === undefined ? planned : withModel(planned, model);
    return (await resolvePlanned(changed.target, { ...options, ...(model && { model }) })).name;
  };
  expect(await nameOf('mock/echo')).toBe('mock/echo');
  expect(await nameOf('mock/echo', 'mock/fixed:x')).toBe('mock/fixed:x');
  expect(await nameOf({ model: 'mock/echo', temperature: 1 }, 'mock/fixed:x')).toBe('mock/fixed:x');
  expect(await nameOf(undefined, 'mock/fixed:x')).toBe('mock/fixed:x');
  expect(await nameOf({ url: 'http://127.0.0.1:1/' }, 'mock/fixed:x')).toBe('http/127.0.0.1:1');
  expect(await nameOf(mockModel({ name: 'mock/own' }), 'mock/fixed:x')).toBe('mock/own');
  await expect(nameOf(undefined)).rejects.toMatchObject({ code: 'E_TARGET_NONE' });
});
