import { describe, expect, test } from 'vitest';
import { type Files, seenBy } from '../../test/sim/code-digests.ts';

const HEAD = "import { defineEval, exact } from 'holdfast';\n";
const BOTH = ['target', 'scoring'];

/** All that is old becomes new. */
const seen = (files: Files) =>
  seenBy(
    files,
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll('Old', 'New')])),
  );

const evalOf = (
  before: string,
  { data = '[]', target = '() => 1', scorer = '() => 1' }: Readonly<Record<string, string>>,
): string =>
  `${HEAD}${before}\nexport default defineEval({ name: 'x', data: ${data}, target: ${target}, scorers: [${scorer}] });`;

describe('[CODE-3] what a target leaves behind for scorers is there only where it runs', () => {
  const judge = "({ sample }) => traces.get(sample.id) === 'Old'";
  test.each<readonly [string, Files]>([
    [
      'in a map',
      {
        'x.eval.ts': evalOf('const traces = new Map();', {
          target: '({ sample }) => { traces.set(sample.id, 1); return 1; }',
          scorer: judge,
        }),
      },
    ],
    [
      'in a map of another module',
      {
        'state.ts': 'export const traces = new Map();',
        'x.eval.ts': evalOf("import { traces } from './state.ts';", {
          target: '({ sample }) => { traces.set(sample.id, 1); return 1; }',
          scorer: judge,
        }),
      },
    ],
    [
      'in a map of another module, under another name',
      {
        'state.ts': 'const all = new Map();\nexport { all as kept };',
        'pass.ts': "export * from './state.ts';",
        'ask.ts':
          "import { kept as notes } from './pass.ts';\nexport const ask = ({ sample }) => { notes.set(sample.id, 1); return 1; };",
        'x.eval.ts': evalOf("import { ask } from './ask.ts';\nimport { kept as traces } from './state.ts';", {
          target: 'ask',
          scorer: judge,
        }),
      },
    ],
    [
      'in a map of a whole module',
      {
        'state.ts': 'export const traces = new Map();',
        'x.eval.ts': evalOf("import * as state from './state.ts';\nimport { traces } from './state.ts';", {
          target: '({ sample }) => { state.traces.set(sample.id, 1); return 1; }',
          scorer: judge,
        }),
      },
    ],
    [
      'in a variable, by a function that only the target calls',
      {
        'x.eval.ts': evalOf('let last = 0;\nfunction note(n) { last = n; }', {
          target: '() => { note(2); return 1; }',
          scorer: "() => last + 'Old'.length",
        }),
      },
    ],
    [
      'in an object',
      {
        'x.eval.ts': evalOf('const seen = {};', {
          target: '() => { Object.assign(seen, { a: 1 }); return 1; }',
          scorer: "() => seen.a === 'Old'",
        }),
      },
    ],
  ])('%s: a scorer that was edited needs the target to run again', async (_what, files) => {
    expect(await seen(files)).toEqual(BOTH);
  });

  test.each<readonly [string, string, Readonly<Record<string, string>>]>([
    [
      'what both fill themselves',
      'const cache = new Map();\nfunction split(text) { if (!cache.has(text)) cache.set(text, 1); return cache.get(text); }',
      { target: '({ input }) => split(input)', scorer: "({ text }) => split(text) === 'Old'" },
    ],
    [
      'what scorers do not look at',
      'const calls = [];',
      { target: '() => { calls.push(1); return 1; }', scorer: "() => 'Old'" },
    ],
    [
      'what nobody changes',
      'const table = new Map([[1, 2]]);',
      { target: '() => table.get(1)', scorer: "() => table.get('Old')" },
    ],
  ])('%s is no reason', async (_what, before, parts) => {
    expect(await seen({ 'x.eval.ts': evalOf(before, parts) })).toEqual(['scoring']);
  });
});

describe('[CODE-3] what makes or chooses rows counts for whoever looks at what it leaves behind', () => {
  const rows = "export function rows() { table.set('a', 'Old'); return [{ id: 'a', input: 'a' }]; }";
  test.each<readonly [string, Files, readonly string[]]>([
    [
      'a table for the target',
      {
        'rows.ts': `export const table = new Map();\n${rows}`,
        'x.eval.ts': evalOf("import { rows, table } from './rows.ts';", {
          data: 'rows',
          target: '({ input }) => table.get(input)',
        }),
      },
      ['target'],
    ],
    [
      'a table of another module, for scorers',
      {
        'table.ts': 'export const table = new Map();',
        'rows.ts': `import { table } from './table.ts';\n${rows}`,
        'x.eval.ts': evalOf("import { rows } from './rows.ts';\nimport { table } from './table.ts';", {
          data: 'rows',
          scorer: '({ text }) => table.get(text)',
        }),
      },
      ['scoring'],
    ],
    [
      'nothing',
      {
        'x.eval.ts': evalOf('', {
          data: "() => { const all = []; all.push({ id: 'a', input: 'Old' }); return all; }",
        }),
      },
      [],
    ],
  ])('%s', async (_what, files, whose) => {
    expect(await seen(files)).toEqual(whose);
  });
});
