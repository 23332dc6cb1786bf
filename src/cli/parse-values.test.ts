import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { parseCount, parseDuration, parseErrorsAllowed, parseNatural, parseUsd } from './parse-values.ts';

test.each([
  ['30', 30_000],
  ['30s', 30_000],
  ['250ms', 250],
  ['1.5h', 5_400_000],
  ['2 min', 120_000],
  ['60d', 5_184_000_000],
])('the duration %s is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

test.each([
  [parseDuration, ['', 'soon', '-3s', '1e9x', 's']],
  [parseCount, ['0', '-1', '1.5', 'x', '']],
  [parseNatural, ['-1', '1.5', 'x', '']],
  [parseUsd, ['0', '-1', 'x', '€3']],
  [parseErrorsAllowed, ['0', '-1', '1.5', 'x']],
])('%o refuses what is none', (parse, texts) => {
  for (const text of texts) expect(() => parse(text), text).toThrow(InvalidArgumentError);
});
