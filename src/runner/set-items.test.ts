import { describe, expect, test } from 'vitest';
import type { EvalDefinition } from '../evals/index.ts';
import { exact } from '../evals/index.ts';
import { type EvalSource, planSetItems } from './set-items.ts';

const source = (more: Partial<EvalDefinition> = {}): EvalSource => ({
  definition: { name: 'x', data: [{ id: 1, input: 'a' }], scorers: [exact()], ...more },
  file: 'x.eval.ts',
  baseDir: '/',
});

const plan = (evals: readonly EvalSource[], models: readonly string[] = [], changes = {}) =>
  planSetItems(evals, { models, changes });

test('each eval on each model is an item of its own; a model named twice counts once', () => {
  const { items } = plan([source(), source({ name: 'y' })], ['mock/a', 'mock/b', 'mock/a']);
  expect(items.map((item) => `${item.eval.name} ${item.model}`)).toEqual([
    'x mock/a',
    'x mock/b',
    'y mock/a',
    'y mock/b',
  ]);
});

test('the model of the command line takes the place of the one in the definition, settings stay', () => {
  const { items } = plan([source({ target: { model: 'openai/gpt-5', temperature: 0 } })], ['mock/a']);
  const target = { kind: 'model', spec: { model: 'mock/a', temperature: 0 } };
  expect(items[0]).toMatchObject({ eval: { target }, model: 'mock/a' });
  const plain = plan([source({ target: 'openai/gpt-5' })], ['mock/a']).items[0];
  expect(plain?.eval.target).toEqual({ kind: 'model', spec: { model: 'mock/a' } });
});

test('a model changes nothing for a command or an endpoint, which is said, and it runs once', () => {
  const { items, notes } = plan([source({ target: { url: 'http://x' } })], ['mock/a', 'mock/b']);
  expect(items).toHaveLength(1);
  expect(notes[0]).toContain('--model changes nothing');
});

test('two evals of one name are refused', () => {
  expect(() => plan([source(), source()])).toThrow('Two evals are called "x"');
});

describe('changes', () => {
  const changed = (changes: object, more: Partial<EvalDefinition> = {}) =>
    plan([source(more)], [], changes).items[0]?.eval;

  test('limit, shuffle, retries, failOnError and limits take the place of the definition’s', () => {
    const result = changed(
      { limit: 3, shuffle: 7, retries: 2, failOnError: true, limits: { turns: 4 } },
      { limits: { turns: 1, tokens: 10 } },
    );
    expect(result).toMatchObject({
      limit: 3,
      shuffle: 7,
      retries: 2,
      failOnError: true,
      limits: { turns: 4, tokens: 10 },
    });
  });

  test('epochs keep the reducer, and what no longer fits together is said', () => {
    const epochs = { count: 5, reducer: 'pass_at_3' };
    expect(changed({ epochs: 4 }, { epochs })?.epochs).toEqual({ count: 4, reducers: ['pass_at_3'] });
    expect(() => changed({ epochs: 2 }, { epochs })).toThrow('needs at least 3 epochs');
  });

  test('ids narrow the filter that is there', () => {
    const filter = changed({ ids: ['1'] }, { filter: { 'metadata.topic': 'art' } })?.filter;
    if (typeof filter !== 'function') throw new Error('the filter should be a function');
    expect(filter({ id: 1, input: 'a', metadata: { topic: 'art' } })).toBe(true);
    expect(filter({ id: 1, input: 'a', metadata: { topic: 'law' } })).toBe(false);
    expect(filter({ id: 2, input: 'a', metadata: { topic: 'art' } })).toBe(false);
  });
});
