/** An agent that looks things up before it answers: tools, several steps, and a scorer of its own. */
import { defineEval, includes, mockModel, pureTool } from 'holdfast';

const STOCK: Readonly<Record<string, number>> = { lamp: 7, desk: 0, chair: 12 };

/** Pure: the same question always has the same answer, so a resumed sample need not ask again. */
const stock = pureTool({
  description: 'How many of an article there are.',
  inputSchema: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  execute: ({ article }: { article: string }) => STOCK[article] ?? 0,
});

/** Not pure: it changes something, so a resumed sample that had not ended calls it again. */
const reserve = {
  description: 'Reserves one of an article.',
  inputSchema: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  execute: ({ article }: { article: string }) => `reserved a ${article}`,
};

/** First it asks for the stock, then it reserves if there is some, then it tells. */
const clerk = mockModel({
  name: 'mock/clerk',
  respond({ text, turn }) {
    const article = Object.keys(STOCK).find((name) => text.includes(name)) ?? 'lamp';
    if (turn === 0) return { toolCalls: [{ toolName: 'stock', input: { article } }] };
    if (turn === 1 && (STOCK[article] ?? 0) > 0)
      return { toolCalls: [{ toolName: 'reserve', input: { article } }] };
    return turn === 1 ? `Sorry, there is no ${article} left.` : `Done: I reserved a ${article} for you.`;
  },
});

export default defineEval({
  name: 'agent',
  data: [
    { id: 'lamp', input: 'Please reserve a lamp.', target: 'reserved' },
    { id: 'desk', input: 'Please reserve a desk.', target: 'no desk' },
    { id: 'chair', input: 'Please reserve a chair.', target: 'reserved' },
  ],
  models: { 'mock/clerk': clerk },
  target: async ({ input }, { generate }) => {
    const { text, steps } = await generate({ model: 'mock/clerk', prompt: input, tools: { stock, reserve } });
    return { text, steps };
  },
  scorers: [
    includes(),
    function fewSteps({ output }) {
      return output.steps <= 3;
    },
  ],
  limits: { turns: 5 },
});
