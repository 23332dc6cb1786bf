import { expect, test } from 'vitest';
import { createStyle } from './style.ts';
import { cutStyled, oneLine, renderTable, shorten, widthOf, wrapWords } from './table.ts';

test('columns are as wide as they need to be, numbers to the right', () => {
  const text = renderTable(
    [{ title: 'run' }, { title: 'kept', align: 'right' }],
    [
      ['capitals', '7'],
      ['x', '112'],
    ],
    { width: 80 },
  );
  expect(text).toBe('run       kept\ncapitals     7\nx          112');
});

test('a table wider than the screen shortens the column that may shrink', () => {
  const text = renderTable([{ title: 'path', shrinks: true }, { title: 'size' }], [['a'.repeat(50), '1 B']], {
    width: 30,
  });
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(30);
});

test('a shortened text keeps its start and its end', () => {
  expect(shorten('abcdefghij', 5)).toBe('ab…ij');
  expect(shorten('abc', 5)).toBe('abc');
});

test('text from outside cannot move the cursor', () => {
  expect(oneLine('a\u001b[2Jb\r\nc\u0007')).toBe('ab c');
});

test('a long sentence is broken between words', () => {
  expect(wrapWords('one two three four', 9, 2)).toBe('one two\n  three\n  four');
  expect(wrapWords('unbreakablylong', 5, 2)).toBe('unbreakablylong');
  expect(wrapWords('note  text', 80, 6)).toBe('note  text');
});

test('a line with colours is cut to its width, and its colours end', () => {
  const style = createStyle(true);
  const line = `${style.bold('abcdef')} ${style.good('ghi')}`;
  expect(cutStyled(line, 10)).toBe(line);
  expect(widthOf(cutStyled(line, 5))).toBe(5);
  expect(cutStyled(line, 5)).toContain(style.bold('abcd').replace('abcd', 'abcd…').slice(0, 6));
  expect(cutStyled(line, 5).endsWith(style.good('x').slice(-4))).toBe(true);
  expect(cutStyled('abcdef', 1)).toBe('…');
});
