import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { parseModule } from './module-outline.ts';
import { syntaxDigest } from './syntax-digest.ts';

const BIOME = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

async function digestOf(text: string, format: 'typescript' | 'module' = 'typescript') {
  const program = await parseModule(text, format);
  if (!program) throw new Error(`cannot be parsed: ${text}`);
  return syntaxDigest(program.body);
}

const BEFORE = `
import { generateText } from 'ai'
const greeting = "it's"
const limits = { "depth": 0XAB, 'per-day': 1.50, list: [1,2,3,] }
let nothing;;
const pattern = /a+/ig
class Asker { #left = 10; static kind = 'x'; ask(question) { return (question) } }
async function answer(sample, { generate }) {
  if (sample.input) { const { text } = await generate({ prompt: \`Say \${sample.input}\`, system: 'Be "brief"' }); return text }
  else return [1_000, ((a, b) => (a + b)), function () { return new Date }]
}
export default answer
`;

describe('[CODE-1] what only looks different is the same', () => {
  test.each([
    ['quotes', `const a = 'x "y"'`, `const a = "x \\"y\\""`],
    ['semicolons', `const a = 1\nconst b = 2`, `const a = 1;;\nconst b = 2;`],
    ['trailing commas and lines', `f(a, [b,\n c,\n])`, `f(a, [b, c]);`],
    ['comments', `/** why */ const a = 1 // yes`, `const a = 1`],
    ['types', `const a: number = f<string>(b as Text)!`, `const a = f(b)`],
    ['types that are declared', `interface A { x: 1 }\ntype B = A;\nconst a = 1`, `const a = 1`],
    ['brackets', `const a = ((x) => ((x + 1)))`, `const a = x => x + 1`],
    ['numbers', `f(0XAB, 1.50, 1_000, 1E3)`, `f(171, 1.5, 1000, 1e3)`],
    ['quoted keys', `const a = { 'b': 1, "c-d": 2 }`, `const a = { b: 1, 'c-d': 2 }`],
    ['keys that are not written out', `const a = { b: b }`, `const a = { b }`],
    ['flags of a pattern', `/a/ig`, `/a/gi`],
    ['escapes', `const a = '\\u0041'`, `const a = 'A'`],
    ['new without brackets', `new Date`, `new Date()`],
  ])('%s', async (_what, one, other) => {
    expect(await digestOf(one)).toBe(await digestOf(other));
  });

  test.each([
    [
      [
        '--indent-style=tab',
        '--javascript-formatter-quote-style=single',
        '--semicolons=as-needed',
        '--line-width=40',
      ],
    ],
    [
      [
        '--indent-width=8',
        '--javascript-formatter-quote-style=double',
        '--trailing-commas=none',
        '--line-width=320',
      ],
    ],
    [
      [
        '--quote-properties=preserve',
        '--arrow-parentheses=as-needed',
        '--bracket-spacing=false',
        '--jsx-quote-style=single',
      ],
    ],
  ])('a formatter with %j', async (flags) => {
    const formatted = spawnSync(process.execPath, [BIOME, 'format', '--stdin-file-path=x.ts', ...flags], {
      input: BEFORE,
      encoding: 'utf8',
    });
    expect(formatted.stdout).not.toBe(BEFORE);
    expect(formatted.stdout).toContain('greeting');
    expect(await digestOf(formatted.stdout)).toBe(await digestOf(BEFORE));
  });
});

describe('[CODE-1] what says something else is different', () => {
  test.each([
    ['a number', `f(1)`, `f(2)`],
    ['a text', `f('a')`, `f('b')`],
    ['a text and a number', `f('1')`, `f(1)`],
    ['a name', `f(a)`, `f(b)`],
    ['an operator', `a + b`, `a - b`],
    ['the order of arguments', `f(a, b)`, `f(b, a)`],
    ['brackets that matter', `(a + b) * c`, `a + b * c`],
    ['a hole in a list', `f([, 1])`, `f([1])`],
    ['await', `await f()`, `f()`],
    ['async', `const f = async () => 1`, `const f = () => 1`],
    ['a template', '`a $' + '{b}`', '`a  $' + '{b}`'],
    ['what a tag sees', 'String.raw`\\u0041`', 'String.raw`A`'],
    ['optional chaining', `a?.b`, `a.b`],
    ['a computed key', `f({ [a]: 1 })`, `f({ a: 1 })`],
    ['a prototype', `f({ __proto__ })`, `f({ __proto__: __proto__ })`],
    ['null and nothing', `f(null)`, `f(undefined)`],
    ['a big number', `f(1n)`, `f(1)`],
    ['static', `class A { static b() {} }`, `class A { b() {} }`],
    ['a private name', `class A { #b = 1 }`, `class A { b = 1 }`],
    ['let and const', `let a = 1`, `const a = 1`],
  ])('%s', async (_what, one, other) => {
    expect(await digestOf(one, 'module')).not.toBe(await digestOf(other, 'module'));
  });
});
