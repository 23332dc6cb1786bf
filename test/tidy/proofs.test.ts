/** What is promised is proved: by a test whose own name carries the clause, and one that asserts the error's code. */
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RATCHETS } from './ratchets.ts';
import { code, ROOT, read, tests, withoutComments } from './source-files.ts';
import { titlesIn } from './test-titles.ts';

const MADE_ERROR = /new (Actionable|Usage|Damage)Error\(\{[\s\S]*?\}\)/g;

test('every clause of a format or a port is carried by the name of a test', () => {
  const formats = globSync('docs/format/*.md', { cwd: ROOT });
  const clauses = new Set(
    [...formats, ...code].flatMap((path) => read(path).match(/\[[A-Z]{3,6}-\d+\]/g) ?? []),
  );
  const titles = tests.flatMap((path) => titlesIn(read(path))).join('\n');
  const unproved = [...clauses].filter((clause) => !titles.includes(clause)).sort();
  expect(unproved.length, `no test is named for ${unproved.join(', ')}`).toBeLessThanOrEqual(
    RATCHETS.unprovedClauses,
  );
});

test('every error code is asserted by a test', () => {
  const codes = new Set(
    code.flatMap((path) => read(path).match(/'E_[A-Z0-9_]+'/g) ?? []).map((text) => text.slice(1, -1)),
  );
  // A test that throws an error of ours itself has not seen anybody else throw it.
  const proofs = tests.map((path) => withoutComments(read(path)).replace(MADE_ERROR, '')).join('\n');
  const unasserted = [...codes].filter((name) => !new RegExp(`\\b${name}\\b`).test(proofs)).sort();
  expect(unasserted.length, `no test asserts ${unasserted.join(', ')}`).toBeLessThanOrEqual(
    RATCHETS.unassertedCodes,
  );
});
