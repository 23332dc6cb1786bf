/**
 * 200 sums for a scripted model that takes its time, errs now and then, and needs a calculator for products. This is
 * what `holdfast demo` runs, kills and runs again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEval, mockModel, numeric, pureTool } from 'holdfast';

const COUNT = 200;

const questions = Array.from({ length: COUNT }, (_, index) => {
  const [a, b] = [13 + ((index * 37) % 89), 11 + ((index * 53) % 97)];
  const isProduct = index % 4 === 3;
  return {
    id: `sum-${String(index + 1).padStart(3, '0')}`,
    input: `How much is ${a} ${isProduct ? 'times' : 'plus'} ${b}?`,
    target: isProduct ? a * b : a + b,
    metadata: { kind: isProduct ? 'product' : 'sum' },
  };
});

const calculator = pureTool({
  description: 'Multiplies two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  execute: ({ a, b }: { a: number; b: number }) => a * b,
});

/** Answers after 0.2 to 0.9 seconds; every ninth sum is off by one. */
const student = mockModel({
  name: 'mock/student',
  async respond({ text, turn, request }) {
    const [a = 0, b = 0] = (text.match(/\d+/g) ?? []).map(Number);
    await sleep(
      200 + ((a * 31 + b * 17) % 700),
      undefined,
      request.abortSignal && { signal: request.abortSignal },
    );
    if (!text.includes('times')) return `It is ${a + b + ((a + b) % 9 === 0 ? 1 : 0)}.`;
    if (turn === 0) return { toolCalls: [{ toolName: 'calculator', input: { a, b } }] };
    return `The calculator says ${a * b}.`;
  },
});

export default defineEval({
  name: 'sums',
  data: questions,
  models: { 'mock/student': student },
  target: async ({ input, metadata }, { generate }) => {
    const tools = metadata?.kind === 'product' ? { calculator } : undefined;
    return (await generate({ model: 'mock/student', prompt: input, ...(tools && { tools }) })).text;
  },
  scorers: [numeric()],
  concurrency: 10,
});
