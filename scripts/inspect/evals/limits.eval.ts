// Each sample runs into another limit, and one into none.

import { setTimeout as sleep } from 'node:timers/promises';
import { defineEval, includes, mockModel, pureTool } from 'holdfast';
import { z } from 'zod';

const nap = pureTool({
  description: 'Sleeps.',
  inputSchema: z.object({ ms: z.number() }),
  execute: async ({ ms }: { ms: number }) => {
    await sleep(ms);
    return 'rested';
  },
});

const chatty = mockModel({
  name: 'mock/chatty',
  respond: ({ text, turn }) => {
    if (text === 'tokens') return { text: 'Many words.', usage: { inputTokens: 10, outputTokens: 5_000 } };
    if (text === 'cost') return { text: 'Dear words.', usage: { inputTokens: 500, outputTokens: 490 } };
    if (text === 'none') return 'Fine.';
    return {
      text: `Turn ${turn}.`,
      toolCalls: [{ toolName: 'nap', input: { ms: text === 'working' ? 400 : 1 } }],
    };
  },
});

/** The provider asks to wait: that is time, but not working time. */
const busy = mockModel({
  name: 'mock/busy',
  answers: ['never'],
  failures: Array.from({ length: 50 }, () => ({ status: 429, headers: { 'retry-after': '2' } })),
});

export default defineEval({
  name: 'limits',
  data: ['time', 'working', 'tokens', 'messages', 'turns', 'cost', 'none'].map((id) => ({
    id,
    input: id,
    target: 'Fine',
  })),
  models: { 'mock/chatty': chatty, 'mock/busy': busy },
  target: async ({ input }, { generate }) => {
    const model = input === 'time' ? 'mock/busy' : 'mock/chatty';
    if (input !== 'messages')
      return (await generate({ model, prompt: input, tools: { nap }, maxSteps: 20 })).text;
    const messages = Array.from({ length: 30 }, () => ({ role: 'user', content: input }));
    return (await generate({ model, messages, tools: { nap }, maxSteps: 20 })).text;
  },
  scorers: [includes()],
  limits: { timeMs: 1_500, workingMs: 700, tokens: 2_000, messages: 20, turns: 4, costUsd: 0.5 },
});
