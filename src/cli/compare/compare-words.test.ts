import { expect, test } from 'vitest';
import { flipCounts, oneSidedWords } from './compare-words.ts';

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
