import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../base/index.ts';
import { tInterval, wilsonInterval } from './intervals.ts';
import { type ComputeResultsInput, computeResults, scorerKeys } from './results.ts';
import type { SampleScores } from './score-table.ts';

type Partial = Omit<ComputeResultsInput, 'totalSamples' | 'completedSamples'>;

async function compute(input: Partial) {
  return computeResults({ ...input, totalSamples: 9, completedSamples: 8 });
}

function samplesOf(
  values: readonly Json[],
  metadata: (index: number) => JsonObject = () => ({}),
): SampleScores[] {
  return values.map((value, index) => ({
    id: index + 1,
    epoch: 1,
    scores: { match: { value } },
    metadata: metadata(index),
  }));
}

describe('results', () => {
  test('worked by hand: C, I, C, P', async () => {
    const { results, reductions } = await compute({
      samples: samplesOf(['C', 'I', 'C', 'P']),
      scorers: [{ name: 'match' }],
    });
    // mean 0.625; deviations .375 −.625 .375 −.125, squares sum 0.6875; /3 = 0.229167; √(…/4) = 0.239357
    expect(results).toEqual({
      total_samples: 9,
      completed_samples: 8,
      scores: [
        {
          name: 'match',
          scorer: 'match',
          scored_samples: 4,
          unscored_samples: 0,
          params: {},
          metrics: {
            accuracy: { name: 'accuracy', value: 0.625, params: {} },
            stderr: { name: 'stderr', value: expect.closeTo(0.2393568, 6), params: {} },
          },
        },
      ],
    });
    expect(reductions).toEqual([
      {
        scorer: 'match',
        samples: [1, 0, 1, 0.5].map((value, index) => ({ value, history: [], sample_id: index + 1 })),
      },
    ]);
  });

  test('NaN is left out and counted as unscored', async () => {
    const { results } = await compute({
      samples: samplesOf(['C', Number.NaN, 'I']),
      scorers: [{ name: 'match' }],
    });
    expect(results.scores[0]).toMatchObject({ scored_samples: 2, unscored_samples: 1 });
    expect(results.scores[0]?.metrics.accuracy?.value).toBe(0.5);
  });

  test('when nothing is scored, every metric is NaN', async () => {
    const metrics = [
      'accuracy',
      'stderr',
      'ci',
      { name: 'grouped', options: { metric: 'mean', group_key: 'x' } },
    ];
    const { results } = await compute({
      samples: samplesOf([Number.NaN]),
      scorers: [{ name: 'match', metrics }],
    });
    const values = Object.entries(results.scores[0]?.metrics ?? {}).map(([key, { value }]) => [key, value]);
    expect(values).toEqual([
      ['accuracy', Number.NaN],
      ['stderr', Number.NaN],
      ['ci', Number.NaN],
      ['grouped', Number.NaN],
    ]);
    const none = await compute({ samples: [], scorers: [{ name: 'match' }] });
    expect(none.results.scores[0]?.metrics.accuracy?.value).toBeNaN();
  });

  test('epochs are reduced by string(id), each named reducer on its own', async () => {
    const epochs: SampleScores[] = [
      { id: 1, epoch: 1, scores: { match: { value: 'C' } } },
      { id: 'b', epoch: 1, scores: { match: { value: 'I' } } },
      { id: '1', epoch: 2, scores: { match: { value: 'I' } } },
      { id: 'b', epoch: 2, scores: { match: { value: 'I' } } },
    ];
    const { results, reductions } = await compute({
      samples: epochs,
      scorers: [{ name: 'match' }],
      reducers: ['mean', 'at_least_1'],
    });
    expect(results.scores.map((score) => [score.reducer, score.metrics.accuracy?.value])).toEqual([
      ['mean', 0.25],
      ['at_least_1', 0.5],
    ]);
    expect(
      reductions.map(({ reducer, samples }) => [reducer, samples.map((sample) => sample.value)]),
    ).toEqual([
      ['mean', [0.5, 0]],
      ['at_least_1', [1, 0]],
    ]);
    expect(reductions[0]?.samples.map((sample) => sample.sample_id)).toEqual([1, 'b']);
  });

  test('no reducers at all: every epoch counts, and there are no reductions', async () => {
    const epochs = [1, 2, 3].map((epoch) => ({
      id: 'a',
      epoch,
      scores: { match: { value: epoch === 1 ? 'C' : 'I' } },
    }));
    const { results, reductions } = await compute({
      samples: epochs,
      scorers: [{ name: 'match' }],
      reducers: [],
    });
    expect(results.scores[0]).toMatchObject({ scored_samples: 3 });
    expect(results.scores[0]?.metrics.accuracy?.value).toBeCloseTo(1 / 3, 12);
    expect(reductions).toEqual([]);
  });

  test('scorers of one name are stored under base, base1, base2', async () => {
    expect(scorerKeys(['inspect_ai/match', 'match', 'other', 'match'])).toEqual([
      'match',
      'match1',
      'other',
      'match2',
    ]);
    const samples = [{ id: 1, epoch: 1, scores: { match: { value: 1 }, match1: { value: 0 } } }];
    const { results } = await compute({ samples, scorers: [{ name: 'match' }, { name: 'match' }] });
    expect(results.scores.map((score) => [score.name, score.metrics.accuracy?.value])).toEqual([
      ['match', 1],
      ['match1', 0],
    ]);
  });

  test('a score that no scorer claims gets accuracy and stderr', async () => {
    const samples = [{ id: 1, epoch: 1, scores: { extra: { value: 'C' } } }];
    const { results } = await compute({ samples, scorers: [] });
    expect(results.scores[0]).toMatchObject({ name: 'extra', scorer: 'extra' });
    expect(Object.keys(results.scores[0]?.metrics ?? {})).toEqual(['accuracy', 'stderr']);
  });

  test("the eval's metrics take the place of the scorers'", async () => {
    const { results } = await compute({
      samples: samplesOf([1, 2]),
      scorers: [{ name: 'match', metrics: ['accuracy'] }],
      metrics: ['mean', 'std', 'var'],
    });
    const metrics = results.scores[0]?.metrics ?? {};
    expect(Object.keys(metrics)).toEqual(['mean', 'std', 'var']);
    expect([metrics.mean?.value, metrics.std?.value, metrics.var?.value]).toEqual([1.5, Math.SQRT1_2, 0.5]);
  });

  test('repeated metrics are keyed by number; packages are left out of the key only', async () => {
    const metrics = [
      'inspect_ai/accuracy',
      'accuracy',
      { name: 'stderr', options: { cluster: 'topic' } },
      'accuracy',
    ];
    const { results } = await compute({
      samples: samplesOf(['C', 'I'], (index) => ({ topic: index })),
      scorers: [{ name: 'match', metrics, options: { ignoreCase: true }, metadata: { by: 'me' } }],
    });
    const score = results.scores[0];
    expect(Object.keys(score?.metrics ?? {})).toEqual(['accuracy', 'accuracy2', 'stderr', 'accuracy3']);
    expect(score?.metrics.accuracy?.name).toBe('accuracy');
    expect(score?.metrics.stderr?.params).toEqual({ cluster: 'topic' });
    expect(score).toMatchObject({ params: { ignoreCase: true }, metadata: { by: 'me' } });
  });

  test('a metric with several numbers gives one entry each, with its group', async () => {
    const metrics = ['ci', { name: 'grouped', options: { metric: 'mean', group_key: 'topic' } }];
    const { results } = await compute({
      samples: samplesOf([1, 0, 1, 1], (index) => ({ topic: index < 2 ? 'art' : 'law', unused: 'x' })),
      scorers: [{ name: 'match', metrics }],
    });
    const found = results.scores[0]?.metrics ?? {};
    // mean 0.75, stderr 0.25, t(3) 3.18244631
    expect(found.lower).toMatchObject({ name: 'lower', group: 'ci', value: expect.closeTo(-0.0456116, 6) });
    expect(found.upper).toMatchObject({ name: 'upper', group: 'ci', value: expect.closeTo(1.5456116, 6) });
    expect(found.art).toMatchObject({ name: 'art', group: 'grouped', value: 0.5 });
    expect(found.law?.value).toBe(1);
    expect(found.all?.value).toBe(0.75);
  });

  test('a metric within groups sees its own metadata, too', async () => {
    const metric = { name: 'stderr', options: { cluster: 'source' } };
    const { results, warnings } = await compute({
      samples: samplesOf([1, 0, 1, 1], (index) => ({ topic: 'art', source: `s${index % 2}` })),
      scorers: [
        {
          name: 'match',
          metrics: [{ name: 'grouped', options: { metric, group_key: 'topic', all: false } }],
        },
      ],
    });
    expect(warnings).toEqual([]);
    // Sums of deviations from 0.75 are 0.5 and −0.5; √(0.5 · 2) / 4.
    expect(results.scores[0]?.metrics.art?.value).toBeCloseTo(0.25, 12);
  });

  test('grouped over groups, without an overall value, and by truth values', async () => {
    const grouped = (options: JsonObject) => ({
      name: 'grouped',
      options: { metric: 'mean', group_key: 'hard', ...options },
    });
    const { results } = await compute({
      samples: samplesOf([1, 0, 0], (index) => ({ hard: index > 0 })),
      scorers: [
        {
          name: 'match',
          metrics: [grouped({ all: 'groups', all_label: 'overall' }), grouped({ all: false })],
        },
      ],
    });
    const values = Object.entries(results.scores[0]?.metrics ?? {}).map(([key, { value }]) => [key, value]);
    expect(values).toEqual([
      ['False', 1],
      ['True', 0],
      ['overall', 0.5],
      ['False2', 1],
      ['True2', 0],
    ]);
  });

  test('metrics by key expand globs and name the entry after the key', async () => {
    const samples = samplesOf([{ clear: 1, kind: 'C' }, { clear: 0, kind: 'C' }, Number.NaN]);
    const { results } = await compute({
      samples,
      scorers: [{ name: 'match', metrics: { '*': ['mean', 'ci'] } }],
    });
    expect(
      results.scores.map((score) => [score.name, score.scorer, score.scored_samples, score.unscored_samples]),
    ).toEqual([
      ['clear', 'match', 2, 1],
      ['kind', 'match', 2, 1],
    ]);
    expect(Object.keys(results.scores[0]?.metrics ?? {})).toEqual(['mean', 'ci_lower', 'ci_upper']);
    expect(results.scores[1]?.metrics.mean?.value).toBe(1);
    const both = await compute({
      samples,
      scorers: [{ name: 'match', metrics: ['mean', { clear: ['std'] }] }],
    });
    expect(both.results.scores.map((score) => score.name)).toEqual(['match', 'clear']);
    expect(both.warnings).toEqual(['match: 2 of 2 values are not numbers and count as 0.']);
  });

  test('what cannot be computed is NaN with a warning, never an exception', async () => {
    const { results, warnings } = await compute({
      samples: samplesOf(['C', 'maybe'], (index) => (index === 0 ? { topic: 'a' } : {})),
      scorers: [{ name: 'match', metrics: [{ name: 'stderr', options: { cluster: 'topic' } }, 'their/own'] }],
    });
    expect(Object.keys(results.scores[0]?.metrics ?? {})).toEqual(['stderr']);
    expect(results.scores[0]?.metrics.stderr?.value).toBeNaN();
    expect(warnings).toEqual([
      'match: stderr needs metadata "topic" in every sample, and sample 2 has none.',
      'match: the metric "their/own" is not known here and is left out.',
    ]);
  });

  test('a hundred thousand samples from a stream', async () => {
    async function* stream(): AsyncGenerator<SampleScores> {
      for (let id = 0; id < 100_000; id++) {
        yield {
          id,
          epoch: 1,
          scores: { match: { value: id % 4 === 0 ? 'C' : 'I', explanation: `e${id}`.repeat(50) } },
        };
      }
    }
    const { results, reductions } = await compute({ samples: stream(), scorers: [{ name: 'match' }] });
    expect(results.scores[0]?.metrics.accuracy?.value).toBe(0.25);
    expect(reductions[0]?.samples).toHaveLength(100_000);
    // Texts are kept up to a limit, values always.
    expect(reductions[0]?.samples[0]?.explanation).toBeDefined();
    expect(reductions[0]?.samples.at(-1)).toEqual({ value: 0, history: [], sample_id: 99_999 });
  });
});

test.each([0.5, 0.95, 0.99])('ci and ci_wilson are of the level %d that is asked for', async (level) => {
  const { results } = await compute({
    samples: samplesOf([1, 1, 0, 1]),
    scorers: [{ name: 'match', metrics: ['ci', 'ci_wilson'].map((name) => ({ name, options: { level } })) }],
  });
  const { lower, upper, lower2, upper2 } = results.scores[0]?.metrics ?? {};
  const plain = tInterval({ values: [1, 1, 0, 1], level });
  expect({ lower: lower?.value, upper: upper?.value }).toEqual(plain);
  expect({ lower: lower2?.value, upper: upper2?.value }).toEqual(wilsonInterval(3, 4, level));
});

describe('scores that are records', () => {
  const samples = samplesOf([{ form: 1, sense: 0 }, { form: 1, sense: 1 }, Number.NaN]);

  test('have one result for each key, the same as with metrics for the key *', async () => {
    const byKey = await compute({ samples, scorers: [{ name: 'match' }], countsRecords: true });
    const named = await compute({
      samples,
      scorers: [{ name: 'match', metrics: { '*': ['accuracy', 'stderr'] } }],
    });
    expect(byKey.results).toEqual(named.results);
    expect(byKey.results.scores).toMatchObject([
      {
        name: 'form',
        scorer: 'match',
        scored_samples: 2,
        unscored_samples: 1,
        metrics: { accuracy: { value: 1 } },
      },
      {
        name: 'sense',
        scorer: 'match',
        scored_samples: 2,
        unscored_samples: 1,
        metrics: { accuracy: { value: 0.5 } },
      },
    ]);
    expect(byKey.warnings).toEqual([]);
  });

  test('count as Inspect counts them where that is asked for, and where not all are records', async () => {
    const asInspect = await compute({ samples, scorers: [{ name: 'match' }] });
    expect(asInspect.results.scores).toMatchObject([{ name: 'match', metrics: { accuracy: { value: 0 } } }]);
    const mixed = await compute({
      samples: samplesOf([{ form: 1 }, 1]),
      scorers: [{ name: 'match' }],
      countsRecords: true,
    });
    expect(mixed.results.scores.map(({ name }) => name)).toEqual(['match']);
  });

  test.each([undefined, []])('a null in one of them counts as 0, with reducers %j', async (reducers) => {
    const { results } = await compute({
      samples: samplesOf([{ a: 1, b: null }, { a: 1, b: 1 }, null]),
      scorers: [{ name: 'match', metrics: { '*': ['mean'] } }],
      ...(reducers && { reducers }),
    });
    expect(results.scores).toMatchObject([
      { name: 'a', scored_samples: 2, unscored_samples: 1, metrics: { mean: { value: 1 } } },
      { name: 'b', scored_samples: 2, unscored_samples: 1, metrics: { mean: { value: 0.5 } } },
    ]);
  });
});
