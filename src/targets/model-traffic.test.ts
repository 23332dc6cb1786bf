/** What is read in the exchanges of an own SDK: streams, and bills. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { streamText } from 'ai';
import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../../test/sim/http-server.ts';
import { ask, begin, chat, type Fetch, KEY } from '../../test/sim/own-sdk.ts';
import { testModels } from '../../test/sim/target-attempt.ts';

describe('streams and bills', () => {
  const events = (...data: object[]) => data.map((item) => `data: ${JSON.stringify(item)}\n\n`).join('');
  const PIECES = ['Par', 'is'].map((content) => ({ choices: [{ index: 0, delta: { content } }] }));
  const BILL = { choices: [], usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 } };
  const stream = `${events(...PIECES, BILL)}data: [DONE]\n\n`;
  const streaming = (text: string) =>
    startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(text);
    });

  test('a stream is recorded whole, then streamed, live and replayed', async () => {
    await using server = await streaming(stream);
    const first = begin();
    const say = async (fetch: Fetch) =>
      await streamText({ model: chat(fetch, server), prompt: 'Hello' }).text;
    expect(await say(first.fetch)).toBe('Paris');
    expect(first.attempt.meter.totals).toMatchObject({ tokens: 15, turns: 1 });
    const again = begin({ earlier: first.attempt.recorder.exchanges });
    expect(await say(again.fetch)).toBe('Paris');
    expect(server.requests).toHaveLength(1);
  });

  test('[RED-3] what is to be redacted is found over the pieces of a stream, and nobody sees it', async () => {
    await using server = await streaming(stream);
    const { attempt, fetch } = begin({ models: testModels({ redact: [/Paris/g] }) });
    const body = await (await fetch(server.url, { method: 'POST', body: '{}' })).text();
    expect(body).toContain('[redacted]');
    expect(body).toContain('data: [DONE]');
    expect(JSON.stringify(attempt.recorder.exchanges)).not.toMatch(/Par|"is"/);
  });

  const anthropic = { input_tokens: 8, cache_read_input_tokens: 4, output_tokens: 1 };
  const cases: Readonly<Record<string, readonly [string, string, object, object?]>> = {
    'OpenAI responses': [
      '/v1/responses',
      JSON.stringify({
        usage: { input_tokens: 12, input_tokens_details: { cached_tokens: 4 }, output_tokens: 3 },
      }),
      { model: 'm', input: 'x' },
    ],
    'OpenAI responses, streamed': [
      '/v1/responses',
      events(
        { type: 'response.created', response: { usage: null } },
        {
          type: 'response.completed',
          response: {
            usage: { input_tokens: 12, input_tokens_details: { cached_tokens: 4 }, output_tokens: 3 },
          },
        },
      ),
      { model: 'm', input: 'x' },
    ],
    'Anthropic messages': [
      '/v1/messages',
      JSON.stringify({ usage: { ...anthropic, output_tokens: 3 } }),
      { model: 'm', messages: [{}] },
      { 'anthropic-version': '2023-06-01' },
    ],
    'Anthropic messages, streamed': [
      '/v1/messages',
      events(
        { type: 'message_start', message: { usage: anthropic } },
        { type: 'message_delta', usage: { output_tokens: 3 } },
      ),
      { model: 'm', messages: [{}] },
      { 'anthropic-version': '2023-06-01' },
    ],
    Gemini: [
      '/v1beta/models/m:generateContent',
      JSON.stringify({
        usageMetadata: {
          promptTokenCount: 12,
          cachedContentTokenCount: 4,
          candidatesTokenCount: 2,
          thoughtsTokenCount: 1,
        },
      }),
      { contents: [{}] },
    ],
    'Gemini, streamed': [
      '/v1beta/models/m:streamGenerateContent?alt=sse',
      events(
        { usageMetadata: { promptTokenCount: 12 } },
        { usageMetadata: { promptTokenCount: 12, cachedContentTokenCount: 4, candidatesTokenCount: 3 } },
      ),
      { contents: [{}] },
    ],
  };
  test.each(Object.entries(cases))(
    'the bill of %s is read',
    async (_, [path, answer, body, headers = {}]) => {
      await using server = await startServer((_request, response) => void response.end(answer));
      const { attempt, fetch } = begin();
      await fetch(`${server.url}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      });
      expect(attempt.meter.totals).toMatchObject({ turns: 1, tokens: 15 });
      expect(Object.values(attempt.meter.usageByModel())).toMatchObject([
        { input_tokens: 8, input_tokens_cache_read: 4, output_tokens: 3 },
      ]);
    },
  );

  test('the providers’ own clients are understood, and priced by the list', async () => {
    await using server = await startServer((request, response) => {
      const usage = { input_tokens: 1_000_000, output_tokens: 0 };
      const content = [{ type: 'text', text: 'hi' }];
      if (request.path.endsWith('/messages'))
        sendJson(response, {
          id: 'x',
          type: 'message',
          role: 'assistant',
          model: 'x',
          content,
          stop_reason: 'end_turn',
          usage,
        });
      else
        sendJson(response, {
          candidates: [{ content: { parts: [{ text: 'hi' }], role: 'model' }, finishReason: 'STOP' }],
          usageMetadata: { promptTokenCount: 1_000_000, candidatesTokenCount: 0, totalTokenCount: 1_000_000 },
        });
    });
    const { attempt, fetch } = begin();
    const own = { apiKey: KEY, baseURL: server.url, fetch };
    expect(await ask(createAnthropic(own)('claude-sonnet-4-5'))).toBe('hi');
    expect(await ask(createGoogle(own)('gemini-2.5-pro'))).toBe('hi');
    expect(attempt.meter.usageByModel()).toMatchObject({
      'anthropic/claude-sonnet-4-5': { total_cost: 3 },
      'google/gemini-2.5-pro': { total_cost: 1.25 },
    });
  });

  test('a bill that nobody sends is unknown, not nothing; what is no model is no turn', async () => {
    await using server = await startServer((_, response) => void response.end('{}'));
    const { attempt, fetch } = begin();
    const post = (body: object) => fetch(server.url, { method: 'POST', body: JSON.stringify(body) });
    await post({ model: 'm', messages: [] });
    await post({ search: 'x' });
    expect(attempt.meter.totals).toMatchObject({ turns: 1, boughtCalls: 2, unpricedCalls: 2, spentUsd: 0 });
  });
});
