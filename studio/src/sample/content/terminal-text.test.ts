import { describe, expect, test } from 'vitest';
import { terminalParts } from './terminal-text.ts';

const ESC = '\u001b';

function seen(text: string): string {
  return (terminalParts(text) ?? [{ text }]).map((part) => part.text).join('');
}

function stylesOf(text: string) {
  return (terminalParts(text) ?? []).map(({ text: said, style }) => [said, style.colour, style.background]);
}

describe('what a terminal would show', () => {
  test.each([
    ['plain\r\nlines\r\n', 'plain\nlines\n'],
    ['10 %\r55 %\r100 %\ndone', '100 %\ndone'],
    ['cleared\rover', 'overred'],
    [`cleared\r${ESC}[Kover`, 'over'],
    [`${ESC}[2K\rnew`, 'new'],
    ['abc\b\bX', 'aXc'],
    [`see ${ESC}]8;;https://a.test${ESC}\\the docs${ESC}]8;;${ESC}\\ now`, 'see the docs now'],
    [`see ${ESC}]8;;javascript:x\u0007link${ESC}]8;;\u0007`, 'see link'],
    [`${ESC}]0;title\u0007body`, 'body'],
    [`a${ESC}[3Cb`, 'a   b'],
    [`${ESC}[?25lhidden cursor${ESC}[?25h${ESC}(B`, 'hidden cursor'],
    [`a${ESC}[99999999Cb`, `a${' '.repeat(9_999)}b`],
  ])('%j', (text, expected) => expect(seen(text)).toBe(expected));

  test('in all colours, and over lines', () => {
    expect(stylesOf(`${ESC}[31mred\nstill${ESC}[0m not ${ESC}[48;5;196;1mcube`)).toEqual([
      ['red', 1, undefined],
      ['\n', undefined, undefined],
      ['still', 1, undefined],
      [' not ', undefined, undefined],
      ['cube', undefined, '255, 0, 0'],
    ]);
    expect(
      stylesOf(`${ESC}[38;2;1;2;3mtrue${ESC}[38;5;244mgrey${ESC}[38;5;9mbright${ESC}[39;104mbehind`),
    ).toEqual([
      ['true', '1, 2, 3', undefined],
      ['grey', '128, 128, 128', undefined],
      ['bright', 9, undefined],
      ['behind', undefined, 12],
    ]);
  });

  test('what was written over keeps the colours of the rest', () => {
    expect(stylesOf(`${ESC}[32mgreen\r${ESC}[31mred`)).toEqual([
      ['red', 1, undefined],
      ['en', 2, undefined],
    ]);
  });

  test('text without codes is left alone', () => expect(terminalParts('plain\ntext')).toBeUndefined());

  test('a bar that is drawn ten thousand times takes no time', () => {
    const from = performance.now();
    expect(
      seen(Array.from({ length: 10_000 }, (_, at) => `\r${String(at).padStart(80, '#')}`).join('')),
    ).toHaveLength(80);
    expect(performance.now() - from).toBeLessThan(30_000);
  });
});
