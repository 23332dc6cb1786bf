import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectInspectEvents } from '../../test/sim/inspect-events.ts';
import { runTarget, startAttempt, testModels } from '../../test/sim/target-attempt.ts';
import type { Generate, GenerateOptions, TargetContext } from '../evals/index.ts';
import { createGenerate } from './generate.ts';
import type { RecordedExchange } from './memory-recorder.ts';
import { type MockModelOptions, mockModel } from './mock-model.ts';
import { pureTool } from './recorded-tools.ts';

const agent: MockModelOptions['respond'] = ({ turn, text }) =>
  turn === 0 ? { toolCalls: [{ toolName: 'look', input: { at: text } }] } : `done after ${turn}`;

function setUp(respond: MockModelOptions['respond'], earlier: readonly RecordedExchange[] = []) {
  const calls: string[] = [];
  const scripted = {
    'mock/agent': mockModel({
      name: 'mock/agent',
      respond: (request) => {
        calls.push(request.text);
        return respond?.(request) ?? '';
      },
    }),
  };
  const models = testModels({ scripted });
  const attempt = startAttempt({ earlier });
  const generate: Generate = async (input) => {
    const model = await models.open('mock/agent');
    return createGenerate({ models, scope: attempt.scope, model })(input);
  };
  return { generate, attempt, calls };
}

const look = (execute: (input: { at: string }) => unknown) => ({
  description: 'looks',
  inputSchema: z.object({ at: z.string() }),
  execute,
});

test('a plain prompt gives text, usage and the messages to go on with', async () => {
  const { generate } = setUp(() => ({ text: 'Paris', reasoning: 'easy' }));
  expect(await generate('Capital of France?')).toMatchObject({
    text: 'Paris',
    reasoningText: 'easy',
    finishReason: 'stop',
    steps: 1,
    usage: { inputTokens: 5, totalTokens: 8 },
    messages: [{ role: 'assistant', content: [{ type: 'reasoning' }, { type: 'text', text: 'Paris' }] }],
  });
});

test('a conversation goes on from the messages of the turn before', async () => {
  const { generate } = setUp(({ text, turn }) => `${turn}: ${text}`);
  const first = await generate('one');
  const messages = [{ role: 'user', content: 'one' }, ...first.messages, { role: 'user', content: 'two' }];
  expect((await generate({ system: 'be brief', messages })).text).toBe('1: two');
});

test('tools are called in steps, each call an event that Inspect can read', async () => {
  const { generate, attempt } = setUp(agent);
  const result = await generate({ prompt: 'x', tools: { look: look(({ at }) => ({ seen: at })) } });
  expect(result).toMatchObject({ text: 'done after 1', steps: 2 });
  expect(result.messages).toHaveLength(3);
  expect(attempt.recorder.events.map(({ event }) => event)).toEqual(['model', 'tool', 'model']);
  expect(attempt.recorder.events[1]).toMatchObject({
    function: 'look',
    arguments: { at: 'x' },
    result: '{"seen":"x"}',
  });
  expectInspectEvents(attempt.recorder.events);
});

test('only the results of tools declared pure are replayed', async () => {
  let looks = 0;
  const execute = ({ at }: { at: string }) => {
    looks++;
    return at;
  };
  for (const [tool, expected] of [
    [look(execute), 2],
    [pureTool(look(execute)), 1],
  ] as const) {
    looks = 0;
    const first = setUp(agent);
    const live = await first.generate({ prompt: 'x', tools: { look: tool } });
    const second = setUp(agent, first.attempt.recorder.exchanges);
    const again = await second.generate({ prompt: 'x', tools: { look: tool } });
    expect(again).toEqual(live);
    expect(second.calls).toEqual([]);
    expect(looks).toBe(expected);
  }
});

test('a tool that gives another result than before makes the next request a new one', async () => {
  let looks = 0;
  const tools = { look: look(() => ++looks) };
  const first = setUp(agent);
  await first.generate({ prompt: 'x', tools });
  const second = setUp(agent, first.attempt.recorder.exchanges);
  await second.generate({ prompt: 'x', tools });
  expect(second.calls).toHaveLength(1);
});

test('an error of a tool is an event and an answer to the model, not a crash', async () => {
  const { generate, attempt } = setUp(agent);
  const tools = {
    look: pureTool(
      look(() => {
        throw new Error('dark here');
      }),
    ),
  };
  expect((await generate({ prompt: 'x', tools })).text).toBe('done after 1');
  expect(attempt.recorder.events[1]).toMatchObject({
    event: 'tool',
    error: { type: 'unknown', message: 'dark here' },
  });
});

test('a tool may yield; its last result counts', async () => {
  const { generate, attempt } = setUp(agent);
  async function* execute() {
    yield 'a';
    yield 'b';
  }
  await generate({ prompt: 'x', tools: { look: look(execute) } });
  expect(attempt.recorder.events[1]).toMatchObject({ result: 'b' });
});

test('the number of steps is limited', async () => {
  const { generate } = setUp(({ turn }) => ({
    toolCalls: [{ toolName: 'look', input: { at: String(turn) } }],
  }));
  expect((await generate({ prompt: 'x', maxSteps: 3, tools: { look: look(() => 'go on') } })).steps).toBe(3);
});

test.each([
  ['Zod', z.object({ n: z.number() })],
  ['JSON Schema', { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }],
])('an answer is parsed with a %s schema', async (_, schema) => {
  const { generate } = setUp(() => '{"n": 4}');
  expect((await generate({ prompt: 'x', schema } as GenerateOptions)).object).toEqual({ n: 4 });
});

test('another model can be asked by name, and is recorded too', async () => {
  const { generate, attempt } = setUp(() => 'mine');
  expect((await generate({ model: 'mock/fixed:other', prompt: 'x' })).text).toBe('other');
  expect(attempt.recorder.events).toMatchObject([{ model: 'mock/fixed:other' }]);
});

test('without a model it says how to name one', async () => {
  const use = async (_: unknown, { generate }: TargetContext) => (await generate('x')).text;
  await expect(runTarget(use)).rejects.toMatchObject({ code: 'E_MODEL_NONE' });
  const useModel = async (_: unknown, { model }: TargetContext) => model.doGenerate({ prompt: [] });
  await expect(runTarget(useModel)).rejects.toMatchObject({ code: 'E_MODEL_NONE' });
});

test('a limit that a tool swallows still ends the sample at the next call', async () => {
  const models = testModels({ scripted: { 'mock/agent': mockModel({ respond: agent }) } });
  const target = async (_: unknown, { generate }: TargetContext) => {
    const tools = { look: look(() => generate('nested').then(({ text }) => text)) };
    return (await generate({ prompt: 'x', tools })).text;
  };
  await expect(
    runTarget(target, { models, model: 'mock/agent', limits: { turns: 1 } }),
  ).rejects.toMatchObject({
    name: 'LimitExceeded',
    type: 'turn',
  });
});

test('a journal that fails while a tool is recorded ends the sample, and is not told to the model', async () => {
  const { generate, attempt, calls } = setUp(agent);
  const full = new Error('disk full');
  const { record } = attempt.scope.recorder;
  Object.assign(attempt.scope.recorder, {
    record: (...args: Parameters<typeof record>) =>
      args[0].kind === 'tool' ? Promise.reject(full) : record(...args),
  });
  await expect(generate({ prompt: 'x', tools: { look: pureTool(look(() => 'seen')) } })).rejects.toBe(full);
  expect(calls).toHaveLength(1);
});
