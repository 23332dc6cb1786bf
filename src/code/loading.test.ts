import { describe, expect, test } from 'vitest';
import { type Asked, codeDigests, type Files, seenBy } from '../../test/sim/code-digests.ts';

const BOTH = ['target', 'scoring'];
const HEAD = "import { defineEval, exact, includes, scorer } from 'holdfast';\n";
const withTarget = (before: string, target: string) =>
  `${HEAD}${before}\nexport default defineEval({ name: 'x', data: [], target: ${target}, scorers: [exact()] });`;

/** All that is old becomes new. */
const renewed = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll('Old', 'New')]));
const seen = (files: Files, asked: Asked = []) => seenBy(files, renewed(files), asked);

const REGISTRY = `export const registry = new Map();
  export function define(key, text) { registry.set(key, text); return key; }`;

describe('[CODE-2] what is done when modules are loaded counts for all that they are loaded for', () => {
  test.each<readonly [string, Files]>([
    [
      'a registry, filled by declarations',
      {
        'registry.ts': REGISTRY,
        'prompts.ts': "import { define } from './registry.ts';\nexport const capitals = define('c', 'Old');",
        'x.eval.ts': withTarget(
          "import { registry } from './registry.ts';\nimport './prompts.ts';",
          "() => registry.get('c')",
        ),
      },
    ],
    [
      'a list that a declaration adds to',
      {
        'x.eval.ts': withTarget("const parts = [];\nconst count = parts.push('Old');", '() => parts.join()'),
      },
    ],
    [
      'a function that is called in a declaration',
      {
        'x.eval.ts': withTarget(
          "const cfg = {};\nconst ok = configure({ head: 'Old' });\nfunction configure(o) { Object.assign(cfg, o); }",
          '() => cfg.head',
        ),
      },
    ],
    [
      'a function that calls such a function',
      {
        'x.eval.ts': withTarget(
          "const cfg = {};\nconst set = (o) => Object.assign(cfg, o);\nconst outer = (o) => { return set(o); };\nconst ok = outer({ head: 'Old' });",
          '() => cfg.head',
        ),
      },
    ],
    [
      'a global',
      {
        'setup.ts': "export const done = (() => { globalThis.head = 'Old'; return true; })();",
        'x.eval.ts': withTarget("import './setup.ts';", '() => globalThis.head'),
      },
    ],
    [
      'a block of a class',
      {
        'x.eval.ts': withTarget(
          "const cfg = {};\nclass Setup { static { cfg.head = 'Old'; } }",
          '() => cfg.head',
        ),
      },
    ],
    [
      'a value of a class',
      {
        'x.eval.ts': withTarget(
          "const cfg = [];\nclass Setup { static count = cfg.push('Old'); }",
          '() => cfg[0]',
        ),
      },
    ],
    [
      'a module that is imported for a name of the scorer',
      {
        'state.ts': "export const state = { prompt: '' };",
        'setup.ts':
          "import { state } from './state.ts';\nstate.prompt = 'Old';\nexport const grade = (text) => text !== '';",
        'x.eval.ts': `${HEAD}import { state } from './state.ts';\nimport { grade } from './setup.ts';
          export default defineEval({ name: 'x', data: [], target: () => state.prompt, scorers: [grade] });`,
      },
    ],
    [
      'a getter',
      {
        'x.eval.ts': withTarget(
          "const cfg = {};\nconst lazy = { get it() { cfg.head = 1; return cfg; } };\nconst first = [lazy.it, 'Old'];",
          '() => cfg.head',
        ),
      },
    ],
    [
      'what a text is made of',
      {
        'x.eval.ts': withTarget(
          'const list = [];\nconst sly = { toString() { return String(list.push(1)); } };\nconst text = "Old" + sly;',
          '() => list',
        ),
      },
    ],
    [
      'a tag',
      {
        'x.eval.ts': withTarget(
          'const list = [];\nconst tag = (parts) => list.push(parts[0]);\nconst n = tag`Old`;',
          '() => list',
        ),
      },
    ],
    [
      'a function that is given to the language',
      {
        'x.eval.ts': withTarget(
          "const list = [];\nconst add = (text) => list.push(text);\nconst n = ['Old'].map(add);",
          '() => list',
        ),
      },
    ],
    [
      'a function in a function',
      {
        'x.eval.ts': withTarget(
          "const list = [];\nconst n = ['Old'].map((text) => list.push(text));",
          '() => list',
        ),
      },
    ],
    [
      'a name that hides one of the language',
      {
        'x.eval.ts': withTarget(
          "const list = [];\nconst Math = { max: (text) => list.push(text) };\nconst n = Math.max('Old');",
          '() => list',
        ),
      },
    ],
    [
      'a list of its own kind',
      {
        'x.eval.ts': withTarget(
          "const list = [];\nconst n = Object.freeze({ map: (text) => list.push(text) }).map('Old');",
          '() => list',
        ),
      },
    ],
    [
      'freezing what others have',
      {
        'x.eval.ts': withTarget(
          "const cfg = { head: '' };\nconst kept = [Object.freeze(cfg), 'Old'];",
          '() => Object.isFrozen(cfg)',
        ),
      },
    ],
    [
      'the rows of the eval',
      {
        'x.eval.ts': `${HEAD}const list = [];\nconst rows = (text) => { list.push(text); return []; };
          export default defineEval({ name: 'x', data: rows('Old'), target: () => list, scorers: [] });`,
      },
    ],
    [
      'the scorers of the eval',
      {
        'x.eval.ts': `${HEAD}const list = [];\nconst strict = (text) => { list.push(text); return exact(); };
          export default defineEval({ name: 'x', data: [], target: () => list, scorers: [strict('Old')] });`,
      },
    ],
    [
      'another eval of the file',
      {
        'x.eval.ts': `${HEAD}const list = [];\nconst made = (text) => { list.push(text); return () => 1; };
          export default [defineEval({ name: 'x', data: [], target: () => list, scorers: [] }),
            defineEval({ name: 'y', data: [], target: made('Old'), scorers: [] })];`,
      },
    ],
    [
      'a package that may do something',
      {
        'node_modules/p/package.json': '{ "version": "Old" }',
        'node_modules/p/index.js': '',
        'grade.ts': "import { p } from 'p';\nexport const grade = () => p;",
        'x.eval.ts': withTarget(
          "import { grade } from './grade.ts';\nexport const unused = grade;",
          '() => 1',
        ),
      },
    ],
  ])('%s', async (_what, files) => {
    expect(await seen(files)).toEqual(BOTH);
  });

  test('the order in which modules are loaded', async () => {
    const files = (one: string, other: string): Files => ({
      'a.ts': "globalThis.head = 'a';",
      'b.ts': "globalThis.head = 'b';",
      'x.eval.ts': withTarget(`import './${one}.ts';\nimport './${other}.ts';`, '() => globalThis.head'),
    });
    expect(await seenBy(files('a', 'b'), files('b', 'a'))).toEqual(BOTH);
  });
});

describe('[CODE-2] what does nothing counts only where it is used', () => {
  const helpers = (text: string): Files => ({
    'judge.ts': text,
    'x.eval.ts': `${HEAD}import { judge } from './judge.ts';
      export default defineEval({ name: 'x', data: [], target: () => 1, scorers: [judge, scorer('k', ({ text }) => judge(text))] });`,
  });
  test.each<readonly [string, string]>([
    ['a function', "export const judge = ({ text }) => text === 'Old';"],
    [
      'a function that is given a name',
      "import { scorer } from 'holdfast';\nconst is = ({ text }) => text === 'Old';\nexport const judge = scorer('is', is);",
    ],
    ['a constant', "const WORD = 'Old';\nexport const judge = ({ text }) => text === WORD;"],
    ['a pattern', 'const WORD = /Old/;\nexport const judge = ({ text }) => WORD.test(text);'],
    ['a set', "const WORDS = new Set(['Old']);\nexport const judge = ({ text }) => WORDS.has(text);"],
    [
      'a list that is frozen',
      "const WORDS = Object.freeze(['Old']);\nexport const judge = ({ text }) => WORDS.includes(text);",
    ],
    [
      'texts that are put together',
      "const A = 'Old';\nconst B = 'So ' + A + '!';\nexport const judge = ({ text }) => text === B;",
    ],
    [
      'a list that is made',
      "const WORDS = ['Old', 'b'].map((word) => word + '!');\nexport const judge = ({ text }) => WORDS.includes(text);",
    ],
    [
      'a class',
      "class Judge { is(text) { return text === 'Old'; } }\nexport const judge = ({ text }) => new Judge().is(text);",
    ],
    [
      'a scorer of Holdfast with a name',
      "import { scorer } from 'holdfast';\nexport const judge = scorer('j', ({ text }) => text === 'Old');",
    ],
    [
      'what a function of its own makes',
      "const isWord = ({ word }) => { const said = word; return ({ text }) => text === said; };\nexport const judge = isWord({ word: 'Old' });",
    ],
    [
      'a file that is read',
      "import { readFileSync } from 'node:fs';\nconst WORD = readFileSync(new URL('./Old.txt', import.meta.url), 'utf8');\nexport const judge = ({ text }) => text === WORD;",
    ],
  ])('%s of a scorer', async (_what, text) => {
    expect(await seen(helpers(text))).toEqual(['scoring']);
  });

  test('a scorer that a function of one’s own makes, in the eval itself', async () => {
    expect(
      await seen({
        'judge.ts':
          "import { scorer } from 'holdfast';\nexport const strict = (o) => scorer(o.name, ({ text }) => text === o.word);",
        'x.eval.ts': `${HEAD}import { strict } from './judge.ts';
          export default defineEval({ name: 'x', data: Array.from({ length: 3 }, (_, i) => ({ id: i, input: 'a' + i })),
            target: () => 1, scorers: [strict({ name: 'a', word: 'Old' })] });`,
      }),
    ).toEqual(['scoring']);
  });

  test('the order of imports that do nothing', async () => {
    const files = (imports: string): Files => ({
      'a.ts': 'export const a = 1;',
      'b.ts': 'export const b = 1;',
      'x.eval.ts': withTarget(imports, '() => a + b'),
    });
    const [one, other] = ["import { a } from './a.ts';", "import { b } from './b.ts';"];
    expect(await seenBy(files(`${one}\n${other}`), files(`${other}\n${one}`))).toEqual([]);
  });
});

describe('[CODE-2] of an eval that is not written out all code counts', () => {
  test.each<readonly [string, Files]>([
    [
      'a function of one’s own makes it',
      {
        'make.ts': `${HEAD}export const makeEval = (o) => defineEval({ name: o.name, target: () => o.prompt, scorers: [] });`,
        'x.eval.ts':
          "import { makeEval } from './make.ts';\nexport default makeEval({ name: 'x', prompt: 'Old' });",
      },
    ],
    [
      'a function of one’s own with the name of ours makes it',
      {
        'x.eval.ts':
          "const defineEval = (o) => ({ ...o, target: () => o.prompt });\nexport default defineEval({ name: 'x', prompt: 'Old' });",
      },
    ],
    [
      'it is passed on from another file',
      {
        'real.ts': `${HEAD}const head = 'Old';\nexport default defineEval({ target: () => head, scorers: [] });`,
        'x.eval.ts': "export { default } from './real.ts';",
      },
    ],
    [
      'it is exported by another name',
      {
        'x.eval.ts': `${HEAD}let head = 'Old';\nconst e = defineEval({ target: () => head, scorers: [] });\nexport { e as default };`,
      },
    ],
  ])('%s', async (_what, files) => {
    expect(await seen(files)).toEqual(BOTH);
  });

  test.each([
    ['another name', "import { defineEval as define } from 'holdfast';", 'define'],
    ['a name for all', "import * as all from 'holdfast';", 'all.defineEval'],
  ])('with %s `defineEval` is still ours', async (_what, imports, name) => {
    const files = {
      'x.eval.ts': `${imports}\nexport default ${name}({ data: [], target: () => 'Old', scorers: [() => 1] });`,
    };
    expect(await seen(files)).toEqual(['target']);
  });
});

describe('[CODE-2] names', () => {
  test.each(['function head() { return "Old"; }', 'class head { it() { return "Old"; } }'])(
    'a default export has its own name in its module: %s',
    async (text) => {
      const files = {
        'h.ts': `export default ${text}\nexport const wrap = () => head;`,
        'x.eval.ts': withTarget("import { wrap } from './h.ts';", '() => wrap()'),
      };
      expect(await seen(files)).toEqual(['target']);
    },
  );
});

describe('[CODE-2] modules that are loaded in a way that the syntax does not tell', () => {
  const MODULES: Files = { 'lib/one.ts': "export const head = 'Old';\nexport const meta = 1;" };
  test.each<readonly [string, string, string]>([
    ['a computed import', '', "async () => (await import('./lib/' + name)).head"],
    [
      'a computed import, early',
      "const all = await Promise.all(names.map((n) => import('./lib/' + n)));",
      '() => all',
    ],
    [
      'require by another name',
      "import { createRequire } from 'node:module';\nconst load = createRequire(import.meta.url);",
      '() => load(name)',
    ],
    ['require of another module', 'const load = require;', '() => load(name)'],
    ['eval', '', '() => eval(name)'],
  ])('%s: all that is there counts, whole, for both', async (_what, before, target) => {
    const files = {
      ...MODULES,
      'x.eval.ts': `${HEAD}import { meta } from './lib/one.ts';\n${before}
        export default defineEval({ name: 'x', data: [], target: ${target}, scorers: [() => meta] });`,
    };
    expect((await codeDigests(files)).isOpen).toBe(true);
    expect(await seen(files)).toEqual(BOTH);
  });

  test('what was loaded counts, though nothing in the code names it', async () => {
    const files = { ...MODULES, 'x.eval.ts': withTarget('const head = globalThis.load();', '() => head') };
    expect(await seen(files, [['x.eval.ts', './lib/one.ts', 'lib/one.ts']])).toEqual(BOTH);
    expect(await seen(files, [['other.ts', './lib/one.ts', 'lib/one.ts']])).toEqual([]);
  });

  test('packages that packages loaded count by their versions', async () => {
    const files = {
      'node_modules/a/package.json': '{ "version": "1", "sideEffects": false }',
      'node_modules/a/index.js': "export { b as a } from 'b';",
      'node_modules/b/package.json': '{ "version": "Old", "sideEffects": false }',
      'node_modules/b/index.js': 'export const b = 1;',
      'x.eval.ts': withTarget("import { a } from 'a';", '() => a'),
    };
    const asked: Asked = [
      ['x.eval.ts', 'a', 'node_modules/a/index.js'],
      ['node_modules/a/index.js', 'b', 'node_modules/b/index.js'],
    ];
    expect(await seen(files, asked)).toEqual(['target']);
  });
});
