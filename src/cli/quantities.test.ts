import { expect, test } from 'vitest';
import { counted, formatBytes, formatCount, formatDuration, formatScore, formatUsd } from './quantities.ts';

test.each([
  [0, '0'],
  [9_999, '9999'],
  [12_345, '12.3k'],
  [4_560_000, '4.56M'],
])('a count of %d reads %s', (value, text) => expect(formatCount(value)).toBe(text));

test.each([
  [0, '$0'],
  [0.00001, '<$0.0001'],
  [0.0042, '$0.0042'],
  [12.345, '$12.35'],
  [1_234.5, '$1,235'],
])('%d dollars read %s', (value, text) => expect(formatUsd(value)).toBe(text));

test.each([
  [300, '0.3 s'],
  [12_300, '12 s'],
  [200_000, '3 min 20 s'],
  [7_500_000, '2 h 5 min'],
])('%d ms read %s', (value, text) => expect(formatDuration(value)).toBe(text));

test('bytes, scores and nouns', () => {
  expect([formatBytes(812), formatBytes(14_200), formatBytes(3_100_000)]).toEqual([
    '812 B',
    '14.2 KB',
    '3.1 MB',
  ]);
  expect([formatScore(0.5), formatScore(1), formatScore(12), formatScore(Number.NaN)]).toEqual([
    '0.500',
    '1.000',
    '12',
    '–',
  ]);
  expect([counted(1, 'sample'), counted(0, 'sample')]).toEqual(['1 sample', '0 samples']);
});
