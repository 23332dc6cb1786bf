/** The tool that puts faults into the source, on a small project of its own. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir, type TempDir } from '../sim/temp-dir.ts';
import { parseMutant } from './mutant.ts';
import { findFailing, tryMutant } from './try-mutant.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = {
  'package.json': '{ "type": "module" }\n',
  'tsconfig.json':
    '{ "compilerOptions": { "noEmit": true, "strict": true, "types": [], "skipLibCheck": true, "target": "es2024" }, "include": ["src/sum.ts"] }\n',
  'src/sum.ts': 'export function sum(a: number, b: number): number {\n  return a + b;\n}\n',
  'src/sum.test.ts':
    "import { expect, test } from 'vitest';\nimport { sum } from './sum.ts';\ntest('[SUM-1] sums', () => expect(sum(1, 2)).toBe(3));\n",
  'src/red.test.ts': "import { expect, test } from 'vitest';\ntest('fails', () => expect(1).toBe(2));\n",
};

async function tryFault(dir: TempDir, body: { readonly from?: string; readonly to: string }) {
  const { from = '  return a + b;', to } = body;
  const path = 'fault.patch';
  const text = [
    '# promise: sums are sums',
    '# tests: src/sum.test.ts',
    '--- a/src/sum.ts',
    '+++ b/src/sum.ts',
    '@@ -1,3 +1,3 @@',
    ' export function sum(a: number, b: number): number {',
    `-${from}`,
    `+${to}`,
    ' }',
    '',
  ].join('\n');
  writeFileSync(join(dir.path, path), text);
  return tryMutant(parseMutant(path, text), { tree: dir.path, timeLimitMs: 8_000 });
}

async function project(): Promise<TempDir> {
  const dir = await makeTempDir();
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(dir.path, name)), { recursive: true });
    writeFileSync(join(dir.path, name), text);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(dir.path, 'node_modules'));
  return dir;
}

test('each fault gets the verdict that it deserves, and is taken out again', async () => {
  await using dir = await project();
  expect(await tryFault(dir, { to: '  return a - b;' })).toMatchObject({
    verdict: 'noticed',
    detail: '[SUM-1] sums',
  });
  expect(await tryFault(dir, { to: '  return b + a;' })).toMatchObject({ verdict: 'UNNOTICED' });
  expect(await tryFault(dir, { to: "  return 'a';" })).toMatchObject({ verdict: 'does not compile' });
  expect(await tryFault(dir, { from: '  return a * b;', to: '  return 1;' })).toMatchObject({
    verdict: 'does not apply',
  });
  expect(await tryFault(dir, { to: '  for (;;) a++;' })).toMatchObject({ verdict: 'hung' });
  expect(
    await findFailing(['src/sum.test.ts', 'src/red.test.ts'], { tree: dir.path, timeLimitMs: 60_000 }),
  ).toEqual(['src/red.test.ts']);
}, 120_000);

test('a patch without its two lines is refused by name', () => {
  expect(() => parseMutant('test/mutants/log/x.patch', '--- a\n+++ b\n')).toThrow('test/mutants/log/x.patch');
  expect(parseMutant('test/mutants/log/x.patch', '# promise: p\n# tests: a.test.ts b.test.ts\n')).toEqual({
    name: 'log/x',
    path: 'test/mutants/log/x.patch',
    promise: 'p',
    tests: ['a.test.ts', 'b.test.ts'],
  });
});
