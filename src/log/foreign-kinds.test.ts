/** Logs whose documents are JSON, but not of the kinds that they should be: each gives a clear answer, or what can be read. */
import { describe, expect, test } from 'vitest';
import { makeZip } from '../../test/golden/log/shapes/make-zip.ts';
import { HEADER, SPEC } from '../../test/golden/log/shapes/shape.ts';
import { DamageError, type Json, type JsonObject } from '../base/index.ts';
import { memorySource, openLogSource } from './index.ts';

const SAMPLE = {
  id: 1,
  epoch: 1,
  input: [{ role: 'user', content: 'q' }],
  target: 't',
  messages: [{ role: 'user', content: 'q' }],
  output: { choices: [{ message: { role: 'assistant', content: 'a' }, stop_reason: 'stop' }] },
  scores: { match: { value: 'C' } },
  events: [{ event: 'info', data: 1 }],
} satisfies JsonObject;
const ROW = { id: 1, epoch: 1, input: 'q', target: 't', completed: true } satisfies JsonObject;

interface Documents {
  readonly header?: JsonObject;
  readonly sample?: JsonObject;
  readonly rows?: Json;
  readonly reductions?: Json;
}

function open({ header = HEADER, sample = SAMPLE, rows = [ROW], reductions = [] }: Documents) {
  const documents = {
    'samples/1_epoch_1.json': sample,
    'summaries.json': rows,
    'reductions.json': reductions,
    'header.json': header,
  };
  const members = Object.entries(documents).map(([name, value]) => ({ name, text: JSON.stringify(value) }));
  return openLogSource(memorySource('a.eval', makeZip(members)));
}

async function damageOf(action: () => Promise<unknown>): Promise<string> {
  const error = await action().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DamageError)) throw new Error('no damage', { cause: error });
  expect(error.code).toBe('E_LOG_SHAPE');
  return error.message;
}

describe('[LOG-36] a sample', () => {
  test.each<[JsonObject, string]>([
    [{ id: null }, 'id is missing'],
    [{ epoch: '1' }, 'epoch is not a number'],
    [{ input: 5 }, 'input is not a text or a list'],
    [{ input: [{ content: 'q' }] }, 'input[0].role is missing'],
    [{ messages: [{ role: 'user', content: 'q' }, 'a'] }, 'messages[1] is not an object'],
    [{ messages: [{ role: 7, content: 'q' }] }, 'messages[0].role is not a text'],
    [{ output: [] }, 'output is not an object'],
    [{ scores: { match: 'C' } }, 'scores.match is not an object'],
    [{ metadata: 'm' }, 'metadata is not an object'],
    [{ store: [] }, 'store is not an object'],
    [{ error: 'boom' }, 'error is not an object'],
    [{ error_retries: [1] }, 'error_retries[0] is not an object'],
    [{ limit: 'token' }, 'limit is not an object'],
  ])('with %j is damaged, and the key is named', async (change, reason) => {
    const reader = await open({ sample: { ...SAMPLE, ...change } });
    const reads = [() => reader.sample(1, 1), () => reader.sampleFields(1, 1), () => reader.parts(1, 1)];
    for (const read of reads)
      expect(await damageOf(read)).toBe(`samples/1_epoch_1.json in a.eval is not a sample: ${reason}.`);
  });

  test('is read without what may be missing and is of the wrong kind, and keeps all else', async () => {
    const reader = await open({
      sample: {
        ...SAMPLE,
        later: [1],
        target: 5,
        choices: 'ab',
        total_time: 'long',
        uuid: 1,
        model_usage: { m: { input_tokens: 'many', output_tokens: 2, total_cost: null }, broken: 1 },
        messages: [{ role: 'of tomorrow', content: null, tool_calls: 'none', source: 3, later: 1 }],
        output: { choices: [], usage: 'much', completion: 7 },
        scores: { match: { answer: 4, history: null } },
        error: { message: null },
        limit: { type: 'of tomorrow', limit: 3 },
      },
    });
    expect(await reader.sampleFields(1, 1)).toStrictEqual({
      id: 1,
      epoch: 1,
      later: [1],
      input: SAMPLE.input,
      target: '5',
      messages: [{ role: 'of tomorrow', content: '', later: 1 }],
      output: { choices: [], completion: '7' },
      scores: { match: { value: Number.NaN, answer: '4' } },
      metadata: {},
      store: {},
      model_usage: { m: { input_tokens: 0, output_tokens: 2, total_tokens: 0 } },
      role_usage: {},
      error: { message: 'unknown error', traceback: '', traceback_ansi: '' },
      limit: { type: 'of tomorrow', limit: 3 },
    });
  });

  test('may have events without a time', async () => {
    const reader = await open({});
    expect((await reader.sample(1, 1))?.events).toEqual([{ event: 'info', data: 1 }]);
    const odd = await open({
      sample: { ...SAMPLE, events: [{ event: 'info', timestamp: 5, pending: null, data: 1 }] },
    });
    expect(await Array.fromAsync(odd.events(1, 1))).toStrictEqual([{ event: 'info', data: 1 }]);
  });
});

describe('[LOG-36] a row of the summaries', () => {
  test.each<[Json, string]>([
    ['x', 'it is not an object'],
    [{ epoch: 1 }, 'id is missing'],
    [{ ...ROW, id: [1] }, 'id is not a text or a number'],
    [{ ...ROW, epoch: null }, 'epoch is missing'],
    [{ ...ROW, epoch: 'one' }, 'epoch is not a number'],
  ])('%j is damaged, and the key is named', async (row, reason) => {
    const reader = await open({ rows: [ROW, row] });
    expect(await damageOf(() => Array.fromAsync(reader.summaries()))).toBe(
      `summaries.json in a.eval has a row that is not a summary: ${reason}.`,
    );
  });

  test('with an error that is null has none, and one with an error that is no text keeps it and has ended', async () => {
    const reader = await open({
      rows: [
        { ...ROW, error: null, limit: null },
        { ...ROW, id: 2, error: { message: 'boom' }, limit: { type: 'token' }, completed: 'yes' },
        { ...ROW, id: 3, scores: { match: { value: 1 }, broken: 'C' }, retries: 'two' },
      ],
    });
    const [none, some, scored] = await Array.fromAsync(reader.summaries());
    expect(none).not.toHaveProperty('error');
    expect(none).not.toHaveProperty('limit');
    expect(some).toMatchObject({ error: '{"message":"boom"}', limit: '{"type":"token"}', completed: true });
    expect(scored).toMatchObject({ scores: { match: { value: 1 } }, model_usage: {}, metadata: {} });
    expect(Object.keys(scored?.scores ?? {})).toEqual(['match']);
    expect(scored).not.toHaveProperty('retries');
  });
});

describe('[LOG-36] a header', () => {
  test.each<[JsonObject, string]>([
    [{ eval: { ...SPEC, task: 5 } }, 'eval.task is not a text'],
    [{ eval: { ...SPEC, model: ['m'] } }, 'eval.model is not a text'],
    [{ results: { scores: 'good' } }, 'results.scores is not a list'],
    [
      { results: { scores: [{ metrics: { accuracy: 1 } }] } },
      'results.scores[0].metrics.accuracy is not an object',
    ],
  ])('with %j is damaged, and the key is named', async (change, reason) => {
    expect(await damageOf(async () => (await open({ header: { ...HEADER, ...change } })).header())).toBe(
      `header.json in a.eval is no header of a log: ${reason}.`,
    );
  });

  test('is read without what may be missing and is of the wrong kind, and keeps all else', async () => {
    const reader = await open({
      header: {
        ...HEADER,
        status: 'of tomorrow',
        version: 'two',
        tags: ['a', 1],
        plan: { steps: [1] },
        stats: 'none',
        results: { total_samples: 'all', scores: [{ name: 's', metrics: { m: { value: null } } }] },
        eval: {
          ...SPEC,
          task_args: { a: 1 },
          task_args_passed: null,
          packages: { inspect_ai: 3 },
          dataset: { name: 'd', sample_ids: 'all' },
          config: { limit: [1, 2], epochs: 'two', fail_on_error: 0.5, of_tomorrow: null },
          scorers: 'match',
        },
      },
    });
    const header = await reader.header();
    expect(header).toMatchObject({
      status: 'started',
      version: 2,
      tags: ['a', '1'],
      plan: { name: 'plan', steps: [] },
      stats: { started_at: '', model_usage: {} },
      results: { total_samples: 0, scores: [{ name: 's', metrics: { m: { value: Number.NaN } } }] },
    });
    expect(header.eval).toMatchObject({ task_args_passed: { a: 1 }, packages: { inspect_ai: '3' } });
    expect(header.eval.dataset).toEqual({ name: 'd' });
    expect(header.eval.config).toEqual({ limit: [1, 2], fail_on_error: 0.5, of_tomorrow: null });
    expect(header.eval).not.toHaveProperty('scorers');
  });

  test('has reductions beside it: what is none is left out', async () => {
    const samples = [{ value: 1, sample_id: 1 }];
    const reader = await open({ reductions: [{ scorer: 'match', reducer: null, samples }, 'mean'] });
    expect(await reader.reductions()).toStrictEqual([{ scorer: 'match', samples }]);
  });
});

test('[LOG-36] a sample of a .json log without an id is damage', async () => {
  const text = JSON.stringify({ ...HEADER, samples: [{ ...SAMPLE, id: null }] });
  const reader = openLogSource(memorySource('a.json', Buffer.from(text)));
  expect(await damageOf(async () => (await reader).samples())).toContain('has a sample without id or epoch');
});
