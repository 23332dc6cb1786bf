import { expect, test } from 'vitest';
import type { FigureComparison } from './compare-figure.ts';
import { toDecideWords } from './words.ts';

test('where no difference was seen it says what would have shown, and what cannot', () => {
  const figure = (
    samples: number,
    wouldDecide: NonNullable<FigureComparison['wouldDecide']>,
    flips: FigureComparison['flips'] = [],
  ): FigureComparison => ({
    ...{
      figure: 'exact',
      kind: 'pass/fail',
      betterWhen: 'higher',
      verdict: 'cannot tell',
      test: 'mcnemar-exact',
    },
    ...{ samples, pairs: samples, before: 1, after: 1, difference: 0, p: 1, flips, wouldDecide },
    leftOut: { errored: 0, unscored: 0 },
  });
  const flip = { id: 'a', epoch: 1, from: 'C', to: 'I', isBetter: false };
  expect(toDecideWords(figure(1_200, { sameWay: 6, detectable: 0.005 }))).toBe(
    'No sample differed; 6 of these 1,200 samples going the same way (a difference of 0.005) would have shown.',
  );
  expect(toDecideWords(figure(3, { sameWay: 6 }))).toBe(
    'No sample differed, and with 3 samples none can be told: it takes at least 6.',
  );
  expect(toDecideWords(figure(3, { sameWay: 6 }, [flip]))).toBe(
    'No difference was seen, and with 3 samples none can be told: it takes at least 6.',
  );
  expect(toDecideWords(figure(0, {}))).toBe('');
});
