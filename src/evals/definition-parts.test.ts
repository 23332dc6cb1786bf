import { expect, test } from 'vitest';
import type { Digest, Json } from '../base/index.ts';
import { definitionParts } from './definition-parts.ts';
import type { EvalDefinition } from './eval.ts';
import { normalizeEval } from './normalize-eval.ts';

const planned = (more: Partial<EvalDefinition> = {}) =>
  normalizeEval({ name: 'e', data: [{ id: 'a', input: 'x' }], target: () => 'x', scorers: [], ...more });

/** Which parts are others with another key of the target. */
function differing(one: Json, other: Json): string[] {
  const [before, after] = [one, other].map((key) => definitionParts(planned(), { key }).target);
  return Object.keys({ ...before, ...after }).filter((name) => before?.[name] !== after?.[name]);
}

test('[LOG-39] a model has its prompt apart from its settings', () => {
  const key = { kind: 'model', model: 'm', settings: null, options: { prompt: 'p', temperature: 0 } };
  expect(differing(key, { ...key, options: { prompt: 'q', temperature: 0 } })).toEqual(['prompt']);
  expect(differing(key, { ...key, options: { ...key.options, system: 's' } })).toEqual(['prompt']);
  expect(differing(key, { ...key, options: { prompt: 'p', temperature: 1 } })).toEqual(['settings']);
  expect(differing(key, { ...key, settings: { baseUrl: 'u' } })).toEqual(['settings']);
  expect(differing(key, { ...key, model: 'n' })).toEqual(['model']);
});

test('[LOG-39] a command has its program, its workspace and its settings; nobody knows its prompt', () => {
  const key = { kind: 'command', argv: ['a'], workspace: 'w', env: [], settings: {} };
  expect(differing(key, { ...key, argv: ['a', '--prompt', 'b'] })).toEqual(['command']);
  expect(differing(key, { ...key, files: ['f'] })).toEqual(['command']);
  expect(differing(key, { ...key, workspace: 'v' })).toEqual(['workspace']);
  expect(differing(key, { ...key, env: ['A'] })).toEqual(['settings']);
});

test('[LOG-39] code, inputs, scorers, metrics and reducers are parts of their own', () => {
  const digest = (text: string) => text as Digest;
  const code = (target: string, scoring: string) => ({ target: digest(target), scoring: digest(scoring) });
  const of = (eval_: Partial<EvalDefinition>, about: object = {}) =>
    definitionParts(planned(eval_), { key: null, code: code('t', 's'), ...about });
  const names = (eval_: Partial<EvalDefinition>, about: object = {}) => {
    const [before, after] = [of({}), of(eval_, about)];
    return (['target', 'scoring'] as const).flatMap((side) =>
      Object.keys(before[side])
        .filter((name) => before[side][name] !== after[side][name])
        .map((name) => `${side} ${name}`),
    );
  };
  expect(names({})).toEqual([]);
  expect(names({}, { code: code('u', 's') })).toEqual(['target code']);
  expect(names({}, { code: code('t', 'u') })).toEqual(['scoring code']);
  expect(names({}, { inputs: ['x'] })).toEqual(['target inputs', 'scoring inputs']);
  expect(names({ redact: ['x'] })).toEqual(['target redact']);
  expect(names({ metrics: ['mean'] })).toEqual(['scoring metrics']);
  expect(names({ epochs: { count: 2, reducer: ['max'] } })).toEqual(['scoring reducers']);
});
