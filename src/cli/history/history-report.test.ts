import { expect, test } from 'vitest';
import { spark } from './history-report.ts';

test('a spark shows shares by the whole range from 0 to 1, and other numbers by their own', () => {
  expect(spark([0, 0.5, 1])).toBe('▁▅█');
  expect(spark([0.7, 0.71])).toBe('▆▆');
  expect(spark([10, 20, 30])).toBe('▁▅█');
  expect(spark([5, 5])).toBe('▁▁');
});
