import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { titlesIn } from './tidy/test-titles.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const rows = read('test/invariants.md')
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => {
    const [number, words, proof = '', fault = ''] = line.slice(2, -2).split(' | ');
    const [, file = '', title = ''] = /^`([^`]+)` › (.+)$/.exec(proof) ?? [];
    return { number: Number(number), words, proof, file, title, fault: fault.replaceAll('`', '') };
  });

test('every invariant from A to I has a row, with a test and a fault, or why it cannot occur', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 117 }, (_, at) => at + 1));
  for (const { proof, file, fault } of rows) {
    if (proof.startsWith('– ')) expect(fault).toBe('–');
    else
      expect([file, fault]).toEqual([
        expect.stringMatching(/\.test\.ts$/),
        expect.stringMatching(/^[a-z]+\/[a-z0-9-]+$/),
      ]);
  }
  expect(rows.filter(({ file }) => file === '').length).toBeLessThanOrEqual(4);
});

test('every test that the table names exists', () => {
  const titles = new Map<string, readonly string[]>();
  const missing = rows.filter(({ file, title }) => {
    if (file === '') return false;
    const known = titles.get(file) ?? titlesIn(read(file));
    titles.set(file, known);
    return !known.includes(title);
  });
  expect(missing.map(({ number, title }) => `${number}: ${title}`)).toEqual([]);
});

test('every fault that the table names is there, and must be noticed by the file of its test', () => {
  const broken = rows.flatMap(({ number, file, fault }) => {
    if (file === '') return [];
    const path = `test/mutants/${fault}.patch`;
    if (!existsSync(join(ROOT, path))) return [`${number}: there is no ${path}`];
    return read(path).split('\n')[1]?.split(' ').includes(file)
      ? []
      : [`${number}: ${path} does not name ${file}`];
  });
  expect(broken).toEqual([]);
});
