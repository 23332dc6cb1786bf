/** The rules are only as good as what reads the source for them. */
import { expect, test } from 'vitest';
import { functionsIn } from './functions.ts';
import { findCycles } from './import-cycles.ts';
import { titlesIn } from './test-titles.ts';

test('titles are those of tests and of groups with a test inside', () => {
  const source = `
    test('[AAA-1] plain', () => expect(f(')')).toBe(1));
    test.each([['(', /[)]/]])('[AAA-2] %s', () => {});
    test.skipIf(!x)(
      "[AAA-3] with 'quotes'",
      () => {},
    );
    describe('[AAA-4] a group', () => {
      test('inside', () => {});
    });
    describe('[AAA-5] an empty group', () => {});
    // [AAA-6] only said
    const text = '[AAA-7] only a text';
    regex.test('[AAA-8] no test');
    test(\`[AAA-9] \${name}\`, () => {});
  `;
  const titles = titlesIn(source).join('\n');
  expect(titles.match(/AAA-\d/g)?.sort()).toEqual(['AAA-1', 'AAA-2', 'AAA-3', 'AAA-4', 'AAA-9']);
});

test('a function ends where it began, however its parameters are laid out', () => {
  const source = [
    'export async function wide(',
    '  a: number,',
    '): Promise<{',
    '  b: number;',
    '}> {',
    '  if (a) {',
    '    run();',
    '  }',
    '}',
    'class Thing {',
    '  get #size(): number {',
    '    return 1;',
    '  }',
    '}',
    'const short = (x: number) => {',
    '  return x;',
    '};',
  ].join('\n');
  expect(functionsIn(source)).toEqual([
    { name: 'wide', line: 1, lines: 9 },
    { name: '#size', line: 11, lines: 3 },
    { name: 'short', line: 15, lines: 3 },
  ]);
});

test('a circle is found whole, and only a circle', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', []],
    ['e', ['e']],
  ]);
  expect(findCycles(graph)).toEqual([['a', 'b', 'c'], ['e']]);
});
