// Enough calls for the limit of concurrent ones to grow, overloads for it to shrink, and calm for it to grow again.

import { defineEval, includes, mockModel } from 'holdfast';

let calls = 0;

class Overloaded extends Error {
  readonly statusCode = 429;
  readonly responseHeaders = { 'retry-after-ms': '5' };
}

const shaky = mockModel({
  name: 'mock/shaky',
  latencyMs: 10,
  respond: ({ text }) => {
    calls++;
    if (calls > 60 && calls <= 64) throw new Overloaded('Too many requests.');
    return `yes ${text}`;
  },
});

export default defineEval({
  name: 'pressure',
  data: Array.from({ length: 240 }, (_, index) => ({
    id: index + 1,
    input: `Question ${index}`,
    target: 'yes',
  })),
  models: { 'mock/shaky': shaky },
  target: async ({ input }, { generate }) => (await generate({ model: 'mock/shaky', prompt: input })).text,
  scorers: [includes()],
  concurrency: 60,
});
