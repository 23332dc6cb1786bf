import { expect, test } from 'vitest';
import type { FigureComparison } from '../../compare/index.ts';
import { flipCounts, oneSidedWords, toDecideWords } from './compare-words.ts';

const shown = { limit: 3, howToSeeAll: '--all lists them' };
const at = (id: string, ...epochs: number[]) => epochs.map((epoch) => ({ id, epoch }));

test('what only one run has is named; of the rest it says how many, and how to see them', () => {
  expect(oneSidedWords([...at('a', 1), ...at('b', 1)], shown)).toBe('2 samples: a, b');
  const many = ['a', 'b', 'c', 'd', 'e'].flatMap((id) => at(id, 1));
  expect(oneSidedWords(many, shown)).toBe('5 samples: a, b, c and 2 more (--all lists them)');
  expect(oneSidedWords(many, { ...shown, limit: Infinity })).toBe('5 samples: a, b, c, d, e');
});

test('each sample is named with the epochs that it lacks there, and with no others', () => {
  const keys = [...at('a', 2, 3), ...at('b', 1, 2, 3), ...at('c', 3, 2)];
  expect(oneSidedWords(keys, shown)).toBe('7 samples: a, c (epoch 2, 3); b (epoch 1, 2, 3)');
});

test('a sample that passes now has passed, also where a lower score is better', () => {
  const gained = { id: 'a', epoch: 1, from: 'I', to: 'C', isBetter: false };
  const about = { figure: 'refused', kind: 'pass/fail', pairs: 1, flips: [gained] } as const;
  expect(flipCounts({ ...about, betterWhen: 'lower' })).toBe('0 passed and fail now, 1 failed and pass now');
  expect(flipCounts({ ...about, flips: [{ ...gained, isBetter: true }], betterWhen: 'higher' })).toBe(
    '0 passed and fail now, 1 failed and pass now',
  );
});

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
