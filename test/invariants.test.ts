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
    return { number: Number(number), words, proofs: proof.split('<br>'), faults: fault.split('<br>') };
  });
/** Each test with its fault; none of those that cannot occur. */
const proofs = rows.flatMap(({ number, proofs: named, faults }) =>
  named.flatMap((proof, at) => {
    const [, file, title = ''] = /^`([^`]+)` › (.+)$/.exec(proof) ?? [];
    return file === undefined ? [] : { number, file, title, fault: (faults[at] ?? '').replaceAll('`', '') };
  }),
);

test('every invariant from A to I has a row, with a test and a fault, or why it cannot occur', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 117 }, (_, at) => at + 1));
  const without = rows.filter(({ number }) => !proofs.some((one) => one.number === number));
  for (const { proofs: reasons, faults } of without)
    expect([reasons, faults]).toEqual([[expect.stringMatching(/^– /)], ['–']]);
  expect(without.length).toBeLessThanOrEqual(2);
  for (const { number, proofs: named, faults } of rows.filter((row) => !without.includes(row)))
    expect([number, faults.length, proofs.filter((one) => one.number === number).length]).toEqual([
      ...[number, named.length, named.length],
    ]);
  for (const { file, fault } of proofs)
    expect([file, fault]).toEqual([
      expect.stringMatching(/\.test\.ts$/),
      expect.stringMatching(/^[a-z]+\/[a-z0-9-]+$/),
    ]);
});

test('every test that the table names exists', () => {
  const titles = new Map<string, readonly string[]>();
  const missing = proofs.filter(({ file, title }) => {
    const known = titles.get(file) ?? titlesIn(read(file));
    titles.set(file, known);
    return !known.includes(title);
  });
  expect(missing.map(({ number, title }) => `${number}: ${title}`)).toEqual([]);
});

test('every fault that the table names is there, and must be noticed by the file of its test', () => {
  const broken = proofs.flatMap(({ number, file, fault }) => {
    const path = `test/mutants/${fault}.patch`;
    if (!existsSync(join(ROOT, path))) return [`${number}: there is no ${path}`];
    return read(path).split('\n')[1]?.split(' ').includes(file)
      ? []
      : [`${number}: ${path} does not name ${file}`];
  });
  expect(broken).toEqual([]);
});
