import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRanges, positionsIn, rangesText } from './ranges.ts';

test('positions come back from their text, each once and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200)), (positions) => {
      const ranges = parseRanges(rangesText(positions));
      expect([...positionsIn(ranges ?? [])]).toEqual([...new Set(positions)].sort((a, b) => a - b));
    }),
  );
});

test.each(['a', '1-', '-1', '3-2', '1,,2', '1 2'])('%j is no list of ranges', (text) => {
  expect(parseRanges(text)).toBeUndefined();
});
