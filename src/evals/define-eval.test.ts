import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ActionableError } from '../base/index.ts';
import { dataFile, defineEval } from './define-eval.ts';
import type { EvalDefinition, ScorerContext } from './eval.ts';
import { normalizeEval, planTarget, scorerSpecs } from './normalize-eval.ts';
import { includes } from './scorers/includes.ts';
import { scorer } from './scorers/scorer.ts';

const base = { name: 'e', data: [{ input: 'q', target: 'a' }], scorers: [includes()] };

function problemOf(definition: object): ActionableError {
  try {
    normalizeEval(definition as EvalDefinition);
  } catch (error) {
    return error as ActionableError;
  }
  throw new Error('it was accepted');
}

describe('types', () => {
  test('input and target come from the data, the output from the target function', () => {
    const defined = defineEval({
      name: 'typed',
      data: [{ input: { question: 'q' }, target: 3 }],
      filter: (row) => {
        expectTypeOf(row.input).toEqualTypeOf<{ question: string }>();
        return true;
      },
      target: async ({ input, target, id }) => {
        expectTypeOf(input).toEqualTypeOf<{ question: string }>();
        expectTypeOf(target).toEqualTypeOf<number | undefined>();
        expectTypeOf(id).toEqualTypeOf<string | number>();
        return { words: [input.question] };
      },
      scorers: [
        includes(),
        ({ output, target, input }) => {
          expectTypeOf(output).toEqualTypeOf<{ words: string[] }>();
          expectTypeOf(target).toEqualTypeOf<number | undefined>();
          expectTypeOf(input).toEqualTypeOf<{ question: string }>();
          return output.words.length === target;
        },
        scorer('count', ({ output }: ScorerContext<unknown, { words: string[] }>) => output.words.length),
      ],
    });
    expectTypeOf(defined).toEqualTypeOf<EvalDefinition<{ question: string }, { words: string[] }, number>>();
    // Whatever takes an eval takes this one.
    expectTypeOf(defined).toExtend<EvalDefinition>();
  });

  test('where nothing can be inferred, it is text', () => {
    const model = defineEval({
      name: 'm',
      data: 'rows.jsonl',
      target: 'openai/x',
      scorers: [({ output }) => output.length],
    });
    expectTypeOf(model).toEqualTypeOf<EvalDefinition<string, string, string>>();
  });

  test('rows of files can have types, and iterables and functions give theirs', () => {
    const file = defineEval({
      name: 'f',
      data: dataFile<{ n: number }, boolean>('rows.jsonl'),
      target: ({ input }) => input.n,
      scorers: [({ output, target }) => output > 1 === target],
    });
    expectTypeOf(file).toEqualTypeOf<EvalDefinition<{ n: number }, number, boolean>>();
    const generated = defineEval({
      name: 'g',
      data: async function* () {
        yield { input: 1, target: 'x' };
      },
      target: async ({ input }) => input + 1,
      scorers: [({ output }) => output > 1],
    });
    expectTypeOf(generated).toEqualTypeOf<EvalDefinition<number, number, string>>();
  });

  test('a scorer function that takes the output for something else is refused by the compiler', () => {
    defineEval({
      name: 'w',
      data: [{ input: 'q' }],
      target: async () => 'text',
      // @ts-expect-error the output is text, and text has no toFixed
      scorers: [({ output }) => output.toFixed(1)],
    });
  });
});

describe('normalizing', () => {
  test('fills in every default', () => {
    expect(normalizeEval(base)).toMatchObject({
      name: 'e',
      version: 0,
      tags: [],
      metadata: {},
      target: { kind: 'none' },
      epochs: { count: 1 },
      limits: {},
      retries: 0,
      failOnError: false,
      threshold: {},
    });
  });

  test('scorers get unique keys, functions their names, and all of them metrics', () => {
    const mine = () => 1;
    const { scorers } = normalizeEval({
      ...base,
      scorers: [includes(), includes({ ignoreCase: false }), mine, () => 0],
    });
    expect(scorers.map(({ key, name }) => [key, name])).toEqual([
      ['includes', 'includes'],
      ['includes1', 'includes'],
      ['mine', 'mine'],
      ['scorer', 'scorer'],
    ]);
    expect(scorers.every((item) => item.metrics[0]?.name === 'accuracy')).toBe(true);
  });

  test('the log gets scorers with options and metrics', () => {
    const planned = normalizeEval({ ...base, scorers: [includes({ ignoreCase: true })] });
    expect(scorerSpecs(planned)).toEqual([
      {
        name: 'includes',
        options: { ignoreCase: true },
        metrics: [
          { name: 'accuracy', options: {} },
          { name: 'stderr', options: {} },
        ],
      },
    ]);
  });

  test('the kind of target is decided', () => {
    const run = () => 'x';
    expect(planTarget('openai/x')).toEqual({ kind: 'model', spec: { model: 'openai/x' } });
    expect(planTarget(run)).toEqual({ kind: 'function', run });
    expect(planTarget({ command: ['a'] }).kind).toBe('command');
    expect(planTarget({ preset: 'claude' }).kind).toBe('command');
    expect(planTarget({ url: 'http://x' }).kind).toBe('http');
    const model = {
      specificationVersion: 'v4',
      provider: 'mock',
      modelId: 'x',
      doGenerate: async () => ({}),
    };
    expect(normalizeEval({ ...base, target: model }).target).toEqual({ kind: 'modelObject', model });
    expect(planTarget(undefined).kind).toBe('none');
  });

  test('epochs, reducers and seeds', () => {
    expect(normalizeEval({ ...base, epochs: 3 }).epochs).toEqual({ count: 3 });
    expect(normalizeEval({ ...base, epochs: { count: 3, reducer: 'pass_at_3' } }).epochs).toEqual({
      count: 3,
      reducers: ['pass_at_3'],
    });
    expect(normalizeEval({ ...base, shuffle: true }).shuffle).toBe(0);
    expect(normalizeEval({ ...base, shuffle: 5 }).shuffle).toBe(5);
    expect(normalizeEval({ ...base, shuffle: false })).not.toHaveProperty('shuffle');
  });

  test('a score is checked when it is given', async () => {
    const { scorers } = normalizeEval({ ...base, scorers: [() => undefined as never] });
    const context = {} as ScorerContext;
    await expect((async () => scorers[0]?.score(context))()).rejects.toMatchObject({
      code: 'E_SCORER_RESULT',
    });
  });
});

describe('what is refused', () => {
  test.each<[object, string]>([
    [{ nmae: 'x' }, '"nmae" is not a word of an eval; did you mean "name"?'],
    [{ name: '' }, '"name" must be a text that is not empty'],
    [{ name: undefined }, '"name" is missing'],
    [{ data: undefined }, '"data" is missing'],
    [{ data: 5 }, '"data" must be rows, a function that gives rows, or the path of a file, not the number 5'],
    [
      { data: { file: 'x', feilds: {} } },
      '"data.feilds" is not a word of a data file; did you mean "fields"?',
    ],
    [{ scorers: includes() }, '"scorers" must be a list of scorers, not an object'],
    [
      { scorers: ['includes'] },
      '"scorers[0]" must be a scorer such as includes(), or a function, not the text "includes"',
    ],
    [{ target: 5 }, '"target" must be a function, the name of a model, or an object'],
    [{ target: {} }, '"target" must say what it is by one of the keys'],
    [{ target: { model: 'x', temp: 1 } }, '"target.temp" is not a word of a model target'],
    [{ target: { command: 'run me' } }, '"target.command" must be a list, one text for each argument'],
    [{ target: { url: 'x', method: 'DELETE' } }, '"target.method" must be one of GET, POST, PUT'],
    [{ limit: -1 }, '"limit" must be a whole number of at least 1, not the number -1'],
    [{ epochs: 1.5 }, '"epochs" must be a whole number from 1 to 100,000, not the number 1.5'],
    [{ epochs: { count: 100_001 } }, '"epochs.count" must be a whole number from 1 to 100,000'],
    [
      { epochs: { count: 2, reducer: 'best' } },
      '"epochs.reducer" names a reducer that does not exist, "best"',
    ],
    [{ epochs: { count: 2, reducer: 'pass_at_3' } }, 'needs at least 3 epochs, not 2'],
    [{ epochs: { count: 2, reducer: ['mean', 'mean'] } }, '"epochs.reducer" names mean twice'],
    [{ metrics: ['meen'] }, '"metrics[0]" names a metric that does not exist, "meen"; did you mean "mean"?'],
    [{ metrics: ['grouped'] }, '"metrics[0]" is grouped without options'],
    [
      { metrics: [{ name: 'ci', options: { level: 95 } }] },
      '"metrics[0].options.level" must be between 0 and 1',
    ],
    [
      { metrics: [{ name: 'mean', options: { cluster: 'x' } }] },
      '"metrics[0].options.cluster" is not a word of the options of mean',
    ],
    [{ limits: { time: 5 } }, '"limits.time" is not a word of limits; did you mean "timeMs"?'],
    [{ threshold: { accuracy: 'high' } }, '"threshold.accuracy" must be a number'],
    [
      { threshold: { acuracy: 0.5 } },
      '"threshold" names a metric that this eval does not compute, "acuracy"; did you mean "accuracy"?',
    ],
    [{ shuffle: 'yes' }, '"shuffle" must be true, false or a whole number'],
    [{ failOnError: -1 }, '"failOnError" must be a number of at least 0'],
    [{ filter: 'x' }, '"filter" must be a function, or an object'],
    [{ tags: 'x' }, '"tags" must be a list of texts'],
  ])('%j', (change, message) => {
    const error = problemOf({ ...base, ...change });
    expect(error.code).toBe('E_EVAL_INVALID');
    expect(error.message).toContain(message);
    expect(error.hint).toContain('writing-evals.md');
  });

  test('the eval is named, and further problems are counted', () => {
    expect(problemOf({ ...base, limit: 0, retries: -1 }).message).toBe(
      'In the eval "e", "limit" must be a whole number of at least 1, not the number 0 (and 1 more).',
    );
    expect(problemOf([]).message).toContain('In an eval, the eval must be an eval, not a list');
  });

  test('defineEval refuses at once', () => {
    expect(() => defineEval({ ...base, limit: 0 })).toThrow('"limit"');
  });
});
