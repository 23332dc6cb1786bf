import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { EVENT_FLAGS } from '../api.ts';
import { oneLine } from './event-label.ts';
import { SkeletonColumns } from './skeleton.ts';
import { TimeParser } from './time-parser.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();

function rowsOf(events: readonly JsonObject[], isRecovered = false) {
  const skeleton = new SkeletonColumns();
  skeleton.isRecovered = isRecovered;
  for (const event of events) skeleton.add(event, 100, (text) => text);
  const { columns, kinds, lanes } = skeleton.part(0, events.length);
  return events.map((_, index) => ({
    kind: kinds[columns.kind[index] ?? -1],
    lane: lanes[columns.lane[index] ?? -1],
    depth: columns.depth[index],
    turn: columns.turn[index],
    start: columns.start[index],
    durationMs: columns.durationMs[index],
    tokens: columns.tokens[index],
    usd: columns.usd[index],
    flags: columns.flags[index],
    label: columns.label[index],
  }));
}

const begin = (id: string, parent: string | undefined, name: string, type?: string): JsonObject => ({
  event: 'span_begin',
  id,
  span_id: id,
  parent_id: parent,
  name,
  type,
  timestamp: at(0),
});
const end = (id: string, seconds = 9): JsonObject => ({
  event: 'span_end',
  id,
  span_id: id,
  timestamp: at(seconds),
});
const model = (span: string | undefined, more: JsonObject = {}): JsonObject => ({
  event: 'model',
  span_id: span,
  timestamp: at(1),
  output: { completion: 'I will look.', choices: [] },
  ...more,
});

describe('lanes, depth and turns', () => {
  test('the agent of the sample is main; agents inside of it have lanes of their own, with the tools that they run', () => {
    const rows = rowsOf([
      begin('a', undefined, 'solvers', 'solvers'),
      begin('b', 'a', 'react', 'agent'),
      model('b'),
      begin('c', 'b', 'researcher', 'agent'),
      model('c'),
      begin('d', 'c', 'bash', 'tool'),
      { event: 'tool', span_id: 'd', function: 'bash', arguments: { cmd: 'ls -la' }, timestamp: at(2) },
      end('d'),
      end('c'),
      model('b'),
      begin('s', undefined, 'scorers', 'scorers'),
      model('s'),
    ]);
    expect(rows.map(({ lane, depth, turn }) => [lane, depth, turn])).toEqual([
      ['main', 0, 0],
      ['main', 1, 0],
      ['main', 2, 1],
      ['researcher', 2, 1],
      ['researcher', 3, 1],
      ['researcher', 3, 1],
      ['researcher', 4, 1],
      ['researcher', 3, 1],
      ['researcher', 2, 1],
      ['main', 2, 2],
      ['scoring', 0, 2],
      ['scoring', 1, 2],
    ]);
    expect(rows[3]?.durationMs).toBe(9_000);
  });

  test('spans that never end, that nobody began, that end twice or name themselves change nothing else', () => {
    const rows = rowsOf([
      begin('a', undefined, 'open'),
      begin('a', 'a', 'itself'),
      { event: 'info', span_id: 'nobody', data: 1 },
      { event: 'info', span_id: 'nobody', data: 2 },
      end('x'),
      end('a'),
      end('a'),
      { event: 'info', data: 3 },
    ]);
    expect(rows.map(({ lane }) => lane)).toEqual(rows.map(() => 'main'));
    expect(rows.at(-1)).toMatchObject({ depth: 0, turn: 0 });
    expect(rows.every(({ flags }) => flags === 0)).toBe(true);
  });

  test('steps of before there were spans nest by their order', () => {
    const rows = rowsOf([
      { event: 'step', action: 'begin', name: 'solver', timestamp: at(0) },
      model(undefined),
      { event: 'step', action: 'begin', name: 'inner', timestamp: at(1) },
      { event: 'info', data: 'x', timestamp: at(1) },
      { event: 'step', action: 'end', name: 'inner', timestamp: at(4) },
      { event: 'step', action: 'end', name: 'solver', timestamp: at(5) },
      { event: 'step', action: 'end', name: 'nobody', timestamp: at(6) },
    ]);
    expect(rows.map(({ depth }) => depth)).toEqual([0, 1, 1, 2, 1, 0, 0]);
    expect(rows.map(({ durationMs }) => durationMs)).toEqual([5_000, 0, 3_000, 0, 0, 0, 0]);
  });
});

describe('figures and flags', () => {
  test('time, tokens and money are those of the event', () => {
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3, total_cost: 0.25 };
    const [first, second, third] = rowsOf([
      model(undefined, { completed: at(3.5), working_time: 1, output: { completion: 'x', usage } }),
      { event: 'tool', function: 'f', arguments: {}, timestamp: at(4), working_time: 0.5 },
      {
        event: 'info',
        source: 'http',
        data: { method: 'GET', url: 'u', time: 2, retries: 1, error: 'no' },
        timestamp: at(5),
      },
    ]);
    expect(first).toMatchObject({ start: 0, durationMs: 2_500, tokens: 3, usd: 0.25 });
    expect(second).toMatchObject({ start: 3_000, durationMs: 500, tokens: 0, usd: 0 });
    expect(third).toMatchObject({
      durationMs: 2_000,
      flags: EVENT_FLAGS.error | EVENT_FLAGS.retried,
      label: 'GET u no',
    });
  });

  test('errors, answers that were replayed, retries and what is pending are told', () => {
    const rows = rowsOf([
      model(undefined, { error: 'overloaded' }),
      model(undefined, { metadata: { holdfast: { replayed: true } } }),
      model(undefined, { retries: 2 }),
      model(undefined, { pending: true }),
      { event: 'tool', function: 'f', error: { type: 'timeout', message: 'too long' } },
      { event: 'error', error: { message: 'it broke' } },
      { event: 'logger', message: { level: 'error', message: 'oh' } },
    ]);
    const { error, replayed, retried, pending } = EVENT_FLAGS;
    expect(rows.map(({ flags }) => flags)).toEqual([error, replayed, retried, pending, error, error, error]);
  });

  test('of what was brought back from a crash everything is marked, and where events are missing before one', () => {
    const rows = rowsOf(
      [
        { event: 'info', span_id: 'lost', data: 1 },
        { event: 'info', span_id: 'lost', data: 2 },
      ],
      true,
    );
    const { recovered, gapBefore } = EVENT_FLAGS;
    expect(rows.map(({ flags }) => flags)).toEqual([recovered | gapBefore, recovered]);
  });
});

describe('labels', () => {
  test.each<[JsonObject, string]>([
    [model(undefined), 'I will look.'],
    [
      model(undefined, {
        output: {
          choices: [
            {
              message: {
                content: '',
                tool_calls: [{ function: 'bash', arguments: { timeout: 3, cmd: 'ls' } }],
              },
            },
          ],
        },
      }),
      'bash ls',
    ],
    [
      model(undefined, {
        output: { choices: [{ message: { content: [{ type: 'reasoning', reasoning: 'Let me\n think' }] } }] },
      }),
      'Let me think',
    ],
    [
      { event: 'tool', function: 'python', arguments: { code: 'print(1)\nprint(2)' } },
      'python print(1) print(2)',
    ],
    [
      { event: 'tool', function: 'f', arguments: { a: [1, { b: 2 }] }, error: { message: 'wrong' } },
      'f wrong',
    ],
    [{ event: 'score', score: { value: 'I', explanation: 'no' }, scorer: 'exact' }, 'exact I no'],
    [{ event: 'score', score: { value: Number.NaN } }, 'NaN'],
    [{ event: 'error', error: { message: 'x'.repeat(200) } }, `${'x'.repeat(79)}…`],
    [{ event: 'info', source: 'me', data: { a: 1 } }, 'me {"a":1}'],
    [{ event: 'state', changes: [{ op: 'add', path: '/a' }, {}, {}] }, 'add /a and 2 more'],
    [{ event: 'sample_init', sample: { input: [{ role: 'user', content: 'What is it?' }] } }, 'What is it?'],
    [{ event: 'sample_limit', type: 'token', message: 'too many' }, 'token too many'],
    [{ event: '__proto__' }, ''],
    [{ event: 'checkpoint', trigger: 'turn', checkpoint_id: 4 }, 'turn 4'],
    [{ event: 'unheard_of', data: 'x' }, ''],
  ])('%j says %j', (event, label) => {
    expect(rowsOf([event])[0]?.label).toBe(label);
  });

  test('are one line, whatever is in them, and never half a letter', () => {
    expect(oneLine('a\u0000\u001b[31m\r\n\t b')).toBe('a [31m b');
    expect(oneLine(`${'😀'.repeat(60)}`)).toBe(`${'😀'.repeat(39)}…`);
    expect(oneLine('\ud800x').isWellFormed()).toBe(true);
  });

  test('one that waits for an attachment is known when that is there, and without it when all was read', () => {
    const skeleton = new SkeletonColumns();
    const tool = (cmd: string) => ({ event: 'tool', function: 'bash', arguments: { cmd } });
    for (const cmd of ['attachment://h1', 'attachment://h1', 'attachment://gone', 'ls'])
      skeleton.add(tool(cmd), 1, (text) => text);
    expect(skeleton.part(0, 4)).toMatchObject({
      unlabelled: 3,
      columns: { label: ['bash', 'bash', 'bash', 'bash ls'] },
    });
    skeleton.attached('h1', 'cat a\nlong script');
    skeleton.end();
    expect(skeleton.part(0, 4)).toMatchObject({
      unlabelled: 0,
      columns: {
        flags: [0, 0, 0, 0],
        label: ['bash cat a long script', 'bash cat a long script', 'bash', 'bash ls'],
      },
    });
  });
});

test('parts tell the kinds and lanes that are new to them, and together all', () => {
  const skeleton = new SkeletonColumns();
  for (const event of ['info', 'info', 'tool', 'error', 'info', 'score'])
    skeleton.add({ event }, 1, (text) => text);
  const parts = [skeleton.part(0, 2), skeleton.part(2, 3), skeleton.part(3, 6)];
  expect(parts.map(({ kindsFrom, kinds }) => [kindsFrom, kinds])).toEqual([
    [0, ['info']],
    [1, ['tool']],
    [2, ['error', 'score']],
  ]);
  expect(parts.map(({ lanesFrom, lanes }) => [lanesFrom, lanes])).toEqual([
    [0, ['main']],
    [1, []],
    [1, []],
  ]);
});

test('times are read as Date.parse reads them', () => {
  const times = new TimeParser();
  for (const text of [
    '2026-01-01T00:00:59.999999+00:00',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00:00.123Z',
    '2026-01-01T00:00:01.123456-05:30',
    '2026-01-01T00:01:01.5+02:00',
    '2026-01-01',
    '2026-01-01T00:00:60Z',
    'yesterday',
    '',
  ])
    expect(times.parse(text), text).toBe(Date.parse(text));
});
