import { describe, expect, test } from 'vitest';
import { type Random, seededRandom } from '../../src/base/index.ts';
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

/** With an SDK of its own, here plain `fetch`, through what the context gives. */
const OWN_SDK: Files = {
  ...FUNCTION,
  'ask.ts': `
export async function ask(context, input) {
  const say = async (text) => {
    const response = await context.fetch(process.env.DAY_URL + '/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ' + Math.random() },
      body: JSON.stringify({ input: text }),
    });
    return (await response.json()).answer;
  };
  const thought = await say('Think about ' + input);
  return await say('Answer ' + input + ' after ' + thought.length);
}
`,
  'day.eval.ts': (FUNCTION['day.eval.ts'] ?? '').replace(
    'async ({ input }, { generate }) => ask(generate, input)',
    '({ input }, context) => ask(context, input)',
  ),
};

const changed = (files: Files, name: string, from: string, to: string): Files => {
  const text = files[name] ?? '';
  if (!text.includes(from)) throw new Error(`${name} does not hold "${from}"`);
  return { [name]: text.replaceAll(from, to) };
};

describe('what is bought over a working day is what was never asked before', { timeout: 240_000 }, () => {
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

  test('a function with an SDK of its own', async () => {
    await using day = await WorkingDay.begin(OWN_SDK);
    const edit = (name: string, from: string, to: string) => day.edit(changed(day.files, name, from, to));
    expect((await day.run()).bought).toHaveLength(8);
    await edit('ask.ts', 'const thought', '// First it thinks.\n  const thought');
    expect((await day.run()).report.samples).toMatchObject({ reused: 4 });
    await edit('judge.ts', '> 30', '> 31');
    expect((await day.run()).report.samples).toMatchObject({ rescored: 4 });
    await edit('ask.ts', "'Answer '", "'Now answer '");
    await day.kill(2);
    await day.run();
    await edit('ask.ts', 'after', 'behind');
    expect((await day.run()).bought).toHaveLength(4);
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

/** What people do to an eval, any number of times and in any order. */
const EDITS: readonly ((files: Files, random: Random) => Files)[] = [
  (files, random) => ({ 'ask.ts': `// ${random.next()}\n${files['ask.ts']}` }),
  (files) => ({ 'ask.ts': (files['ask.ts'] ?? '').replaceAll("'", '"') }),
  (files, random) => ({
    'judge.ts': (files['judge.ts'] ?? '').replace(/> \d+/, `> ${20 + pick(random, 30)}`),
  }),
  (files, random) => ({
    'judge.ts': `${files['judge.ts']}\nexport const unused${pick(random, 1e9)} = 1;\n`,
  }),
  (files, random) => ({
    'ask.ts': (files['ask.ts'] ?? '').replace(
      /\)\)\.text(\.padEnd\(\d+\))?;\n}/,
      `)).text.padEnd(${pick(random, 60)});\n}`,
    ),
  }),
  (files, random) => ({
    'ask.ts': (files['ask.ts'] ?? '').replace(/Answer(\d*) /, `Answer${pick(random, 3)} `),
  }),
  (files, random) => ({
    'ask.ts': (files['ask.ts'] ?? '').replace(/Think(\d*) about/, `Think${pick(random, 3)} about`),
  }),
  (_files, random) => ({ 'rows.jsonl': rowsText(WORDS.filter(() => random.next() < 0.7)) }),
  (files, random) => ({
    'day.eval.ts': (files['day.eval.ts'] ?? '').replace(/epochs: \d/, `epochs: ${1 + pick(random, 2)}`),
  }),
  (files, random) => ({
    'day.eval.ts': (files['day.eval.ts'] ?? '').replace(
      /ignoreCase: \w+/,
      `ignoreCase: ${random.next() < 0.5}`,
    ),
  }),
];

const WORDS = ['red', 'green', 'blue', 'pink', 'white', 'olive'];
const pick = (random: Random, count: number) => Math.floor(random.next() * count);

test.each([[1], [2]])('whatever is edited, in whatever order (%i)', async (seed) => {
  const random = seededRandom(seed);
  await using day = await WorkingDay.begin(FUNCTION);
  for (let step = 0; step < 7; step++) {
    for (let edits = 1 + pick(random, 2); edits > 0; edits--) {
      const edit = EDITS[pick(random, EDITS.length)];
      if (edit) await day.edit(edit(day.files, random));
    }
    await day.run();
  }
});
