import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { MarkdownText } from './markdown.tsx';
import { hasMaths } from './math-words.ts';
import { KATEX } from './maths.ts';

function shown(text: string): string {
  return renderToStaticMarkup(createElement(MarkdownText, { text, drawn: KATEX }));
}

/** What a reader sees: maths as ⟦its source⟧, in « » where it stands on a line of its own. */
function seen(text: string): string {
  return shown(text)
    .replaceAll(/<math[^>]*display="block"[^>]*>.*?<annotation[^>]*>(.*?)<\/annotation>.*?<\/math>/gs, '«$1»')
    .replaceAll(/<math[^>]*>.*?<annotation[^>]*>(.*?)<\/annotation>.*?<\/math>/gs, '⟦$1⟧')
    .replaceAll('\n»', '»')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .trim();
}

describe('dollars', () => {
  test.each([
    'It costs $5 and then $10 more.',
    'between $5-$10',
    'from $5 to 10$ or so',
    'it is 5$ here and 7$ there',
    'US$5 and A$7',
    '$5 a month, or 50$ once',
    '$5k up front (or 3$)',
    '$20, or $30',
    'set $HOME and $PATH',
    '$HOME/$USER',
    '$ x $',
    '$(x).on($)',
    '$1,000 and\n$2,000',
    '$$ is the pid of the shell',
    'an open $x + y',
  ])('that are not maths stay: %j', (text) => {
    expect(seen(text)).toBe(text);
  });

  test.each([
    ['A tank holds $V(t) = 3t^2$ after $t$ minutes', 'A tank holds ⟦V(t) = 3t^2⟧ after ⟦t⟧ minutes'],
    ['$x$ costs $5 and $y$ costs $10.', '⟦x⟧ costs $5 and ⟦y⟧ costs $10.'],
    ['in $[0, 1)$, ($x$)', 'in ⟦[0, 1)⟧, (⟦x⟧)'],
    ['$a_1 * b_2 * c$', '⟦a_1 * b_2 * c⟧'],
    ['$5 + 3 = 8$', '⟦5 + 3 = 8⟧'],
    ['so $$\\frac{1}{2}$$ then', 'so «\\frac{1}{2}» then'],
    ['$$\nx = 1\n- 2\n$$', '«x = 1\n- 2»'],
    ['> $$\n> x\n> $$', '«x»'],
    ['a \\$5 and $x$', 'a $5 and ⟦x⟧'],
  ])('that are maths are drawn: %j', (text, expected) => {
    expect(hasMaths(text)).toBe(true);
    expect(seen(text)).toBe(expected);
  });

  test('in code are code', () => {
    expect(seen('`$x$` and $y$')).toBe('$x$ and ⟦y⟧');
    expect(shown('```\n$$\nx\n$$\n```')).not.toContain('<math');
  });

  test('a mark that nothing closes takes nothing behind it', () => {
    expect(seen('$$\nx\n\nThe **end**')).toBe('$$\nx\nThe end');
    expect(seen('$$\nx\n\nThe **end**\n$$')).toBe('$$\nx\nThe end\n$$');
  });
});

describe('backslashes', () => {
  test.each([
    ['so \\(x^2\\) and \\( y \\)', 'so ⟦x^2⟧ and ⟦y⟧'],
    ['\\[ x = \\frac{1}{2} \\]', '«x = \\frac{1}{2}»'],
    ['\\[\nx = 1\n+ 2\n\\]', '«x = 1\n+ 2»'],
    ['\\(a \\\\) b\\)', '⟦a \\\\) b⟧'],
  ])('mark maths: %j', (text, expected) => {
    expect(hasMaths(text)).toBe(true);
    expect(seen(text)).toBe(expected);
  });

  test.each(['call \\(not closed', 'the regex \\[a-z\\w and \\d+\\)', 'C:\\{x} \\, \\;', 'an end \\)'])(
    'stay where they mark none: %j',
    (text) => expect(seen(text)).toBe(text),
  );

  test('many that are open take no time', () => {
    const from = performance.now();
    shown('\\( '.repeat(15_000));
    expect(performance.now() - from).toBeLessThan(30_000);
  });
});

test('an address that must not be followed is text', () => {
  expect(shown('[a link](javascript:evil)')).toBe('<p>a link (javascript:evil)</p>');
  expect(shown('[a link](https://a.test)')).toContain('href="https://a.test"');
});
