import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { expectInspectEvents } from '../../test/sim/inspect-events.ts';
import { manualClock, settle } from '../../test/sim/manual-clock.ts';
import {
  type Attempt,
  type AttemptOptions,
  startAttempt,
  testModels,
} from '../../test/sim/target-attempt.ts';
import { createBudget } from './budget.ts';
import type { LanguageModel, ModelAnswer, ModelRequest } from './language-model.ts';
import { LimitExceeded } from './limit-exceeded.ts';
import type { RecordedExchange } from './memory-recorder.ts';
import { type MockModelOptions, mockModel } from './mock-model.ts';
import { ModelCallError } from './recorded-model.ts';

const ask = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
  ...more,
});

/** A recorded model, and how often the model behind it was really called. */
function recorded(
  mock: MockModelOptions | LanguageModel,
  options: AttemptOptions & { attempt?: Attempt } = {},
) {
  const inner = 'doGenerate' in mock ? mock : mockModel({ name: 'mock/m', ...mock });
  let calls = 0;
  const counted: LanguageModel = {
    ...inner,
    doGenerate: (request) => {
      calls++;
      return inner.doGenerate(request);
    },
  };
  const attempt = options.attempt ?? startAttempt(options);
  const models = testModels({
    scripted: { 'mock/m': counted },
    ...(options.clock && { clock: options.clock }),
  });
  const model = models.recorded(
    { name: 'mock/m', knownAs: 'mock/m', model: counted, settings: null },
    attempt.scope,
  );
  return { model, models, attempt, calls: () => calls };
}

const replay = (attempt: Attempt): RecordedExchange[] =>
  // Through JSON text, as the journal keeps it.
  attempt.recorder.exchanges.map((exchange) => JSON.parse(JSON.stringify(exchange)));

test('an answer is recorded before it is seen', async () => {
  const { model, attempt } = recorded({ answers: ['hello'] });
  let isDurable = false;
  const record = attempt.scope.recorder.record;
  Object.assign(attempt.scope.recorder, {
    record: async (...args: Parameters<typeof record>) => {
      await settle();
      await record(...args);
      isDurable = true;
    },
  });
  await model.doGenerate(ask('x'));
  expect(isDurable).toBe(true);
});

test('[REP-2] what is seen live is what a replay gives, down to the kinds of its objects', async () => {
  class Odd {
    readonly [key: string]: number | undefined;
    readonly kept = 1;
    readonly lost = undefined;
  }
  const answer: ModelAnswer = {
    content: [{ type: 'text', text: 'x', providerMetadata: { odd: new Odd() } }],
    finishReason: { unified: 'stop', raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: undefined, reasoning: undefined },
    },
    warnings: [],
  };
  const inner = { ...mockModel({ name: 'mock/m', answers: [''] }), doGenerate: async () => answer };
  const first = recorded(inner);
  const live = await first.model.doGenerate(ask('x'));
  const second = recorded(inner, { earlier: replay(first.attempt) });
  expect(live).toStrictEqual(await second.model.doGenerate(ask('x')));
  expect(second.calls()).toBe(0);
});

test('input that came from a cache or went into it is counted once, also where nobody says what is left', async () => {
  const inputTokens = { total: 10, noCache: undefined, cacheRead: 6, cacheWrite: 1 };
  const answer: ModelAnswer = {
    content: [{ type: 'text', text: 'x' }],
    finishReason: { unified: 'stop', raw: undefined },
    usage: { inputTokens, outputTokens: { total: 2, text: undefined, reasoning: undefined } },
    warnings: [],
  };
  const { model, attempt } = recorded({ ...mockModel({}), doGenerate: async () => answer });
  await model.doGenerate(ask('x'));
  expect(attempt.meter.usageByModel()['mock/m']).toMatchObject({ input_tokens: 3, total_tokens: 12 });
});

test('[REP-1] a recorded answer is given again, exactly and without a call', async () => {
  const answer: ModelAnswer = {
    content: [
      { type: 'reasoning', text: 'hm', providerMetadata: { x: { signature: 's\ud800' } } },
      { type: 'text', text: 'see', providerMetadata: { x: { n: 1 } } },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([0, 255, 1]) } },
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a') } },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
    ],
    finishReason: { unified: 'stop', raw: 'end_turn' },
    usage: {
      inputTokens: { total: 10, noCache: 4, cacheRead: 5, cacheWrite: 1 },
      outputTokens: { total: 7, text: 5, reasoning: 2 },
    },
    providerMetadata: { x: { deep: [1, { a: null }] } },
    response: {
      id: 'r1',
      timestamp: new Date(1_234_567),
      modelId: 'real-model',
      headers: { 'set-cookie': 'secret' },
    },
    request: { body: { prompt: 'everything again' } },
    warnings: [{ type: 'other', message: 'careful' }],
  };
  const inner: LanguageModel = { ...mockModel({}), doGenerate: async () => answer };
  const first = recorded(inner);
  const live = await first.model.doGenerate(ask('x'));
  const second = recorded(inner, { earlier: replay(first.attempt) });
  const again = await second.model.doGenerate(ask('x'));

  const { request: _, response, ...kept } = answer;
  expect(live).toStrictEqual({
    ...kept,
    response: { id: 'r1', timestamp: response?.timestamp, modelId: 'real-model' },
  });
  expect(again).toStrictEqual(live);
  expect([first.calls(), second.calls()]).toEqual([1, 0]);
  expect(second.attempt.recorder.events[0]?.metadata).toMatchObject({ holdfast: { replayed: true } });
  expect(second.attempt.meter.usageByModel()).toEqual(first.attempt.meter.usageByModel());
  expect(second.attempt.meter.totals).toMatchObject({ spentUsd: 0, replayedCalls: 1 });
});

test('[REP-1] whatever could change the answer makes another request; headers and signals do not', async () => {
  const { attempt, model } = recorded({ respond: ({ text }) => text });
  const changes: Partial<ModelRequest>[] = [
    {},
    { temperature: 0 },
    { temperature: 1 },
    { seed: 1 },
    { maxOutputTokens: 5 },
    { topP: 0.5 },
    { stopSequences: ['x'] },
    { providerOptions: { openai: { effort: 'low' } } },
    { responseFormat: { type: 'json' } },
    { reasoning: 'high' },
    { tools: [{ type: 'function', name: 'f', inputSchema: { type: 'object' } }] },
    { prompt: [{ role: 'user', content: [{ type: 'text', text: 'y' }] }] },
    {
      prompt: [
        {
          role: 'user',
          content: [
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1]) } },
          ],
        },
      ],
    },
    {
      prompt: [
        {
          role: 'user',
          content: [
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([2]) } },
          ],
        },
      ],
    },
  ];
  for (const change of changes) await model.doGenerate(ask('x', change));
  const digests = attempt.recorder.exchanges.map(({ request }) => request.digest);
  expect(new Set(digests).size).toBe(changes.length);

  await model.doGenerate(ask('x', { headers: { a: 'b' }, abortSignal: new AbortController().signal }));
  expect(attempt.recorder.exchanges.at(-1)?.request.digest).toBe(digests[0]);
});

test('[REP-1] after any recorded prefix a re-run gives the same transcript and asks only for the rest', async () => {
  const question = fc.constantFrom('a', 'b', 'c');
  const plan = fc.array(fc.array(question, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
  const respond: MockModelOptions['respond'] = ({ text }) => `${text}!`;
  // Waves of calls at once, one wave after the other: every order in which answers can come back.
  const runAll = async (model: LanguageModel, waves: readonly (readonly string[])[]) => {
    const seen: string[] = [];
    for (const wave of waves) {
      const answers = await Promise.all(wave.map((text) => model.doGenerate(ask(text))));
      seen.push(...answers.map(({ content }) => (content[0]?.type === 'text' ? content[0].text : '')));
    }
    return seen;
  };
  await fc.assert(
    fc.asyncProperty(plan, fc.nat(), async (waves, cut) => {
      const whole = recorded({ respond });
      const transcript = await runAll(whole.model, waves);
      const exchanges = replay(whole.attempt);
      const prefix = exchanges.slice(0, cut % (exchanges.length + 1));
      const again = recorded({ respond }, { earlier: prefix });
      expect(await runAll(again.model, waves)).toEqual(transcript);
      expect(again.calls()).toBe(exchanges.length - prefix.length);
      expect(again.attempt.recorder.events).toHaveLength(exchanges.length);
    }),
    { numRuns: 60 },
  );
});

describe('what fails', () => {
  test('[REP-3] a call that fails for good records no answer, but an event that says so', async () => {
    const { model, attempt } = recorded({ failures: [{ status: 401, message: 'no such key' }] });
    const error = await model.doGenerate(ask('x')).then(undefined, (reason: unknown) => reason);
    expect(error).toBeInstanceOf(ModelCallError);
    expect(error).toMatchObject({ code: 'E_MODEL_CALL', status: 401, retryable: false });
    expect(attempt.recorder.exchanges).toEqual([]);
    expect(attempt.recorder.events).toMatchObject([
      { event: 'model', error: 'no such key', output: { choices: [] } },
    ]);
  });

  test('a busy provider is asked again, and the event counts the retries', async () => {
    const { model, attempt, models, calls } = recorded({
      answers: ['ok'],
      failures: [{ status: 429, headers: { 'retry-after-ms': '1' } }, { status: 500 }],
    });
    await model.doGenerate(ask('x'));
    expect(calls()).toBe(3);
    expect(attempt.recorder.events).toMatchObject([{ retries: 2 }]);
    expect(models.gate('mock/m').history).toMatchObject([
      { old_limit: 10, new_limit: 5, reason: 'rate_limit' },
    ]);
  });

  test('[REP-3] an abort during a live call ends it at once and records no answer', async () => {
    const stop = new AbortController();
    const never: LanguageModel = { ...mockModel({}), doGenerate: () => new Promise(() => undefined) };
    const { model, attempt } = recorded(never, { signal: stop.signal });
    const call = model.doGenerate(ask('x'));
    await settle();
    stop.abort(new Error('stopped by hand'));
    await expect(call).rejects.toThrow('stopped by hand');
    expect(attempt.recorder.exchanges).toEqual([]);
    expect(attempt.recorder.events).toMatchObject([{ event: 'model', error: 'Cancelled by operator' }]);
  });

  test('a limit that is reached while waiting for a retry ends the wait', async () => {
    const clock = manualClock();
    const { model, attempt } = recorded(
      { failures: [{ status: 429, headers: { 'retry-after': '600' } }], clock },
      { limits: { timeMs: 1_000 }, clock },
    );
    const call = model.doGenerate(ask('x'));
    const outcome = expect(call).rejects.toBeInstanceOf(LimitExceeded);
    await clock.advance(1_000);
    await outcome;
    expect(attempt.recorder.events).toMatchObject([{ error: 'Cancelled by limit' }]);
    expect(attempt.meter.workingMs()).toBe(0);
  });

  test('an answer that goes beyond a limit is kept before the limit is told, also when replayed', async () => {
    const first = recorded({ answers: ['a long answer'] }, { limits: { tokens: 1 } });
    await expect(first.model.doGenerate(ask('x'))).rejects.toBeInstanceOf(LimitExceeded);
    expect(first.attempt.recorder.exchanges).toHaveLength(1);
    const second = recorded({}, { limits: { tokens: 1 }, earlier: replay(first.attempt) });
    await expect(second.model.doGenerate(ask('x'))).rejects.toBeInstanceOf(LimitExceeded);
    expect(second.calls()).toBe(0);
  });

  test('no secret is left in events and errors', async () => {
    const attempt = startAttempt();
    const inner = mockModel({ failures: [{ status: 400, message: 'bad key sk-very-secret-1 given' }] });
    const models = testModels({ budget: createBudget() });
    models.addSecret('sk-very-secret-1');
    const model = models.recorded(
      { name: 'mock/m', knownAs: 'mock/m', model: inner, settings: null },
      attempt.scope,
    );
    await expect(model.doGenerate(ask('x'))).rejects.toThrow('bad key [redacted] given');
    expect(JSON.stringify(attempt.recorder.events)).not.toContain('very-secret');
  });
});

describe('through the AI SDK', () => {
  test('streams, objects and several steps work, and are replayed', async () => {
    const { generateObject, streamText, generateText, tool, isStepCount } = await import('ai');
    globalThis.AI_SDK_LOG_WARNINGS = false;
    const respond: MockModelOptions['respond'] = ({ text, turn }) => {
      if (text === 'object') return '{"n": 4}';
      if (text === 'steps' && turn === 0) return { toolCalls: [{ toolName: 'double', input: { n: 2 } }] };
      return `re: ${text}`;
    };
    const runAll = async (model: LanguageModel) => {
      const stream = streamText({ model, prompt: 'stream' });
      const object = await generateObject({ model, prompt: 'object', schema: z.object({ n: z.number() }) });
      const steps = await generateText({
        model,
        prompt: 'steps',
        stopWhen: isStepCount(5),
        tools: {
          double: tool({ inputSchema: z.object({ n: z.number() }), execute: ({ n }) => n * 2 }),
        },
      });
      return [await stream.text, object.object, steps.text, steps.steps.length];
    };
    const first = recorded({ respond });
    const expected = ['re: stream', { n: 4 }, 're: steps', 2];
    expect(await runAll(first.model)).toEqual(expected);
    const second = recorded({ respond }, { earlier: replay(first.attempt) });
    expect(await runAll(second.model)).toEqual(expected);
    expect([first.calls(), second.calls()]).toEqual([4, 0]);
  });
});

test('every event is one that Inspect can read', async () => {
  const { model, attempt } = recorded({
    respond: ({ turn }) =>
      turn === 0 ? { reasoning: 'hm', toolCalls: [{ toolName: 'f', input: '{broken' }] } : { text: 'ok' },
  });
  const tools: ModelRequest['tools'] = [
    {
      type: 'function',
      name: 'f',
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: ['string', 'null'] },
          b: { oneOf: [{ type: 'number' }, { $ref: '#/x' }] },
        },
      },
    },
  ];
  await model.doGenerate(
    ask('x', { tools, temperature: 1, reasoning: 'max', toolChoice: { type: 'required' } }),
  );
  await model.doGenerate({
    prompt: [
      { role: 'system', content: 'be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1]) } },
          {
            type: 'file',
            mediaType: 'application/pdf',
            filename: 'a.pdf',
            data: { type: 'data', data: 'AA==' },
          },
          { type: 'file', mediaType: 'audio/wav', data: { type: 'data', data: 'AA==' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { a: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c',
            toolName: 'f',
            output: { type: 'error-text', value: 'broke' },
          },
          {
            type: 'tool-result',
            toolCallId: 'd',
            toolName: 'f',
            output: { type: 'json', value: { n: 1 } },
          },
        ],
      },
    ],
  });
  expectInspectEvents(attempt.recorder.events);
});
