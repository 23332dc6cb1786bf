import { describe, expect, test } from 'vitest';
import { codeDigests as digests, type Files } from '../../test/sim/code-digests.ts';

const EVAL = `
import { defineEval, exact } from 'holdfast';
import { ask } from './ask.ts';
import { isKind } from './judge.ts';
import { z } from 'zod';
const prompt = 'Be brief';
let tries = 0;
function more() { tries += 1; }
const strict = (context) => isKind(context.text);
export default defineEval({
  name: 'capitals',
  description: 'what they are',
  data: [{ input: 'a' }],
  target: async (sample, context) => { more(); return ask(context, prompt, sample.input, tries); },
  scorers: [exact(), strict],
});
`;

const FILES: Files = {
  'x.eval.ts': EVAL,
  'ask.ts': `
    import { clean } from './lib/text.ts';
    export const unused = 1;
    export async function ask({ generate }, prompt: string, input: string) {
      return clean((await generate(prompt + input)).text);
    }`,
  'judge.ts': `
    import { words } from './lib/text.ts';
    export const isKind = (text: string) => words(text).includes('please');`,
  'lib/text.ts': `
    const SPACE = /\\s+/g;
    export const clean = (text: string) => text.trim();
    export const words = (text: string) => text.split(SPACE);`,
  'node_modules/zod/package.json': '{ "name": "zod", "version": "4.0.0", "sideEffects": false }',
  'node_modules/zod/index.js': 'export const z = {};',
};

const TWO = 'const a = () => 1;\nconst b = () => 2;\n';

/** Which of target and scoring see a change of the files. */
async function changedBy(change: Files): Promise<readonly string[]> {
  const [before, after] = [await digests(FILES), await digests({ ...FILES, ...change })];
  return (['target', 'scoring'] as const).filter((part) => before[part] !== after[part]);
}

const edited = (name: string, from: string, to: string): Files => {
  const text = FILES[name] ?? '';
  if (!text.includes(from)) throw new Error(`${name} does not hold ${from}`);
  return { [name]: text.replace(from, to) };
};

describe('[CODE-2] a change counts for what depends on it', () => {
  test.each<readonly [string, Files, readonly string[]]>([
    ['nothing', {}, []],
    ['a comment in the target', edited('x.eval.ts', 'more();', '/* why */ more();'), []],
    ['a type', edited('ask.ts', 'input: string', 'input: "a" | "b"'), []],
    ['a description', edited('x.eval.ts', 'what they are', 'what else'), []],
    ['the data', edited('x.eval.ts', "input: 'a'", "input: 'b'"), []],
    ['the target', edited('x.eval.ts', 'more();', ''), ['target']],
    ['a constant of the target', edited('x.eval.ts', 'Be brief', 'Be kind'), ['target']],
    ['what changes a variable of the target', edited('x.eval.ts', 'tries += 1', 'tries += 2'), ['target']],
    ['a module of the target', edited('ask.ts', 'prompt + input', 'input + prompt'), ['target']],
    ['a name that nobody uses', edited('ask.ts', 'unused = 1', 'unused = 2'), []],
    ['a helper of a helper', edited('lib/text.ts', 'text.trim()', 'text.trimEnd()'), ['target']],
    ['a helper of the scorer', edited('lib/text.ts', 'text.split(SPACE)', 'text.split(" ")'), ['scoring']],
    ['what a helper of the scorer uses', edited('lib/text.ts', '/\\s+/g', '/ /g'), ['scoring']],
    ['the scorer', edited('x.eval.ts', 'isKind(context.text)', '!isKind(context.text)'), ['scoring']],
    ['the list of scorers', edited('x.eval.ts', '[exact(), strict]', '[strict]'), ['scoring']],
    ['the module of the scorer', edited('judge.ts', 'please', 'thank you'), ['scoring']],
    [
      'what the eval does when it is loaded',
      { 'x.eval.ts': `${EVAL}\nglobalThis.x = 1;` },
      ['target', 'scoring'],
    ],
    [
      'what a module does when it is loaded',
      { 'ask.ts': `${FILES['ask.ts']}\nglobalThis.x = 1;` },
      ['target', 'scoring'],
    ],
    [
      'a package that nobody uses, and that does nothing',
      { 'node_modules/zod/package.json': '{ "version": "5.0.0", "sideEffects": false }' },
      [],
    ],
    [
      'where a name comes from',
      {
        ...edited('x.eval.ts', "import { ask } from './ask.ts'", "import { ask } from './ask2.ts'"),
        'ask2.ts': FILES['ask.ts'] ?? '',
      },
      ['target'],
    ],
  ])('%s', async (_what, change, seen) => {
    expect(await changedBy(change)).toEqual(seen);
  });

  test('what changes a variable counts for whoever reads it, though it is never called from there', async () => {
    const main = (step: number) => ({
      'x.eval.ts': `import { defineEval } from 'holdfast'; import { tries } from './state.ts';
        export default defineEval({ name: 'x', target: () => tries, scorers: [() => 1] });`,
      'state.ts': `export let tries = 0;\nexport function more() { tries += ${step}; }`,
    });
    const [one, other] = [await digests(main(1)), await digests(main(2))];
    expect(one.target).not.toBe(other.target);
    expect(one.scoring).toBe(other.scoring);
  });

  test('where a name of a helper comes from counts as well', async () => {
    const lib = { 'a.ts': 'export const f = () => 1;', 'b.ts': 'export const f = () => 2;' };
    const main = (one: string, other: string) => ({
      ...lib,
      'x.eval.ts':
        "import { defineEval } from 'holdfast';\nimport { h } from './h.ts';\nexport default defineEval({ target: () => h(), scorers: [] });",
      'h.ts': `import { f } from './${one}.ts';\nimport { f as g } from './${other}.ts';\nexport const h = () => [f(), g()];`,
    });
    expect((await digests(main('a', 'b'))).target).not.toBe((await digests(main('b', 'a'))).target);
  });

  test('two names that change places are a change, though all code is the same', async () => {
    const lib = { 'a.ts': 'export const f = () => 1;', 'b.ts': 'export const f = () => 2;' };
    const main = (one: string, other: string) => ({
      ...lib,
      'x.eval.ts': `import { defineEval } from 'holdfast';
        import { f } from './${one}.ts';\nimport { f as g } from './${other}.ts';
        export default defineEval({ name: 'x', target: () => [f(), g()], scorers: [] });`,
    });
    expect((await digests(main('a', 'b'))).target).not.toBe((await digests(main('b', 'a'))).target);
  });

  test.each<readonly [string, (one: string, other: string) => Files]>([
    ['names of its own', (one, other) => ({ 'h.ts': `${TWO}export { ${one} as p, ${other} as q };` })],
    [
      'names that it passes on',
      (one, other) => ({ 'h.ts': `export { ${one} as p, ${other} as q } from './two.ts';` }),
    ],
    [
      'names that it imports',
      (one, other) => ({
        'h.ts': `import { a, b } from './two.ts';\nexport { ${one} as p, ${other} as q };`,
      }),
    ],
    [
      'whole modules',
      (one, other) => ({
        'h.ts': "export { f as p } from './i.ts';\nexport { f as q } from './j.ts';",
        'i.ts': `export * from './${one}.ts';`,
        'j.ts': `export * from './${other}.ts';`,
      }),
    ],
    [
      'whole modules under a name',
      (one, other) => ({
        'h.ts':
          "import { n as i } from './i.ts';\nimport { n as j } from './j.ts';\nexport const p = () => i.f(), q = () => j.f();",
        'i.ts': `export * as n from './${one}.ts';`,
        'j.ts': `export * as n from './${other}.ts';`,
      }),
    ],
  ])(
    'a module that exports %s the other way round is a change, though all code is the same',
    async (_what, exporting) => {
      const uses = [
        ["import { p, q } from './h.ts';", 'p() + q()'],
        ["import * as h from './h.ts';", 'h.p() + h.q()'],
      ];
      for (const [how, call] of uses) {
        const main = (one: string, other: string): Files => ({
          'two.ts': TWO.replaceAll('const', 'export const'),
          'a.ts': 'export const f = () => 1;',
          'b.ts': 'export const f = () => 2;',
          'x.eval.ts': `import { defineEval } from 'holdfast';\n${how}\nexport default defineEval({ target: () => ${call}, scorers: [] });`,
          ...exporting(one, other),
        });
        expect((await digests(main('a', 'b'))).target, how).not.toBe((await digests(main('b', 'a'))).target);
      }
    },
  );

  test('the version of a package counts for who uses it', async () => {
    const used = edited(
      'ask.ts',
      'export const unused',
      "import { z } from 'zod';\nexport const shape = z;\nexport const unused",
    );
    const text = (used['ask.ts'] ?? '').replace('return clean(', 'return shape && clean(');
    const files = { ...FILES, 'ask.ts': text };
    const other = {
      ...files,
      'node_modules/zod/package.json': '{ "name": "zod", "version": "5.0.0", "sideEffects": false }',
    };
    expect((await digests(files)).target).not.toBe((await digests(other)).target);
    expect((await digests(files)).scoring).toBe((await digests(other)).scoring);
  });

  test('a module that is imported later counts, when its name is written out', async () => {
    const eager = edited('x.eval.ts', 'more();', "await import('./lib/later.ts');");
    const one = { ...FILES, ...eager, 'lib/later.ts': 'export const x = 1;' };
    const other = { ...one, 'lib/later.ts': 'export const x = 2;' };
    expect((await digests(one)).target).not.toBe((await digests(other)).target);
    expect((await digests(one)).isOpen).toBe(false);
    const open = edited('x.eval.ts', 'more();', 'await import(sample.module);');
    expect((await digests({ ...FILES, ...open })).isOpen).toBe(true);
  });

  test.each([
    ['a list of evals', "[defineEval({ name: 'x', target: () => 1, scorers: [] })]"],
    ['a plain object', "{ name: 'x', target: () => 1, scorers: [] }"],
  ])('%s is written out', async (_what, text) => {
    const files = (scorers: string) => ({
      'x.eval.ts': `import { defineEval } from 'holdfast'; export default ${text.replace('scorers: []', scorers)};`,
    });
    const [one, other] = [await digests(files('scorers: []')), await digests(files('scorers: [f]'))];
    expect(one.target).toBe(other.target);
    expect(one.scoring).not.toBe(other.scoring);
  });

  test('an eval with a name of its own is written out', async () => {
    const files = (scorer: string) => ({
      'x.eval.ts': `import { defineEval } from 'holdfast'; const it = defineEval({ name: 'x', target: () => 1, scorers: [${scorer}] }); export default it;`,
    });
    expect((await digests(files('a'))).target).toBe((await digests(files('b'))).target);
  });

  test('of an eval that is made by other code everything counts', async () => {
    const files = (text: string) => ({
      'make.ts': `export const make = () => ({ target: () => 1, scorers: [${text}] });`,
      'x.eval.ts': "import { make } from './make.ts';\nexport default make();",
    });
    expect((await digests(files('a'))).target).not.toBe((await digests(files('b'))).target);
  });

  test('modules that pass each other on, and CommonJS, are followed', async () => {
    const files = (text: string) => ({
      'x.eval.ts':
        "import { defineEval } from 'holdfast';\nimport * as all from './a.ts';\nexport default defineEval({ target: () => all.f(), scorers: [] });",
      'a.ts': "export * from './b.ts';\nexport const a = 1;",
      'b.ts': "export * from './a.ts';\nimport old from './old.cjs';\nexport const f = () => old.g();",
      'old.cjs': "const { g } = require('./deep.cjs');\nmodule.exports = { g };",
      'deep.cjs': `exports.g = () => ${text};`,
    });
    const one = await digests(files('1'));
    expect(one.target).not.toBe((await digests(files('2'))).target);
    expect(one.target).toBe((await digests(files('(1) // same'))).target);
    expect(one.modules).toEqual(['.', 'a.ts', 'b.ts', 'deep.cjs', 'old.cjs']);
  });

  test('JSON counts by what it says, and what cannot be parsed by its text', async () => {
    const files = (json: string, sql: string) => ({
      'x.eval.ts':
        "import { defineEval } from 'holdfast';\nimport data from './d.json' with { type: 'json' };\nimport './q.sql';\nexport default defineEval({ target: () => data, scorers: [] });",
      'd.json': json,
      'q.sql': sql,
    });
    const one = await digests(files('{"a":1}', 'select 1'));
    expect(one.target).toBe((await digests(files('{ "a": 1 }\n', 'select 1'))).target);
    expect(one.target).not.toBe((await digests(files('{"a":2}', 'select 1'))).target);
    expect(one.target).not.toBe((await digests(files('{"a":1}', 'select 2'))).target);
  });
});
