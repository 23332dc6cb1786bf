import { describe, expect, test } from 'vitest';
import {
  asValue,
  type Completion,
  type Completions,
  commandForRuns,
  completeRunQuery,
  completeSampleQuery,
  formatAgo,
  formatBytes,
  formatCount,
  formatDifference,
  formatDuration,
  formatInterval,
  formatP,
  formatPercent,
  formatRunTime,
  formatScore,
  formatShortCount,
  formatUsd,
  LIMIT,
  type Look,
  lookOfRun,
  OUTCOMES,
  RUN_SORT_KEYS,
  scoreNamed,
  shellWord,
} from './index.ts';

describe('numbers as they are shown', () => {
  test.each([
    [formatScore(0.7344), '0.734'],
    [formatScore(1), '1.000'],
    [formatScore(1234), '1,234'],
    [formatScore(-0.5), '−0.500'],
    [formatScore(null), '–'],
    [formatScore(Number.NaN), '–'],
    [formatInterval({ value: 0.734, low: 0.703, high: 0.765 }), '±0.031'],
    [formatInterval({ value: 0.734, low: 0.7032, high: 0.7655 }), '±0.031'],
    [formatInterval({ value: 0.911, low: 0.785, high: 0.967 }), '[0.785, 0.967]'],
    [formatInterval({ value: 1, low: 0.838, high: 1 }), '[0.838, 1.000]'],
    [formatInterval({ value: -0.5, low: -0.9, high: 0.1 }), '[−0.900, 0.100]'],
    [formatInterval({ value: null, low: 0.1, high: 0.2 }), '[0.100, 0.200]'],
    [formatInterval({ value: 0.5 }), ''],
    [formatDifference(0.021), '+0.021'],
    [formatDifference(-0.0441), '−0.044'],
    [formatDifference(-0.00001), '0.000'],
    [formatPercent(0.734), '73 %'],
    [formatPercent(0.001), '<1 %'],
    [formatPercent(0.999), '>99 %'],
    [formatPercent(1), '100 %'],
    [formatUsd(0), '$0'],
    [formatUsd(0.0042), '$0.0042'],
    [formatUsd(0.00425), '$0.0043'],
    [formatUsd(0.004), '$0.004'],
    [formatUsd(0.00000042), '$0.00000042'],
    [formatUsd(0.00999), '$0.01'],
    [formatUsd(0.0098), '$0.0098'],
    [formatUsd(0.31), '$0.31'],
    [formatUsd(41.2), '$41.20'],
    [formatUsd(999.999), '$1,000'],
    [formatUsd(1234.5), '$1,235'],
    [formatUsd(-2), '−$2.00'],
    [formatUsd(null), '–'],
    [formatDuration(830), '830 ms'],
    [formatDuration(999.7), '1.0 s'],
    [formatDuration(12_400), '12.4 s'],
    [formatDuration(59_960), '1m 00s'],
    [formatDuration(372_000), '6m 12s'],
    [formatDuration(3_840_000), '1h 04m'],
    [formatDuration(3_599_900), '1h 00m'],
    [formatDuration(183_600_000), '2d 03h'],
    [formatDuration(undefined), '–'],
    [formatRunTime(0), '<1 s'],
    [formatRunTime(12_400), '12.4 s'],
    [formatCount(1_234_567), '1,234,567'],
    [formatCount(999), '999'],
    [formatCount(-1234.5), '−1,234.5'],
    [formatShortCount(950), '950'],
    [formatShortCount(12_345), '12.3k'],
    [formatShortCount(999_990), '1M'],
    [formatBytes(14_200), '14.2 KB'],
    [formatBytes(3_100_000), '3.1 MB'],
    [formatAgo('2026-11-15T10:00:00Z', Date.parse('2026-11-15T12:00:00Z')), '2h'],
    [formatAgo('2026-11-15T11:59:59Z', Date.parse('2026-11-15T12:00:00Z')), 'now'],
    [formatAgo('2026-01-15T11:59:59Z', Date.parse('2026-11-15T12:00:00Z')), '2026-01-15'],
    [formatP(0.0081), 'p = .008'],
    [formatP(0.00001), 'p < .001'],
  ])('%s', (shown, expected) => {
    expect(shown).toBe(expected);
  });

  test('every outcome has a glyph and a word of its own', () => {
    const looks: readonly Look[] = [...Object.values(OUTCOMES), LIMIT];
    expect(new Set(looks.map(({ glyph }) => glyph)).size).toBe(looks.length);
    expect(new Set(looks.map(({ word }) => word)).size).toBe(looks.length);
    expect(lookOfRun({ damage: 'gone' }).word).toBe('damaged');
  });
});

describe('the command that gives the same rows', () => {
  test('takes the very filter and order', () => {
    expect(commandForRuns({})).toBe('holdfast results list');
    expect(
      commandForRuns({ q: `eval:swe* "it's"`, sort: '-cost,eval', limit: 20, sources: ['../a b'] }),
    ).toBe(
      `holdfast results list --where 'eval:swe* "it'\\''s"' --sort=-cost,eval --limit 20 --source '../a b'`,
    );
    expect(shellWord('$x')).toBe("'$x'");
  });
});

describe('completion', () => {
  const words = {
    evals: [
      { word: 'swe-lite', count: 30 },
      { word: 'two words', count: 2 },
    ],
    targets: [],
    tags: [],
    statuses: [{ word: 'success', count: 9 }],
  };
  const at = (q: string): Completions => completeRunQuery(q, q.length, words);
  const texts = (q: string) => at(q).items.map(({ text }) => text);

  test('of fields, from what is begun', () => {
    expect(texts('')).toContain('eval:');
    expect(texts('ev')[0]).toBe('eval:');
    expect(texts('cost>1 ta')).toEqual(expect.arrayContaining(['target:', 'tag:']));
    expect(completeRunQuery('cost>1 ta x', 9, words)).toMatchObject({ from: 7, to: 9 });
    expect(texts('-st')).toContain('status:');
  });

  test('of values, those that occur first, quoted where they must be', () => {
    expect(at('eval:').items).toEqual<readonly Completion[]>([
      { text: 'swe-lite', about: '', count: 30 },
      { text: '"two words"', about: '', count: 2 },
    ]);
    expect(texts('eval:two')).toEqual(['"two words"']);
    expect(completeRunQuery('eval:"two w', 11, words)).toMatchObject({
      from: 5,
      to: 11,
      items: [{ text: '"two words"' }],
    });
    expect(texts('status:')[0]).toBe('success');
    expect(texts('is:da')).toEqual(['damaged']);
    expect(texts('since:')).toContain('30d');
    expect(texts('nothing:')).toEqual([]);
    expect(texts('cost>')).toEqual([]);
  });

  test('of names after a dot', () => {
    const known = { scores: ['match', 'my score'], metadataKeys: ['level'] };
    const of = (q: string) => completeSampleQuery(q, q.length, known).items.map(({ text }) => text);
    expect(of('score.')).toEqual(['score.match', 'score."my score"']);
    expect(of('metadata.le')).toEqual(['metadata.level']);
    expect(of('score:')).toEqual(['pass', 'fail', 'partial']);
    expect(asValue('a b')).toBe('"a b"');
    // After `cost>` it would be another operator.
    expect(asValue('=a')).toBe('"=a"');
  });
});

test('a score is known by its metric, its name, its scorer, or two of them', () => {
  const scores = [{ scorer: 'm', name: 'n', metric: 'accuracy', value: 1 }];
  const item = { run: '', form: 'log' as const, place: '', name: '' };
  const facts = {
    eval: '',
    target: '',
    tags: [],
    status: '',
    samples: { total: 0, completed: 0, errored: 0 },
    scores,
    usd: null,
    start: '',
    end: '',
    durationMs: 0,
  };
  for (const name of [undefined, 'Accuracy', 'n', 'm', 'n.accuracy', 'm/accuracy'])
    expect(scoreNamed({ ...item, facts }, name)).toBe(scores[0]);
  expect(scoreNamed({ ...item, facts }, 'x')).toBeUndefined();
  expect(scoreNamed(item, undefined)).toBeUndefined();
  expect(RUN_SORT_KEYS).toContain('cost');
});
