import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ActionableError } from '../base/index.ts';
import { defineEval } from './define-eval.ts';
import { definitionDigest } from './definition-digest.ts';
import { EvalFileError } from './eval-file-error.ts';
import { normalizeEval } from './normalize-eval.ts';
import { includes } from './scorers/includes.ts';
import { regex } from './scorers/regex.ts';
import { parseYamlEval } from './yaml-eval.ts';

const path = 'capitals.eval.yaml';

function problemOf(text: string): EvalFileError {
  try {
    parseYamlEval(text, { path });
  } catch (error) {
    if (error instanceof EvalFileError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

const WHOLE = `
name: capitals
version: 2
description: Capitals of the world
tags: [geo]
data:
  - input: Capital of France?
    target: Paris
  - { id: it, input: "Capital of Italy?", target: [Rome, Roma], metadata: { region: south } }
target:
  model: openai/gpt-5-mini
  temperature: 0
scorers:
  - includes
  - regex: { pattern: "^[A-Z]" }
epochs: { count: 3, reducer: [mean, at_least_2] }
metrics: [accuracy, { name: stderr, options: { cluster: region } }]
filter: { metadata.region: south }
shuffle: 7
limit: 10
limits: { timeMs: 60000, costUsd: 0.5 }
budgetUsd: 2.5
threshold: { accuracy: 0.8 }
`;

test('an eval in YAML is the same eval as in TypeScript', () => {
  const fromYaml = normalizeEval(parseYamlEval(WHOLE, { path }));
  const fromTs = normalizeEval(
    defineEval({
      name: 'capitals',
      version: 2,
      data: [],
      target: { model: 'openai/gpt-5-mini', temperature: 0 },
      scorers: [includes(), regex({ pattern: '^[A-Z]' })],
      epochs: { count: 3, reducer: ['mean', 'at_least_2'] },
      metrics: ['accuracy', { name: 'stderr', options: { cluster: 'region' } }],
    }),
  );
  expect(definitionDigest(fromYaml)).toBe(definitionDigest(fromTs));
  expect(fromYaml).toMatchObject({
    shuffle: 7,
    limit: 10,
    limits: { timeMs: 60_000, costUsd: 0.5 },
    budgetUsd: 2.5,
  });
});

test('a file of rows, a model by name, a command and an HTTP endpoint', () => {
  const parse = (more: string) =>
    parseYamlEval(`name: x\ndata: rows.jsonl\nscorers: [exact]\n${more}`, { path });
  expect(parse('target: openai/x')).toMatchObject({ data: 'rows.jsonl', target: 'openai/x' });
  expect(parse('target: { command: [./agent, "{{input}}"] }').target).toEqual({
    command: ['./agent', '{{input}}'],
  });
  expect(parse('target: { url: "http://localhost:1/", body: { q: "{{input}}" } }').target).toMatchObject({
    body: { q: '{{input}}' },
  });
});

describe('what is wrong is named with file, line and column', () => {
  test.each<[string, string, string, string]>([
    ['name: x\n  data: 1\n', '1:7', 'E_EVAL_SYNTAX', 'not valid YAML'],
    ['name: x\nname: y\n', '2:1', 'E_EVAL_SYNTAX', 'not valid YAML'],
    ['- a\n', '1:1', 'E_EVAL_INVALID', 'an eval must be an object, not a list'],
    ['', '1:1', 'E_EVAL_INVALID', 'an eval must be an object, not null'],
    ['name: x\ndata: a.jsonl\nscorer: [includes]\n', '3:1', 'E_EVAL_INVALID', 'did you mean "scorers"?'],
    [
      'name: x\ndata: a.jsonl\nscorers:\n  - exact\n  - inclodes\n',
      '5:5',
      'E_SCORER_UNKNOWN',
      'There is no scorer "inclodes"; did you mean "includes"?',
    ],
    [
      'name: x\ndata: a.jsonl\nscorers:\n  - regex: { patern: a }\n',
      '4:5',
      'E_EVAL_INVALID',
      '"patern" is not a word of the options of regex',
    ],
    [
      'name: x\ndata: a.jsonl\nscorers:\n  - regex: { pattern: "(" }\n',
      '4:5',
      'E_EVAL_INVALID',
      'not a pattern',
    ],
    [
      'name: x\ndata: a.jsonl\nscorers:\n  - [exact]\n',
      '4:5',
      'E_EVAL_INVALID',
      '"scorers[0]" must be a scorer\'s name',
    ],
    [
      'name: x\ndata: a.jsonl\nscorers:\n  - modelGraded: { rubric: a }\n',
      '4:5',
      'E_GRADER_MODEL',
      'which model grades',
    ],
    [
      'name: x\ndata: a.jsonl\nscorers: [exact]\ntarget:\n  model: a/b\n  temprature: 1\n',
      '6:3',
      'E_EVAL_INVALID',
      'did you mean "temperature"?',
    ],
    [
      'name: x\ndata: a.jsonl\nscorers: [exact]\nlimit: many\n',
      '4:1',
      'E_EVAL_INVALID',
      '"limit" must be a whole number',
    ],
    [
      'name: x\ndata: a.jsonl\nscorers: [exact]\nepochs: { count: 2, reducer: pass_k_4 }\n',
      '4:21',
      'E_EVAL_INVALID',
      'at least 4 epochs',
    ],
    [
      'name: x\nscorers: [exact]\ndata:\n  - input: a\n  - inptu: b\n',
      '5:5',
      'E_DATA_ROW',
      '"inptu" is not a word of a row; did you mean "input"?',
    ],
  ])('%j', (text, place, code, message) => {
    const error = problemOf(text);
    expect(error.message).toContain(message);
    expect(error.message).toMatch(new RegExp(`^${path}:${place}: `));
    expect(error.code).toBe(code);
    expect(`${error.line}:${error.column}`).toBe(place);
    expect(error.file).toBe(path);
  });

  test('aliases that expand without end are refused', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef'])
      bomb.push(`${to}: &${to} [${`*${from}, `.repeat(10)}]`);
    expect(problemOf(bomb.join('\n')).code).toBe('E_EVAL_SYNTAX');
  });

  test('any text gives an eval or an error a person can act on', () => {
    const word = fc.constantFrom(
      'name',
      'data',
      'scorers',
      'target',
      ': ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '"',
      '&a',
      '*a',
      '1',
      'x',
      '|',
      '!!',
      '?',
      '\t',
      ',',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 25 }), (words) => {
        try {
          parseYamlEval(words.join(''), { path });
        } catch (error) {
          expect(error).toBeInstanceOf(ActionableError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

test('redact is texts and patterns, in YAML as in TypeScript, and changes the definition', () => {
  const yaml = parseYamlEval(`name: e\ndata: [{ input: q }]\nscorers: []\nredact: ['/sk-\\d+/i', 'a.b']\n`, {
    path,
  });
  const planned = normalizeEval(yaml);
  expect(planned.redact).toEqual([/sk-\d+/gi, /a\.b/g]);
  const inTs = normalizeEval({ ...yaml, redact: [/sk-\d+/i, 'a.b'] });
  expect(definitionDigest(planned)).toBe(definitionDigest(inTs));
  expect(definitionDigest(normalizeEval({ ...yaml, redact: ['a.b'] }))).not.toBe(definitionDigest(inTs));
  const { redact: _, ...plain } = yaml;
  expect(definitionDigest(normalizeEval(plain))).toBe(
    definitionDigest(normalizeEval({ ...yaml, redact: [] })),
  );
});

test.each([
  ["['/(/']", 'is no pattern'],
  ["['/x*/']", 'finds the empty text'],
  ['[7]', 'must be a text or a pattern'],
  ['sk', 'must be a list'],
])('redact: %s is refused, with its place', (given, problem) => {
  const error = problemOf(`name: e\ndata: [{ input: q }]\nscorers: []\nredact: ${given}\n`);
  expect(error).toMatchObject({ code: 'E_EVAL_INVALID', message: expect.stringContaining(problem) });
  expect(error.message).toContain(':4:');
});
