// Dies in the middle when it runs for the first time: what it had bought is replayed, or recovered.

import { existsSync, writeFileSync } from 'node:fs';
import { defineEval, includes, mockModel } from 'holdfast';

const MARK = process.env.MORTAL_MARK ?? '';
let calls = 0;

const model = mockModel({
  name: 'mock/mortal',
  latencyMs: 5,
  respond: ({ text, turn }) => {
    if (++calls === 25 && !existsSync(MARK)) {
      writeFileSync(MARK, '');
      process.kill(process.pid, 'SIGKILL');
    }
    return `yes ${text} ${turn}`;
  },
});

export default defineEval({
  name: 'mortal',
  data: Array.from({ length: 12 }, (_, index) => ({
    id: index + 1,
    input: `Question ${index}`,
    target: 'yes',
  })),
  models: { 'mock/mortal': model },
  target: async ({ input }, { generate }) => {
    const first = await generate({ model: 'mock/mortal', prompt: input });
    const second = await generate({ model: 'mock/mortal', prompt: `${first.text} again` });
    return (await generate({ model: 'mock/mortal', prompt: `${second.text} and again` })).text;
  },
  scorers: [includes()],
  concurrency: 3,
});
