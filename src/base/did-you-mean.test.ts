import { expect, test } from 'vitest';
import { closest, didYouMean } from './did-you-mean.ts';

test.each([
  ['scorer', 'scorers'],
  ['sorcers', 'scorers'],
  ['max_output_tokens', 'maxOutputTokens'],
  ['time', undefined],
  ['zzz', undefined],
])('%s is closest to %s', (word, expected) => {
  expect(closest(word, ['scorers', 'data', 'maxOutputTokens'])).toBe(expected);
});

test('nothing is suggested where nothing is near', () => {
  expect(didYouMean('banana', ['name', 'data'])).toBe('');
});
