import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ActionableError } from '../../base/index.ts';
import { EXIT, exitCodeOfShared } from '../exit-code.ts';
import { UNTOLD, WAIT_EXITS } from './wait-exits.ts';

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

test.each([
  ['our own bug', new TypeError('x is not a function'), EXIT.unknown, EXIT.unknown],
  ['workers that could not be launched', coded('E_LAUNCH_START'), EXIT.failed, EXIT.failed],
  ['a full disk', coded('E_DISK_FULL'), EXIT.interrupted, EXIT.unknown],
])('what a command about a shared run ends with for %s is in its help', (_, error, waited, listed) => {
  expect(exitCodeOfShared(error, WAIT_EXITS)).toBe(waited);
  expect(exitCodeOfShared(error, { 0: 'it was shown', ...UNTOLD })).toBe(listed);
});

function coded(code: `E_${string}`): ActionableError {
  return new ActionableError({ code, message: 'it failed', hint: 'try again' });
}
