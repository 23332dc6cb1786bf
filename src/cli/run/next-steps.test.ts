import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandText, quoteWord } from './next-steps.ts';

test('the command that goes on has the same words, but starts from what is there', () => {
  expect(commandText(['run', 'a b.eval.ts', '--fresh', '-m', 'mock/echo'])).toBe(
    `holdfast run 'a b.eval.ts' -m mock/echo`,
  );
});

test('a shell reads a quoted word back as it was', () => {
  const word = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !text.includes('\0') && text.isWellFormed());
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
      const script = `for w in "$@"; do :; done; printf '%s\\0' ${words.map(quoteWord).join(' ')}`;
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(
        words,
      );
    }),
    { numRuns: 30 },
  );
});
