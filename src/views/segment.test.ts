import fc from 'fast-check';
import { expect, test } from 'vitest';
import { segmentOf, textOfSegment } from './index.ts';

test('any text is one part of an address, and comes back', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom('', '.', '..', '...', '~', '~.', '~~', '%2e', '/', '.a'),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const segment = encodeURIComponent(segmentOf(text));
      const { pathname } = new URL(`http://x/s/${segment}/1`);
      expect(pathname).toBe(`/s/${segment}/1`);
      expect(textOfSegment(decodeURIComponent(segment))).toBe(text);
    }),
  );
});
