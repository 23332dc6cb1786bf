import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { fillBuffer, type MadeBuffer, madeEvent, modelEvent, user } from '../../test/sim/inspect-buffer.ts';
import type { Json, JsonObject } from '../base/index.ts';
import { BufferReader } from '../journal/index.ts';
import { BufferedCopy } from './buffered-copy.ts';
import { decideIncomplete } from './incomplete.ts';
import { rebuildSample } from './rebuild-sample.ts';

const MARK = { error: decideIncomplete({ action: 'retry' }, { inFlight: 0, expected: 0 }).mark };

function rebuild(
  buffer: MadeBuffer,
  more: {
    readonly key?: { id: string; epoch: number };
    readonly config?: JsonObject;
    readonly sandbox?: Json;
  } = {},
) {
  const db = new DatabaseSync(':memory:');
  fillBuffer(db, buffer);
  const reader = new BufferReader({ kind: 'database', place: 'memory', db, close: async () => db.close() });
  const copy = new BufferedCopy(more.key ?? { id: '1', epoch: 1 }, [reader]);
  return rebuildSample(copy, {
    knownIds: new Map(),
    mark: MARK,
    sandbox: more.sandbox,
    config: more.config ?? {},
  });
}

const completed: JsonObject = {
  id: 1,
  epoch: 1,
  input: 'Hi',
  target: 'yes',
  metadata: {},
  completed: true,
  completed_at: '2026-01-02T03:05:00+00:00',
  started_at: '2026-01-02T03:04:00+00:00',
  total_time: 60,
  working_time: 50,
  uuid: 'the-uuid',
  scores: { match: { value: 'C' } },
  model_usage: { 'mock/model': { input_tokens: 1, output_tokens: 2, total_tokens: 3 } },
  role_usage: {},
};
const running: JsonObject = { id: 1, epoch: 1, input: 'Hi', target: 'yes', metadata: {}, completed: false };
const init = (sample: JsonObject, state: JsonObject = {}) =>
  madeEvent('sample_init', { sample: { input: 'Hi', id: 1, ...sample }, state });

describe('a completed sample', () => {
  test('has all that its row says', () => {
    const row = {
      ...completed,
      choices: ['yes', 'no'],
      model_fallbacks: [{ model: 'other' }],
      turn_count: 3,
      token_limit: 100,
      token_limit_type: 'total',
      token_limit_usage: 40,
    };
    const { fields, state } = rebuild({
      samples: [{ summary: row }],
      events: [{ event: modelEvent({ input: [user('Hi')], answer: 'yes' }) }],
    });
    expect(state).toBe('completed');
    expect(fields).toMatchObject({
      id: 1,
      epoch: 1,
      input: 'Hi',
      target: 'yes',
      choices: ['yes', 'no'],
      scores: { match: { value: 'C' } },
      model_fallbacks: [{ model: 'other' }],
      turn_count: 3,
      token_limit: 100,
      token_limit_type: 'total',
      token_limit_usage: 40,
      uuid: 'the-uuid',
      total_time: 60,
    });
    expect(fields.error).toBeUndefined();
    expect(fields.messages).toHaveLength(2);
  });

  test('of an old release is known by its word, because it has no time', () => {
    const { completed_at: _, ...old } = completed;
    expect(rebuild({ samples: [{ summary: old }] }).state).toBe('completed');
  });

  test('keeps its epoch', () => {
    const summary = { ...completed, epoch: 3 };
    expect(rebuild({ samples: [{ summary }] }, { key: { id: '1', epoch: 3 } }).fields.epoch).toBe(3);
  });

  test('has its scores whole again, from the score events', () => {
    const long = 'because '.repeat(500).trim();
    const thin = {
      match: { value: 'C', explanation: 'because...' },
      match1: { value: 0.5 },
      edited: { value: 'I' },
    };
    const scorer = (id: string, name: string) => madeEvent('span_begin', { id, name, type: 'scorer' });
    const score = (span: string, value: Json, more: JsonObject = {}) =>
      madeEvent('score', {
        span_id: span,
        score: { value, explanation: long },
        intermediate: false,
        ...more,
      });
    const { fields } = rebuild({
      samples: [{ summary: { ...completed, scores: thin } }],
      events: [
        scorer('a', 'match'),
        madeEvent('score', { span_id: 'a', score: { value: 0.1 }, intermediate: true }),
        score('a', 'C'),
        scorer('b', 'match'),
        score('b', 0.5),
        score('b', 'C', { scorer: 'pkg/edited' }),
      ].map((event) => ({ event })),
    });
    expect(fields.scores?.match).toMatchObject({ value: 'C', explanation: long });
    expect(fields.scores?.match1).toMatchObject({ value: 0.5, explanation: long });
    expect(fields.scores?.edited).toEqual({ value: 'I' });
  });

  test('has the traceback of its error again', () => {
    const error = { message: 'rate limit', traceback: 'Traceback …', traceback_ansi: 'ansi' };
    const summary = { ...completed, error: 'rate limit', scores: null };
    const events = [{ event: madeEvent('error', { error }) }];
    expect(rebuild({ samples: [{ summary }], events }).fields.error).toEqual(error);
    expect(rebuild({ samples: [{ summary }] }).fields.error).toEqual({
      message: 'rate limit',
      traceback: 'rate limit\n',
      traceback_ansi: 'rate limit\n',
    });
    expect(rebuild({ samples: [{ summary }] }).fields.scores).toBeUndefined();
  });

  test('has the messages that its state ended with, where the events tell it', () => {
    const messages = [user('Hi'), { role: 'assistant', content: 'yes' }, user('thanks')];
    const { fields } = rebuild({
      samples: [{ summary: { ...completed, message_count: 3 } }],
      events: [
        init({}, { messages: [user('Hi')], store: {} }),
        madeEvent('span_begin', { id: 's', name: 'solver', type: 'solver' }),
        modelEvent({ input: [user('system'), user('Hi')], answer: 'yes' }, { span_id: 's' }),
        madeEvent('state', {
          span_id: 's',
          changes: [
            { op: 'add', path: '/messages/1', value: messages[1] as Json },
            { op: 'add', path: '/messages/2', value: messages[2] as Json },
          ],
        }),
      ].map((event) => ({ event })),
    });
    expect(fields.messages).toEqual(messages);
  });

  test('whose messages the state tells otherwise than its row has those of its model calls', () => {
    const { fields } = rebuild({
      samples: [{ summary: { ...completed, message_count: 2 } }],
      events: [
        init({}, { messages: [user('Hi')], store: {} }),
        modelEvent({ input: [user('Hi')], answer: 'yes' }),
        madeEvent('state', {
          changes: [
            { op: 'add', path: '/messages/1', value: user('x') },
            { op: 'add', path: '/messages/2', value: user('y') },
          ],
        }),
      ].map((event) => ({ event })),
    });
    expect(fields.messages.map(({ content }) => content)).toEqual(['Hi', 'yes']);
  });

  test('says that it was tried before, which is no damage: Inspect keeps only the number', () => {
    const { fields, missing, notes } = rebuild({ samples: [{ summary: { ...completed, retries: 2 } }] });
    expect(fields.error_retries).toEqual([]);
    expect(missing).toEqual([]);
    expect(notes.join()).toContain('tried 2 times before');
  });
});

describe('a running sample', () => {
  test('is marked as cancelled in the words of Inspect, has no scores, and keeps its messages', () => {
    const { fields, state } = rebuild({
      samples: [{ summary: { ...running, scores: { match: { value: 'C' } } } }],
      events: [{ event: modelEvent({ input: [user('Hi')], answer: 'yes' }) }],
    });
    expect(state).toBe('in-flight');
    expect(fields.scores).toBeUndefined();
    expect(fields.error?.message).toBe('CancelledError()');
    expect(fields.error?.traceback).toContain('recovered');
    expect(fields.messages).toHaveLength(2);
  });

  test('without an id of its own is given one, and one that it has is kept', () => {
    expect(rebuild({ samples: [{ summary: running }] }).fields.uuid).toMatch(/^\w{22}$/);
    expect(rebuild({ samples: [{ summary: { ...running, uuid: 'mine' } }] }).fields.uuid).toBe('mine');
  });

  test('has its usage from its model events, by model and by role', () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      reasoning_tokens: null,
      total_cost: 0.25,
    };
    const { fields } = rebuild({
      samples: [{ summary: running }],
      events: [
        modelEvent({ usage }),
        modelEvent({ usage, role: 'grader' }),
        modelEvent({ usage }, { cache: 'read' }),
        modelEvent({ usage, pending: true }),
      ].map((event) => ({ event })),
    });
    expect(fields.model_usage).toEqual({
      'mock/model': { input_tokens: 20, output_tokens: 10, total_tokens: 30, total_cost: 0.5 },
    });
    expect(fields.role_usage).toEqual({
      grader: { input_tokens: 10, output_tokens: 5, total_tokens: 15, total_cost: 0.25 },
    });
  });

  test('has its store from the changes, with long texts put back', () => {
    const { fields } = rebuild({
      samples: [{ summary: running }],
      attachments: [{ hash: 'a'.repeat(32), text: 'a long note' }],
      events: [
        init({}, { store: { kept: 1 } }),
        madeEvent('store', {
          changes: [
            { op: 'add', path: '/notes', value: [`attachment://${'a'.repeat(32)}`] },
            { op: 'add', path: '/nothing', value: null },
          ],
        }),
      ].map((event) => ({ event })),
    });
    expect(fields.store).toEqual({ kept: 1, notes: ['a long note'], nothing: null });
  });

  test('that never called a model has what it began with', () => {
    const events = [init({}, { messages: [user('Hi')] })].map((event) => ({ event }));
    const { fields } = rebuild({ samples: [{ summary: running }], events });
    expect(fields.messages).toEqual([user('Hi')]);
    expect(fields.output).toEqual({ choices: [] });
  });
});

test('only an info event: no messages, an empty output, one event', () => {
  const { fields, events } = rebuild({
    samples: [{ summary: completed }],
    events: [{ event: madeEvent('info', { data: 'x' }) }],
  });
  expect(fields.messages).toEqual([]);
  expect(fields.output).toEqual({ choices: [] });
  expect(events).toHaveLength(1);
});

test('no events at all: no messages, an empty output', () => {
  const { fields } = rebuild({ samples: [{ summary: completed }] });
  expect(fields).toMatchObject({ messages: [], output: { choices: [] }, store: {} });
  expect(fields.timelines).toBeUndefined();
});

test('a grader without a role of its own is no part of the conversation', () => {
  const { fields } = rebuild({
    samples: [{ summary: completed }],
    events: [
      modelEvent({ input: [user('Hi')], answer: 'yes' }),
      madeEvent('span_begin', { id: 'all', name: 'scorers', type: 'scorers' }),
      madeEvent('span_begin', { id: 'one', parent_id: 'all', name: 'graded', type: 'scorer' }),
      madeEvent('span_begin', { id: 'deep', parent_id: 'one', name: 'x' }),
      modelEvent({ input: [user('grade')], answer: 'good' }, { span_id: 'deep' }),
    ].map((event) => ({ event })),
  });
  expect(fields.messages.map(({ content }) => content)).toEqual(['Hi', 'yes']);
});

describe('the dataset', () => {
  test('is whole in the first event: input, target, choices, files, setup, sandbox', () => {
    const hash = 'b'.repeat(32);
    const { fields } = rebuild({
      samples: [{ summary: { ...completed, input: 'H...\n(content truncated)' } }],
      attachments: [{ hash, text: 'the whole question' }],
      events: [
        init({
          input: `attachment://${hash}`,
          target: ['a', 'b'],
          choices: ['x'],
          files: { 'a.txt': 'data' },
          setup: 'run me',
          sandbox: ['docker', 'compose.yaml'],
        }),
      ].map((event) => ({ event })),
    });
    expect(fields).toMatchObject({
      input: 'the whole question',
      target: ['a', 'b'],
      choices: ['x'],
      files: ['a.txt'],
      setup: 'run me',
      sandbox: { type: 'docker', config: 'compose.yaml' },
    });
  });

  test('has the sandbox of the eval where the sample names none', () => {
    const { fields } = rebuild({ samples: [{ summary: completed }] }, { sandbox: { type: 'docker' } });
    expect(fields.sandbox).toEqual({ type: 'docker' });
  });

  test('an image stays an attachment, long text does not', () => {
    const [image, text] = ['c'.repeat(32), 'd'.repeat(32)];
    const { fields } = rebuild({
      samples: [{ summary: completed }],
      attachments: [
        { hash: image, text: 'data:image/png;base64,AAAA' },
        { hash: text, text: 'long text' },
      ],
      events: [
        init({
          input: [
            {
              role: 'user',
              content: [
                { type: 'image', image: `attachment://${image}` },
                { type: 'text', text: `attachment://${text}` },
              ],
            },
          ],
        }),
      ].map((event) => ({ event })),
    });
    expect(JSON.stringify(fields.input)).toContain(`attachment://${image}`);
    expect(JSON.stringify(fields.input)).toContain('long text');
  });
});

describe('metadata', () => {
  const thin = { big: 'Key removed from summary (> 1k)' };
  const full = { big: ['x'.repeat(2000)] };

  test('is the stored one where there is one', () => {
    const events = [{ event: init({ metadata: { other: 1 } }) }];
    const { fields } = rebuild({
      samples: [{ summary: { ...completed, metadata: thin }, metadata: full }],
      events,
    });
    expect(fields.metadata).toEqual(full);
  });

  test('else that of the first event, as the state changed it', () => {
    const { fields } = rebuild({
      schema: 'pools',
      samples: [{ summary: { ...completed, metadata: thin } }],
      events: [
        init({ metadata: full }),
        madeEvent('state', { changes: [{ op: 'add', path: '/metadata/added', value: 1 }] }),
      ].map((event) => ({ event })),
    });
    expect(fields.metadata).toEqual({ ...full, added: 1 });
  });

  test('else what the row has left of it; a first event without any means none', () => {
    expect(rebuild({ samples: [{ summary: { ...completed, metadata: thin } }] }).fields.metadata).toEqual(
      thin,
    );
    const events = [{ event: init({}) }];
    expect(rebuild({ samples: [{ summary: running }], events }).fields.metadata).toEqual({});
  });
});

describe('a limit', () => {
  test('has its number from the event that told it', () => {
    const events = [
      { event: madeEvent('sample_limit', { type: 'token', message: 'too many', limit: 1000 }) },
    ];
    const { fields } = rebuild({ samples: [{ summary: { ...completed, limit: 'token' } }], events });
    expect(fields.limit).toEqual({ type: 'token', limit: 1000 });
  });

  test('else from the eval, and is left out when nobody tells', () => {
    const buffer = { samples: [{ summary: { ...completed, limit: 'message' } }] };
    expect(rebuild(buffer, { config: { message_limit: 7 } }).fields.limit).toEqual({
      type: 'message',
      limit: 7,
    });
    expect(rebuild(buffer).fields.limit).toBeUndefined();
  });
});

describe('pools', () => {
  const answer = { role: 'assistant', content: 'a' };
  const pooled: MadeBuffer = {
    samples: [{ summary: completed }],
    messages: [
      { key: 'x', data: user('Hi') },
      { key: 'other', sample: '2', data: user('of another sample') },
      { key: 'y', data: answer },
      { key: 'z', data: user('more') },
    ],
    calls: [{ key: 'c', data: { role: 'user', content: 'raw' } }],
    events: [
      modelEvent({ refs: [[0, 1]], answer: 'a' }),
      modelEvent(
        { refs: [[0, 3]], answer: 'b' },
        { call: { request: {}, call_refs: [[0, 1]], call_key: 'messages' } },
      ),
    ].map((event) => ({ event })),
  };

  test('fill the messages; the rank of a row within its sample is its position', () => {
    const { fields, pools } = rebuild(pooled);
    expect(fields.messages.map(({ content }) => content)).toEqual(['Hi', 'a', 'more', 'b']);
    expect(pools.message.rows).toEqual([1, 3, 4]);
    expect(pools.call.rows).toEqual([1]);
  });

  test('may name one message twice, or one that is not there', () => {
    const events = [{ event: modelEvent({ refs: [[0, 1], [0, 1], [1, 9], 'x', [2]] as Json, answer: 'b' }) }];
    const { fields, missing } = rebuild({ ...pooled, messages: [{ key: 'x', data: user('Hi') }], events });
    expect(fields.messages.map(({ content }) => content)).toEqual(['Hi', 'Hi', 'b']);
    expect(missing.join()).toContain(
      '8 messages that its model events refer to are missing; where they stood',
    );
  });
});

test('pending and final rows of one call are one event, with the last text', () => {
  const { fields, events, pending } = rebuild({
    samples: [{ summary: completed }],
    events: [
      { id: 'call', event: modelEvent({ input: [user('Hi')], pending: true }) },
      { id: 'tool', event: madeEvent('tool', { pending: true }) },
      { id: 'call', event: modelEvent({ input: [user('Hi')], answer: 'final' }) },
    ],
  });
  expect(events).toEqual([3, 2]);
  expect(pending).toBe(1);
  expect(JSON.stringify(fields.output)).toContain('final');
  expect(fields.messages.map(({ content }) => content)).toEqual(['Hi', 'final']);
});

test('a sample that was tried again: the last attempt counts, the errors before it are kept', () => {
  const error = (message: string) =>
    madeEvent('error', { error: { message, traceback: `t ${message}`, traceback_ansi: '' } });
  const begin = (id: string) => [
    madeEvent('span_begin', { id, name: 'init', type: 'init' }),
    madeEvent('sample_init', { span_id: id, sample: { input: 'Hi', id: 1 }, state: { store: {} } }),
  ];
  const { fields, events } = rebuild({
    samples: [{ summary: running }],
    messages: [
      { key: '1', data: user('first') },
      { key: '2', data: user('second') },
      { key: '3', data: user('third') },
    ],
    events: [
      ...begin('a'),
      modelEvent({
        refs: [[0, 1]],
        answer: 'no',
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      }),
      madeEvent('sample_limit', { type: 'token', message: 'too many', limit: 1000 }),
      error('one'),
      ...begin('b'),
      modelEvent({ refs: [[0, 1]], answer: 'no' }),
      error('two'),
      ...begin('c'),
      modelEvent({ refs: [[0, 1]], answer: 'yes' }),
    ].map((event) => ({ event })),
  });
  expect(fields.error_retries?.map(({ message }) => message)).toEqual(['one', 'two']);
  expect(fields.messages.map(({ content }) => content)).toEqual(['third', 'yes']);
  expect(fields.limit).toBeUndefined();
  expect(fields.model_usage).toEqual({});
  expect(events).toHaveLength(3);
});

test('what is no message keeps its place and is said; what a row says in another kind is left out', () => {
  const { fields, missing } = rebuild({
    samples: [{ summary: { ...completed, total_time: 'long', turn_count: '3', working_time: null } }],
    events: [
      { event: init({ input: [user('Hi'), 7], target: 4 }) },
      { event: modelEvent({ input: [user('Hi'), { text: 'no role' }], answer: 'yes' }) },
    ],
  });
  const lost = { content: '[This message was lost in the crash.]' };
  expect(fields.messages).toMatchObject([user('Hi'), lost, { content: 'yes' }]);
  expect(fields.input).toMatchObject([user('Hi'), lost]);
  expect(fields.target).toBe('4');
  for (const key of ['total_time', 'turn_count', 'working_time']) expect(fields).not.toHaveProperty(key);
  expect(missing.filter((reason) => reason === '1 of its messages could not be read.')).toHaveLength(2);
});

test('damaged rows are left out and said', () => {
  const db = new DatabaseSync(':memory:');
  fillBuffer(db, { samples: [{ summary: completed }], events: [{ event: madeEvent('info') }] });
  db.prepare(
    "INSERT INTO events (event_id, sample_id, sample_epoch, data) VALUES ('x', '1', 1, '{\"event\": ')",
  ).run();
  const reader = new BufferReader({ kind: 'database', place: 'memory', db, close: async () => db.close() });
  const copy = new BufferedCopy({ id: '1', epoch: 1 }, [reader]);
  const rebuilt = rebuildSample(copy, { knownIds: new Map(), mark: MARK, sandbox: undefined, config: {} });
  expect(rebuilt.events).toHaveLength(1);
  expect(rebuilt.missing).toEqual(['1 of its events could not be read.']);
  expect(reader.problems[0]).toMatchObject({ code: 'E_BUFFER_ROW' });
});

test('an id is given back with its type: as the row, the first event or the dataset has it', () => {
  expect(rebuild({ samples: [{ summary: running }] }).fields.id).toBe(1);
  expect(rebuild({ samples: [{ summary: { ...running, id: '1' } }] }).fields.id).toBe('1');
  expect(rebuild({ events: [{ event: init({}) }] }).fields.id).toBe(1);
  expect(rebuild({ events: [{ event: madeEvent('info') }] }).fields.id).toBe('1');
});

describe('without its row', () => {
  test('a sample whose scorers had ended is complete, with the scores of its events', () => {
    const { fields, state, missing } = rebuild({
      events: [
        init({}),
        madeEvent('span_begin', { id: 's', name: 'scorers', type: 'scorers' }),
        madeEvent('score', { span_id: 's', score: { value: null }, scorer: 'match' }),
        madeEvent('span_end', { id: 's' }),
      ].map((event) => ({ event })),
    });
    expect(state).toBe('completed');
    expect(fields.scores).toEqual({ match: { value: Number.NaN } });
    expect(missing.join()).toContain('The row that begins a sample is missing');
  });

  test('one of whose scorers failed is in flight: it was about to be tried again', () => {
    const { fields, state } = rebuild({
      events: [
        init({}),
        madeEvent('span_begin', { id: 's', name: 'scorers', type: 'scorers' }),
        madeEvent('span_begin', { id: 'a', parent_id: 's', name: 'match', type: 'scorer' }),
        madeEvent('score', { span_id: 'a', score: { value: 'C' } }),
        madeEvent('span_end', { id: 'a' }),
        madeEvent('span_begin', { id: 'b', parent_id: 's', name: 'broken', type: 'scorer' }),
        madeEvent('span_end', { id: 'b' }),
        madeEvent('span_end', { id: 's' }),
      ].map((event) => ({ event })),
    });
    expect(state).toBe('in-flight');
    expect(fields.scores).toBeUndefined();
  });

  test('one that was under way is in flight', () => {
    expect(rebuild({ events: [{ event: init({}) }] }).state).toBe('in-flight');
  });
});
