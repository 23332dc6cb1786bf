import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../exit-code.ts';
import { WAIT_EXITS } from './wait-exits.ts';

const GUIDE = join(import.meta.dirname, '../../../docs/guide');

/** Rows `| 4 | … |` and `| 5 to 9 | … |` of a page. */
function rowsOf(page: string): readonly (readonly [codes: string, text: string])[] {
  const text = readFileSync(join(GUIDE, page), 'utf8');
  return [...text.matchAll(/^\| (\d(?: to \d)?) \| (.*) \|$/gm)].map(([, codes = '', said = '']) => [
    codes,
    said,
  ]);
}

test('the guide to many machines has the very table of exit codes that the help shows', () => {
  const rows = rowsOf('many-machines.md').map(([code, text]) => [code, text.replaceAll('`', '')]);
  expect(Object.fromEntries(rows)).toEqual(WAIT_EXITS);
});

test('every exit code has a row among the commands, or among those who wait', () => {
  const codes = rowsOf('commands.md').flatMap(([text]) => {
    const [from = 0, to = from] = text.split(' to ').map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
  expect(codes).toEqual(Object.values(EXIT));
  expect(Object.keys(WAIT_EXITS).map(Number)).toEqual(Object.values(EXIT));
});
