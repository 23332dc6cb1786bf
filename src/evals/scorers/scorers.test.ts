import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ActionableError, stringifyJson, toJson } from '../../base/index.ts';
import type { CommandRun, GenerateOptions, SampleRow, ScoreResult, Scorer, ScorerContext } from '../eval.ts';
import { makeScorer } from './catalog.ts';
import { choice, choiceLetter, choicePrompt } from './choice.ts';
import { command } from './command.ts';
import { exact } from './exact.ts';
import { includes } from './includes.ts';
import { json } from './json.ts';
import { jsonSchema } from './json-schema.ts';
import { modelGraded } from './model-graded.ts';
import { numbersIn, numeric } from './numeric.ts';
import { regex } from './regex.ts';
import { readScore, scorer } from './scorer.ts';

interface World {
  readonly output: unknown;
  readonly target?: unknown;
  readonly sample?: Partial<SampleRow>;
  readonly reply?: string;
  readonly run?: Partial<CommandRun>;
}

/** A context in which commands and models answer as told, and what they were asked is written down. */
function contextOf({ output, target, sample, reply, run }: World) {
  const asked: { prompts: GenerateOptions[]; commands: unknown[] } = { prompts: [], commands: [] };
  const row: SampleRow = {
    id: 's1',
    input: 'the question',
    ...(target !== undefined && { target }),
    ...sample,
  };
  const context: ScorerContext = {
    sample: row,
    input: row.input,
    target: row.target,
    output,
    text: typeof output === 'string' ? output : stringifyJson(toJson(output)),
    epoch: 1,
    signal: new AbortController().signal,
    artifact: () => '',
    generate: async (options) => {
      if (typeof options !== 'string') asked.prompts.push(options);
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      return { text: reply ?? '', finishReason: 'stop', usage, steps: 1, messages: [] };
    },
    fetch,
    record: async (_name, _input, work) => work(),
    exec: async (argv, options) => {
      asked.commands.push([argv, options]);
      return { exitCode: 0, signal: null, stdout: '', stderr: '', timedOut: false, ...run };
    },
  };
  return { context, asked };
}

async function score(subject: Scorer, world: World): Promise<ScoreResult> {
  return subject.score(contextOf(world).context);
}

async function verdict(subject: Scorer, output: unknown, target?: unknown): Promise<unknown> {
  return (await score(subject, { output, target })).value;
}

async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    return (error as ActionableError).code;
  }
  return 'nothing was thrown';
}

describe('text', () => {
  test.each<[string, Scorer, unknown, unknown, string]>([
    ['exact ignores space around', exact(), ' Paris\n', 'Paris', 'C'],
    ['exact minds case', exact(), 'paris', 'Paris', 'I'],
    ['exact can ignore case', exact({ ignoreCase: true }), 'paris', 'Paris', 'C'],
    ['exact takes any of several targets', exact(), '2', ['two', '2'], 'C'],
    ['exact takes numbers', exact(), '2', 2, 'C'],
    ['includes ignores case', includes(), 'It is PARIS.', 'Paris', 'C'],
    ['includes can mind case', includes({ ignoreCase: false }), 'It is PARIS.', 'Paris', 'I'],
    ['includes looks into objects', includes(), { city: 'Paris' }, 'Paris', 'C'],
    ['regex with its own pattern', regex({ pattern: '^\\d+$' }), '42', undefined, 'C'],
    ['regex with a literal', regex({ pattern: /paris/i }), 'PARIS', undefined, 'C'],
    ['regex with flags', regex({ pattern: '^b$', flags: 'm' }), 'a\nb', undefined, 'C'],
    ['regex with the target as pattern', regex(), 'colour', 'colou?r', 'C'],
    ['regex that does not match', regex(), 'blue', 'colou?r', 'I'],
  ])('%s', async (_name, subject, output, target, value) => {
    expect(await verdict(subject, output, target)).toBe(value);
  });

  test('the answer of regex is its first group', async () => {
    expect(await score(regex({ pattern: 'is (\\w+)' }), { output: 'it is Paris' })).toEqual({
      value: 'C',
      answer: 'Paris',
    });
  });

  test('a global pattern gives the same verdict every time', async () => {
    const subject = regex({ pattern: /a/g });
    expect([await verdict(subject, 'a'), await verdict(subject, 'a')]).toEqual(['C', 'C']);
  });

  test('a long output is not repeated in the score', async () => {
    const { answer } = await score(includes(), { output: 'x'.repeat(10_000), target: 'x' });
    expect(answer?.length).toBe(201);
  });

  test.each<[string, Scorer, unknown]>([
    ['exact', exact(), 'Paris'],
    ['includes', includes(), 'Paris'],
    ['regex', regex(), 'Par.s'],
    ['numeric', numeric(), 0],
    ['json', json(), {}],
  ])('nothing is no answer: %s', async (_name, subject, target) => {
    expect(await verdict(subject, '', target)).toBe('I');
  });

  test('an empty target, which stands in every output, is an error', async () => {
    expect(await codeOf(() => verdict(includes(), '', ''))).toBe('E_SCORER_TARGET');
    expect(await codeOf(() => verdict(includes(), 'x', ['a', '']))).toBe('E_SCORER_TARGET');
  });

  test('a missing target and a broken pattern are errors, not wrong answers', async () => {
    expect(await codeOf(() => verdict(includes(), 'x'))).toBe('E_SCORER_TARGET');
    expect(await codeOf(() => verdict(exact(), 'x', { a: 1 }))).toBe('E_SCORER_TARGET');
    expect(await codeOf(() => verdict(regex(), 'x', '('))).toBe('E_EVAL_INVALID');
    expect(await codeOf(() => regex({ pattern: '(' }))).toBe('E_EVAL_INVALID');
  });
});

describe('numeric', () => {
  test.each<[Scorer, unknown, unknown, string]>([
    [numeric(), 'The answer is 42.', 42, 'C'],
    [numeric(), 'First 7, then 42', '42', 'C'],
    [numeric({ pick: 'first' }), 'First 7, then 42', 7, 'C'],
    [numeric(), '$1,234.50', 1234.5, 'C'],
    [numeric(), '−3.5e2', -350, 'C'],
    [numeric(), 'about 2.71', 2.7145, 'I'],
    [numeric({ tolerance: 0.01 }), 'about 2.71', 2.7145, 'C'],
    [numeric({ relative: 0.01 }), '99', 100, 'C'],
    [numeric({ relative: 0.01 }), '98.9', 100, 'I'],
    [numeric(), 42, [41, 42], 'C'],
    [numeric(), 'none', 42, 'I'],
  ])('%# gives %s', async (subject, output, target, value) => {
    expect(await verdict(subject, output, target)).toBe(value);
  });

  test.each<[string, number[]]>([
    ['1,234 and 5,6', [1234, 5, 6]],
    ['a1 v2.0 x', []],
    ['.5 or 5.', [0.5, 5]],
    ['2024-11-15', [2024, 11, 15]],
    ['10_000', [10000]],
  ])('the numbers in %j', (text, numbers) => {
    expect(numbersIn(text)).toEqual(numbers);
  });

  test('a number that is printed is read back', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(numbersIn(`The answer is ${number} metres`)).toEqual([number + 0]);
      }),
    );
  });

  test('a target without a number is an error', async () => {
    expect(await codeOf(() => verdict(numeric(), '1', 'one'))).toBe('E_SCORER_TARGET');
  });
});

describe('JSON', () => {
  test.each<[unknown, unknown, string]>([
    ['{"a": 1, "b": [2]}', { b: [2], a: 1 }, 'C'],
    ['```json\n{"a": 1}\n```', '{"a": 1.0}', 'C'],
    [{ a: 1 }, { a: 1 }, 'C'],
    ['[1, 2]', [2, 1], 'I'],
    ['not json', { a: 1 }, 'I'],
    ['"text"', 'text', 'C'],
  ])('%j against %j is %s', async (output, target, value) => {
    expect(await verdict(json(), output, target)).toBe(value);
  });

  test('a schema says what is wrong', async () => {
    const subject = jsonSchema({
      schema: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
    });
    expect(await verdict(subject, '{"city": "Paris"}')).toBe('C');
    const wrong = await score(subject, { output: '{"city": 1}' });
    expect(wrong).toMatchObject({ value: 'I', explanation: 'output/city must be string' });
    expect((await score(subject, { output: 'x' })).explanation).toContain('Not valid JSON');
  });

  test('draft 2020-12 is understood, nonsense is refused at once', async () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      prefixItems: [{ type: 'number' }],
    };
    expect(await verdict(jsonSchema({ schema }), '["a"]')).toBe('I');
    expect(await codeOf(() => jsonSchema({ schema: { type: 'nothing' } }))).toBe('E_EVAL_INVALID');
  });
});

describe('choice', () => {
  const choices = ['Rome', 'Paris', 'Bern'];
  const grade = async (output: string, target: unknown, multiple = false) =>
    (await score(choice({ multiple }), { output, target, sample: { choices } })).value;

  test.each<[string, unknown, string]>([
    ['ANSWER: B', 'B', 'C'],
    ['Thinking about A…\nAnswer : b.', 'B', 'C'],
    ['The ANSWER: B is clear', 'B', 'I'],
    ['I say ANSWER: B, of course', 'B', 'I'],
    ['ANSWER: D', 'B', 'I'],
    ['B', 'B', 'C'],
    ['(B)', 'B', 'C'],
    ['paris', 'B', 'C'],
    ['ANSWER: B', 'Paris', 'C'],
    ['ANSWER: C', ['B', 'C'], 'C'],
    ['nothing of the kind', 'B', 'I'],
  ])('%j with target %j is %s', async (output, target, value) => {
    expect(await grade(output, target)).toBe(value);
  });

  test.each<[string, unknown, string]>([
    ['ANSWER: A, C', 'A,C', 'C'],
    ['ANSWER: CA', ['A', 'C'], 'C'],
    ['ANSWER: A and C', 'AC', 'C'],
    ['ANSWER: A', 'A,C', 'I'],
    ['ANSWER: A,B,C', 'A,C', 'I'],
  ])('several right ones: %j with target %j is %s', async (output, target, value) => {
    expect(await grade(output, target, true)).toBe(value);
  });

  test('a row without choices, or with a target that is none of them, is an error', async () => {
    expect(await codeOf(() => verdict(choice(), 'A', 'A'))).toBe('E_SCORER_TARGET');
    expect(await codeOf(() => grade('A', 'Oslo'))).toBe('E_SCORER_TARGET');
  });

  test('the prompt names the letters that the scorer reads', () => {
    expect(choicePrompt('Capital of France?', choices)).toContain('A) Rome\nB) Paris\nC) Bern');
    expect([0, 25, 26].map(choiceLetter)).toEqual(['A', 'Z', '1']);
  });
});

describe('command', () => {
  test('the exit code decides; the output is on stdin and can be an argument', async () => {
    const subject = command({ command: ['check', '{{id}}', '{{target}}', '{{metadata.n}}'], timeoutMs: 5 });
    const sample = { metadata: { n: 7 } };
    const { context, asked } = contextOf({
      output: 'out',
      target: 'T',
      sample,
      run: { stdout: 'all good\n' },
    });
    expect(await subject.score(context)).toEqual({
      value: 'C',
      explanation: 'all good',
      metadata: { exitCode: 0 },
    });
    expect(asked.commands).toEqual([[['check', 's1', 'T', '7'], { stdin: 'out', timeoutMs: 5 }]]);
    expect((await score(subject, { output: '', run: { exitCode: 1 } })).value).toBe('I');
  });

  test('a number on stdout is the score, and its metric the mean', async () => {
    const subject = command({ command: ['measure'], result: 'number', stdin: 'none' });
    expect(subject.metrics).toEqual(['mean', 'stderr']);
    const run = { stdout: 'passed 3 of 4\nscore: 0.75\n', exitCode: 2 };
    expect((await score(subject, { output: '', run })).value).toBe(0.75);
  });

  test.each<[string, Partial<CommandRun>]>([
    ['was stopped at its time limit', { exitCode: null, signal: 'SIGKILL', timedOut: true }],
    ['was ended by SIGSEGV', { exitCode: null, signal: 'SIGSEGV' }],
    ['could not be run (exit code 127)', { exitCode: 127, stderr: 'not found' }],
  ])('a command that %s leaves the sample unscored', async (end, run) => {
    await expect(score(command({ command: ['check'] }), { output: '', run })).rejects.toThrow(end);
  });

  test('no number where one was promised is an error', async () => {
    const subject = command({ command: ['measure'], result: 'number' });
    expect(await codeOf(() => score(subject, { output: '' }))).toBe('E_SCORER_COMMAND');
  });
});

describe('modelGraded', () => {
  const options = { model: 'mock/grader', rubric: 'Names the capital of {{input}}: {{target}}' };

  test('the prompt holds task, answer and rubric, and goes to the named grader', async () => {
    const { context, asked } = contextOf({ output: 'Paris', target: 'P', reply: 'Good.\nGRADE: C' });
    const result = await modelGraded({ ...options, temperature: 0 }).score(context);
    expect(result).toEqual({
      value: 'C',
      answer: 'Paris',
      explanation: 'Good.\nGRADE: C',
      metadata: { grader: 'mock/grader' },
    });
    const [prompt] = asked.prompts;
    expect(prompt).toMatchObject({ model: 'mock/grader', temperature: 0 });
    expect(prompt?.prompt).toContain('<answer>\nParis\n</answer>');
    expect(prompt?.prompt).toContain('Names the capital of the question: P');
  });

  test('text in the answer that looks like a template stays as it is', async () => {
    const { context, asked } = contextOf({ output: '{{rubric}} {{target}}', target: 'T', reply: 'GRADE: I' });
    await modelGraded({ model: 'mock/grader' }).score(context);
    expect(asked.prompts[0]?.prompt).toContain('<answer>\n{{rubric}} {{target}}\n</answer>');
  });

  test.each<[string, object, unknown]>([
    ['GRADE: C', {}, 'C'],
    ['First I thought GRADE: C.\n**GRADE: I**', {}, 'I'],
    ['grade: p', { partialCredit: true }, 'P'],
    ['GRADE: P', {}, Number.NaN],
    ['GRADE: Correct', {}, Number.NaN],
    ['I like it', {}, Number.NaN],
    ['GRADE: 7/10', { scale: { min: 1, max: 10 } }, 7],
    ['**GRADE:** 8.5', { scale: { min: 1, max: 10 } }, 8.5],
    ['GRADE: 11', { scale: { min: 1, max: 10 } }, Number.NaN],
  ])('%j with %j is %s', async (reply, more, value) => {
    const result = await score(modelGraded({ ...options, ...more }), { output: 'x', target: 'y', reply });
    expect(result.value).toEqual(value);
    expect(result.explanation).toContain(reply);
  });

  test('without a grader it is refused, whatever else is given', async () => {
    expect(await codeOf(() => modelGraded({ rubric: 'x' } as never))).toBe('E_GRADER_MODEL');
    expect(await codeOf(() => modelGraded(undefined as never))).toBe('E_GRADER_MODEL');
    expect(await codeOf(() => modelGraded({ model: ' ' }))).toBe('E_GRADER_MODEL');
  });

  test('without rubric and target there is nothing to grade by', async () => {
    expect(await codeOf(() => score(modelGraded({ model: 'mock/grader' }), { output: 'x' }))).toBe(
      'E_SCORER_TARGET',
    );
  });
});

describe('own scorers', () => {
  test.each<[unknown, unknown]>([
    [0.5, 0.5],
    [true, true],
    ['P', 'P'],
    [
      { value: { clear: 1, kind: 0 }, explanation: 'e' },
      { clear: 1, kind: 0 },
    ],
    [{ value: Number.NaN }, Number.NaN],
  ])('%j is a score', (given, value) => {
    expect(readScore('mine', given).value).toEqual(value);
  });

  test.each([[undefined], [null], [{ score: 1 }], [[1]]])('%j is none', async (given) => {
    expect(await codeOf(() => readScore('mine', given))).toBe('E_SCORER_RESULT');
  });

  test('a function becomes a scorer that knows its own text', async () => {
    const subject = scorer('short', ({ text }) => text.length < 5, { options: { max: 5 } });
    expect(await verdict(subject, 'abc')).toBe(true);
    expect(subject).toMatchObject({
      name: 'short',
      options: { max: 5 },
      source: '({ text }) => text.length < 5',
    });
  });
});

describe('the catalog', () => {
  test('makes scorers by name, and points at the nearest name', () => {
    expect(makeScorer('includes', { ignoreCase: false })).toMatchObject({
      name: 'includes',
      options: { ignoreCase: false },
    });
    expect(() => makeScorer('includ', {})).toThrow('did you mean "includes"');
    expect(() => makeScorer('toString', {})).toThrow('There is no scorer "toString"');
  });

  test.each<[string, object, string]>([
    [
      'includes',
      { ignore_case: true },
      '"ignore_case" is not a word of the options of includes; did you mean "ignoreCase"?',
    ],
    ['numeric', { tolerance: 'x' }, '"tolerance" must be a number of at least 0'],
    ['command', {}, '"command" is missing'],
    ['command', { command: [] }, '"command" must name a program'],
    ['jsonSchema', {}, '"schema" is missing'],
    [
      'exact',
      { metrics: ['acuracy'] },
      '"metrics[0]" names a metric that does not exist, "acuracy"; did you mean "accuracy"?',
    ],
  ])('%s with %j is refused', (name, options, message) => {
    expect(() => makeScorer(name, options as Readonly<Record<string, unknown>>)).toThrow(message);
  });

  test('every scorer takes a name and metrics of its own', () => {
    expect(exact({ name: 'spelling', metrics: ['mean'] })).toMatchObject({
      name: 'spelling',
      metrics: ['mean'],
      options: {},
    });
  });
});
