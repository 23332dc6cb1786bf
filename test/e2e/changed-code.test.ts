import { describe, expect, test } from 'vitest';
import { type Files, WorkingDay } from './working-day.ts';

const ROWS = {
  'rows.jsonl': ['red', 'blue'].map((id) => JSON.stringify({ id, input: id, target: 'A' })).join('\n'),
};
const MODEL = "'openai-compatible/m@' + process.env.DAY_URL";
const evalOf = (before: string, prompt: string, scorers = '[includes({ ignoreCase: true })]') => `
import { defineEval, includes } from 'holdfast';
${before}
export default defineEval({
  name: 'day',
  data: './rows.jsonl',
  target: async ({ input }, { generate }) => (await generate({ model: ${MODEL}, prompt: (${prompt}) + input })).text,
  scorers: ${scorers},
});
`;

/** Each holds "Old", by which every prompt begins, where a run does not look for it at first sight. */
const CASES: Readonly<Record<string, Files>> = {
  'a registry that declarations fill': {
    'registry.ts':
      'export const registry = new Map();\nexport const define = (key, text) => { registry.set(key, text); return key; };',
    'prompts.ts':
      "import { define } from './registry.ts';\nexport const capitals = define('capitals', 'Old: ');",
    'day.eval.ts': evalOf(
      "import { registry } from './registry.ts';\nimport './prompts.ts';",
      "registry.get('capitals')",
    ),
  },
  'an eval that a function of one’s own makes': {
    'make.ts': `import { defineEval, includes } from 'holdfast';
      export const makeEval = ({ prompt }) => defineEval({ name: 'day', data: './rows.jsonl', scorers: [includes()],
        target: async ({ input }, { generate }) => (await generate({ model: ${MODEL}, prompt: prompt + input })).text });`,
    'day.eval.ts': "import { makeEval } from './make.ts';\nexport default makeEval({ prompt: 'Old: ' });",
  },
  'modules whose names are computed when the eval is loaded': {
    'tool-one.ts': "export const head = 'Old: ';",
    'day.eval.ts': evalOf(
      "import { readdirSync } from 'node:fs';\nconst names = readdirSync(import.meta.dirname).filter((name) => name.startsWith('tool-'));\nconst tools = await Promise.all(names.map((name) => import('./' + name)));",
      'tools[0].head',
    ),
  },
  'a map that the maker of the rows fills': {
    'rows.ts': `export const heads = new Map();
      export function* rows() { for (const id of ['red', 'blue']) { heads.set(id, 'Old: '); yield { id, input: id, target: 'A' }; } }`,
    'day.eval.ts': evalOf("import { heads, rows } from './rows.ts';", 'heads.get(input)').replace(
      "'./rows.jsonl'",
      'rows',
    ),
  },
  'a file that is required by another name': {
    'conf.json': '{ "head": "Old: " }',
    'day.eval.ts': evalOf(
      "import { createRequire } from 'node:module';\nconst load = createRequire(import.meta.url);\nconst conf = load('./conf.json');",
      'conf.head',
    ),
  },
};

const renewed = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll('Old', 'New')]));

describe('[CODE-2] what a changed prompt asks is bought, wherever the prompt stands', () => {
  test.each(Object.entries(CASES))('%s', async (_what, files) => {
    await using day = await WorkingDay.begin({ ...ROWS, ...files });
    expect((await day.run()).bought).toHaveLength(2);
    await day.edit(renewed(files));
    expect((await day.run()).bought).toHaveLength(2);
  });

  test('a module that is imported late, when it was changed after a kill', async () => {
    const files: Files = {
      'late-one.ts': "export const head = 'Old: ';",
      'day.eval.ts': evalOf("const name = 'one';", "(await import('./late-' + name + '.ts')).head").replace(
        'scorers:',
        'concurrency: 1,\n  scorers:',
      ),
    };
    await using day = await WorkingDay.begin({ ...ROWS, ...files });
    await day.kill(1);
    await day.edit(renewed(files));
    expect((await day.run()).bought).toHaveLength(2);
  });
});

test('[CODE-2] a changed check gives new scores, though it is only in a list that a declaration adds to', async () => {
  const files: Files = {
    'checks.ts': 'export const checks = [];\nexport const add = (check) => checks.push(check);',
    'length.ts': "import { add } from './checks.ts';\nexport const long = add((text) => text.length > 1);",
    'day.eval.ts': evalOf(
      "import { checks } from './checks.ts';\nimport './length.ts';",
      "'Say '",
      '[({ text }) => checks.every((check) => check(text))]',
    ),
  };
  await using day = await WorkingDay.begin({ ...ROWS, ...files });
  await day.run();
  await day.edit({ 'length.ts': (files['length.ts'] ?? '').replace('> 1', '> 9999') });
  expect((await day.run()).bought).toHaveLength(0);
});

test('[CODE-3] what a target leaves behind for a scorer is there when the scorer was edited, and nothing is bought', async () => {
  const files: Files = {
    'day.eval.ts': evalOf(
      'const asked = new Map();',
      "(asked.set(input, 1), 'Say ')",
      "[({ input }) => asked.has(input) && 'Old' !== '']",
    ),
  };
  await using day = await WorkingDay.begin({ ...ROWS, ...files });
  await day.run();
  await day.edit(renewed(files));
  expect((await day.run()).bought).toHaveLength(0);
});
