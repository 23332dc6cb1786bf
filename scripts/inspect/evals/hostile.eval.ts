// Texts that look like references, NUL and half a surrogate pair, wherever a user or a model can put a text.

import { defineEval, mockModel, pureTool, scorer } from 'holdfast';
import { z } from 'zod';

const LONG = 'A text that is long enough to become an attachment of its own. '.repeat(3);
/** The hash of LONG: its attachment is really there. */
const HASH = '7e32d19e422701e68646a1a5ebc785f0';
const TEXTS = [
  'attachment://0',
  `attachment://${'a'.repeat(32)}`,
  `attachment://${HASH}`,
  'attachment://',
  'tc://5',
  `tc://${HASH}`,
  'tc://',
  'a\0b',
  'half \ud800',
  LONG,
];

const echo = pureTool({
  description: 'tc://5',
  inputSchema: z.object({ text: z.string().describe('attachment://0') }),
  execute: ({ text }: { text: string }) => text,
});

const parrot = mockModel({
  name: 'mock/parrot',
  respond: ({ text, turn }) =>
    turn === 0 ? { text, reasoning: text, toolCalls: [{ toolName: 'echo', input: { text } }] } : text,
});

let tries = 0;

export default defineEval({
  name: 'hostile',
  metadata: { text: 'attachment://0', list: TEXTS },
  tags: ['tc://5'],
  data: TEXTS.map((text, index) => ({
    id: `${index}`,
    input: text,
    target: text,
    metadata: { text, deep: [{ text }] },
  })),
  models: { 'mock/parrot': parrot },
  target: async ({ input }, { generate, info }) => {
    info({ input, long: LONG, list: TEXTS }, input);
    const { text } = await generate({
      model: 'mock/parrot',
      prompt: input,
      system: input,
      tools: { echo },
      maxSteps: 3,
    });
    if (tries++ % 3 === 0) throw new Error(input);
    return text;
  },
  scorers: [
    scorer('same', ({ output, sample }) => ({
      value: output === sample.input ? 1 : 0,
      answer: String(output),
      explanation: String(sample.input),
      metadata: { text: String(sample.input) },
    })),
  ],
  retries: 2,
  concurrency: 1,
});
