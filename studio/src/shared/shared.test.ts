import { describe, expect, test } from 'vitest';
import type { SharedRates } from '../../../src/server/api.ts';
import { rateColumns, ratesSaid, stepText } from './rate-columns.ts';
import { ageText, jobText, sampleShares, workerShown } from './shared-words.ts';

const rates = (completed: readonly number[], stepMs = 30_000): SharedRates => {
  const none = completed.map(() => 0);
  return {
    startMs: 0,
    stepMs,
    completed: [...completed],
    failed: none,
    lost: none,
    builds: none,
    usd: completed.map(() => 0.5),
  };
};

describe('how fast a shared run goes', () => {
  test('is said of the last intervals that are over, and of all', () => {
    expect(ratesSaid(rates([1, 1, 5, 5, 5, 5, 5, 0]), true)).toBe(
      '10 samples a minute over the last 2m 30s, 6.8 samples a minute on average',
    );
  });

  test('is said of all where it is over, and that nothing came where that is so', () => {
    expect(ratesSaid(rates([4, 4, 4, 4, 4, 4, 4]), false)).toBe('8.0 samples a minute on average');
    expect(ratesSaid(rates([9, 0, 0, 0, 0, 0, 0]), true)).toMatch(
      /^Nothing was completed in the last 2m 30s; /,
    );
    expect(ratesSaid(rates([0, 0]), true)).toBe('No sample was completed yet');
    expect(ratesSaid(rates([1, 1], 3_600_000), false)).toBe('1.0 samples an hour on average');
  });

  test('money adds up from column to column', () => {
    expect(rateColumns(rates([1, 2, 3])).map(({ usd }) => usd)).toEqual([0.5, 1, 1.5]);
  });

  test.each([
    [1_000, '1 s'],
    [30_000, '30 s'],
    [300_000, '5 min'],
    [7_200_000, '2 h'],
  ])('%d ms is %s', (ms, text) => expect(stepText(ms)).toBe(text));
});

describe('words of shared runs', () => {
  test('unknown is said, never a number', () => {
    expect([null, undefined, 0, 999, 12_345, 75_000].map(ageText)).toEqual([
      'unknown',
      'unknown',
      '< 1 s',
      '< 1 s',
      '12 s',
      '1m 15s',
    ]);
  });

  test('a worker that lives and refuses is shown as refusing; one that fell silent as silent', () => {
    expect(workerShown({ state: 'live', refuses: 'no Node' }).word).toBe('refuses');
    expect(workerShown({ state: 'silent', refuses: 'no Node' }).word).toBe('silent');
    expect(workerShown({ state: 'unknown' }).word).toBe('unknown');
  });

  test('jobs are called by their samples and units', () => {
    expect(jobText({ job: 's3', sample: { id: 'a', epoch: 1 } })).toBe('a');
    expect(jobText({ job: 's3', sample: { id: 7, epoch: 2 } })).toBe('7 · epoch 2');
    expect(jobText({ job: 'b00', unit: 'knowledge/x' })).toBe('knowledge/x');
    expect(jobText({ job: 's3' })).toBe('s3');
  });

  test('the parts of the bar are all of the plan', () => {
    const ended = { completed: 1, reused: 2, errored: 3, aside: 4, damaged: 7 };
    const samples = { planned: 28, ...ended, running: 5, due: 6 };
    expect(sampleShares({ samples }).reduce((sum, { count }) => sum + count, 0)).toBe(28);
  });
});
