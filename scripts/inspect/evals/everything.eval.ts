// An eval with something of everything that a log can hold, for Inspect's readers to read.

import { defineEval, includes, mockModel, modelGraded, pureTool, scorer } from 'holdfast';
import { z } from 'zod';

const LONG = 'The quick brown fox jumps over the lazy dog. '.repeat(40);

const lookup = pureTool({
  description: 'Looks a word up, and says a lot about it.',
  inputSchema: z.object({ word: z.string() }),
  execute: ({ word }: { word: string }) => {
    if (word === 'nothing') throw new Error('nothing is known about nothing');
    return `${word}: ${LONG}`;
  },
});

const agent = mockModel({
  name: 'mock/agent',
  respond: ({ turn, text }) =>
    turn === 0
      ? {
          text: 'I look it up.',
          reasoning: LONG,
          toolCalls: [{ toolName: 'lookup', input: { word: text.split(' ').at(-1) ?? '' } }],
        }
      : `The answer is yes. ${turn} 😀`,
});

export default defineEval({
  name: 'everything',
  version: 3,
  tags: ['interop'],
  metadata: { owner: 'tests', nothing: null },
  data: [
    { id: 1, input: 'What is a tide', target: 'yes', metadata: { topic: 'sea', wide: LONG } },
    { id: 'a/b c', input: `What is this: ${LONG} harbour`, target: 'no' },
    { id: 'tälk', input: 'What is nothing', target: 'yes' },
    { id: 'boom', input: 'This one fails', target: 'yes' },
    { id: 'unscored', input: 'This one has no score', target: 'yes' },
  ],
  models: { 'mock/agent': agent, 'mock/judge': mockModel({ name: 'mock/judge', answers: ['GRADE: C'] }) },
  target: async ({ input, id }, { generate, info, epoch }) => {
    info({ epoch, long: LONG }, 'everything');
    if (id === 'boom') throw new Error('the target failed as planned');
    return (await generate({ model: 'mock/agent', prompt: input, tools: { lookup }, maxSteps: 4 })).text;
  },
  scorers: [
    includes(),
    modelGraded({ model: 'mock/judge', rubric: 'Is it right?' }),
    scorer('picky', ({ sample }) => {
      if (sample.id === 'unscored') throw new Error('the scorer failed as planned');
      return { value: sample.id === 1 ? Number.NaN : 0.5, explanation: LONG, metadata: { long: LONG } };
    }),
  ],
  epochs: { count: 2, reducer: ['mean', 'max'] },
});
