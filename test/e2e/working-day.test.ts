import { describe, expect, test } from 'vitest';
import { type Files, WorkingDay } from './working-day.ts';

const ROWS = ['red', 'green', 'blue', 'pink'];

const rowsText = (rows: readonly string[]) =>
  rows.map((word) => JSON.stringify({ id: word.slice(0, 2), input: word, target: 'HEARD' })).join('\n');

/** With a function that asks twice, through a helper in a file of its own, and a scorer in another. */
const FUNCTION: Files = {
  'rows.jsonl': rowsText(ROWS),
  'ask.ts': `
export async function ask(generate, input) {
  const thought = (await generate({ model: MODEL, prompt: 'Think about ' + input })).text;
  return (await generate({ model: MODEL, prompt: 'Answer ' + input + ' after ' + thought.length })).text;
}
const MODEL = 'openai-compatible/m@' + process.env.DAY_URL;
`,
  'judge.ts': `
export const judge = ({ text }) => text.length > 30;
`,
  'day.eval.ts': `
import { defineEval, includes } from 'holdfast';
import { ask } from './ask.ts';
import { judge } from './judge.ts';
export default defineEval({
  name: 'day',
  data: './rows.jsonl',
  target: async ({ input }, { generate }) => ask(generate, input),
  scorers: [includes({ ignoreCase: true }), judge],
  epochs: 1,
});
`,
};

const HTTP: Files = {
  ...FUNCTION,
  'day.eval.ts': `
import { defineEval, includes } from 'holdfast';
import { judge } from './judge.ts';
export default defineEval({
  name: 'day',
  data: './rows.jsonl',
  target: { url: process.env.DAY_URL + '/ask', body: { input: 'Say {{input}}' }, responsePath: 'answer' },
  scorers: [includes({ ignoreCase: true }), judge],
  epochs: 1,
});
`,
};

const changed = (files: Files, name: string, from: string, to: string): Files => {
  const text = files[name] ?? '';
  if (!text.includes(from)) throw new Error(`${name} does not hold "${from}"`);
  return { [name]: text.replaceAll(from, to) };
};

describe('what is bought over a working day is what was never asked before', () => {
  test('a function that asks a model', async () => {
    await using day = await WorkingDay.begin(FUNCTION);
    const edit = (name: string, from: string, to: string) => day.edit(changed(day.files, name, from, to));
    expect((await day.run()).bought).toHaveLength(8);
    expect((await day.run()).report.samples).toMatchObject({ reused: 4 });

    await edit('ask.ts', 'const thought', '// First it thinks.\n  const thought');
    await edit('day.eval.ts', 'target: async', '/** Asks twice. */\n  target: async');
    expect((await day.run()).report.samples).toMatchObject({ reused: 4 });

    await edit('ask.ts', "'Think about '", '"Think about "');
    await edit(
      'day.eval.ts',
      'async ({ input }, { generate }) => ask',
      'async (\n    { input },\n    { generate },\n  ) =>\n    ask',
    );
    expect((await day.run()).report.samples).toMatchObject({ reused: 4 });

    await edit('judge.ts', '> 30', '> 31');
    expect((await day.run()).report).toMatchObject({
      samples: { rescored: 4, reused: 0 },
      answers: { bought: 0, replayed: 0 },
    });

    await edit('ask.ts', 'thought.length })).text', "thought.length })).text.trim() + '!'");
    expect((await day.run()).report).toMatchObject({
      samples: { replayed: 4, rescored: 0, reused: 0 },
      answers: { bought: 0, replayed: 8 },
    });

    await edit('ask.ts', "'Answer '", "'Now answer '");
    expect((await day.run()).bought).toHaveLength(4);

    await day.edit({ 'rows.jsonl': rowsText(['red', 'greenish', 'blue', 'pink']) });
    expect((await day.run()).report.samples).toMatchObject({ reused: 3 });

    await edit('ask.ts', "'Now answer '", "'Please answer '");
    await day.kill(2);
    await day.run();

    await day.edit({ 'rows.jsonl': rowsText(['red', 'greenish', 'blue', 'pink', 'white', 'olive']) });
    expect((await day.run()).bought).toHaveLength(4);

    await edit('day.eval.ts', 'epochs: 1', 'epochs: 2');
    expect((await day.run()).bought).toHaveLength(12);
  });

  test('an HTTP endpoint', async () => {
    await using day = await WorkingDay.begin(HTTP);
    const edit = (name: string, from: string, to: string) => day.edit(changed(day.files, name, from, to));
    expect((await day.run()).bought).toHaveLength(4);
    await edit('judge.ts', '> 30', '> 31');
    expect((await day.run()).report.samples).toMatchObject({ rescored: 4 });
    await edit('day.eval.ts', "'Say {{input}}'", "'Say  {{input}}'");
    await day.kill(1);
    await day.run();
    await edit('day.eval.ts', "'Say  {{input}}'", "'Say {{input}}'");
    expect((await day.run()).bought).toEqual([]);
  });
});
