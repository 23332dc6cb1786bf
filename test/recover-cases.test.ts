import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const rows = read('test/recover-cases.md')
  .split('\n')
  .filter((line) => /^\| .* \|$/.test(line) && !line.startsWith('| case '));

test('every case of Inspect’s own tests is in the table, with a test of ours or a reason', () => {
  // 142 of its tests, and 6 of its rule for second attempts.
  expect(rows).toHaveLength(148);
  for (const row of rows) expect(row).toMatch(/\| (`[^`]+`: .+|– .+) \|$/);
});

test('every test that the table names exists', () => {
  const missing: string[] = [];
  for (const row of rows) {
    const [, file, title] = /\| `([^`]+)`: (.+) \|$/.exec(row) ?? [];
    if (file === undefined || title === undefined) continue;
    if (!read(file).includes(`'${title}'`)) missing.push(`${file}: ${title}`);
  }
  expect(missing).toEqual([]);
});
