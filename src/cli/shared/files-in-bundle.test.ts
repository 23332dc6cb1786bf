import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import type { Bundle } from '../../bundle/index.ts';
import { type EvalDefinition, normalizeEval } from '../../evals/index.ts';
import type { PlannedItem } from '../../runner/index.ts';
import { refuseFilesLeftOut } from './files-in-bundle.ts';

const dir = useTempDir();

/** Of a project whose bundle has these files, and an eval in its folder `evals`. */
async function refused(
  has: { readonly files?: readonly object[]; readonly data?: readonly object[] },
  reads: Partial<EvalDefinition>,
): Promise<string | undefined> {
  const definition = { name: 'e', data: [{ input: 'a' }], target: () => 'a', scorers: [], ...reads };
  const item = { eval: normalizeEval(definition as EvalDefinition), baseDir: join(dir.path, 'evals') };
  const bundle = { dir: 'evals', manifest: { files: [], data: [], ...has } };
  try {
    await refuseFilesLeftOut(item as object as PlannedItem, bundle as object as Bundle, item.baseDir);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'E_BUNDLE_WITHOUT_FILE', name: 'UsageError' });
    return /reads (\S+),/.exec(String(error))?.[1];
  }
}

function write(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(join(dir.path, path, '..'), { recursive: true });
    writeFileSync(join(dir.path, path), '{"input":"a"}\n');
  }
}

test('E_BUNDLE_WITHOUT_FILE: rows that are in no file of the bundle are refused, each file that a pattern names', async () => {
  write('evals/a.jsonl', 'evals/b.jsonl');
  const a = { path: 'evals/a.jsonl' };
  expect(await refused({ files: [a] }, { data: 'a.jsonl' })).toBeUndefined();
  expect(await refused({}, { data: 'a.jsonl' })).toBe('evals/a.jsonl');
  expect(await refused({ files: [a] }, { data: { file: ['*.jsonl'] } })).toBe('evals/b.jsonl');
  expect(
    await refused({ files: [a], data: [{ path: 'evals/b.jsonl' }] }, { data: '*.jsonl' }),
  ).toBeUndefined();
});

test('a workspace of which nothing is in the bundle is refused; what the code may make where it runs, and what lies outside of the project, is not', async () => {
  write('evals/prompts/one.md', 'evals/prompts/made.md', 'evals/made.sqlite');
  const target = { command: ['agent'], workspace: 'prompts' };
  expect(await refused({}, { target })).toBe('evals/prompts');
  expect(await refused({ files: [{ path: 'evals/prompts/one.md' }] }, { target })).toBeUndefined();
  expect(await refused({ files: [{ path: 'evals/prompts', link: 'one' }] }, { target })).toBeUndefined();
  expect(await refused({}, { inputs: ['made.sqlite'] })).toBeUndefined();
  expect(await refused({}, { target: { command: ['agent'], workspace: '../../outside' } })).toBeUndefined();
});

test('a link of the bundle leads to files of the bundle', async () => {
  write('evals/rows/a.jsonl');
  symlinkSync('rows', join(dir.path, 'evals/latest'));
  const files = [{ path: 'evals/latest', link: 'rows' }];
  expect(await refused({ files }, { data: 'latest/a.jsonl' })).toBeUndefined();
});
