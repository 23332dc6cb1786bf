import { expect, test } from 'vitest';
import type { Json } from '../base/index.ts';
import { memorySource, openLogSource } from './index.ts';

const spec = {
  created: '2024-01-01T00:00:00+00:00',
  task: 't',
  dataset: {},
  model: 'x/y',
  config: { max_messages: 7 },
  run_id: 'r',
  task_id: 'i',
};

function open(log: Record<string, Json>) {
  return openLogSource(memorySource('old.json', Buffer.from(JSON.stringify(log))));
}

test('[LOG-22] the names of the first logs become those of today', async () => {
  const reader = await open({
    version: 1,
    status: 'success',
    eval: spec,
    results: {
      scorer: { name: 'match', params: {} },
      metrics: { accuracy: { name: 'accuracy', value: 1 } },
      sample_reductions: [{ scorer: 'match', samples: [] }],
    },
    samples: [
      {
        id: 1,
        epoch: 1,
        input: 'q',
        target: 't',
        sandbox: ['docker', 'compose.yaml'],
        score: { value: 'C' },
        messages: [{ role: 'tool', content: 'x', tool_error: 'broke' }],
        transcript: {
          events: [
            { event: 'info', data: 'tc://abc' },
            { event: 'score', score: { value: null } },
            { event: 'branch', from_message: 'm' },
          ],
          content: { abc: 'long text' },
        },
      },
    ],
  });
  const header = await reader.header();
  expect(header.results?.scores).toMatchObject([
    { name: 'match', scorer: 'match', metrics: { accuracy: { value: 1, params: {} } } },
  ]);
  expect(header.eval.config).toEqual({ message_limit: 7 });
  expect(header.eval.eval_id).toHaveLength(22);
  expect(await reader.reductions()).toEqual([{ scorer: 'match', samples: [] }]);
  expect(await reader.sample(1, 1)).toMatchObject({
    sandbox: { type: 'docker', config: 'compose.yaml' },
    scores: { match: { value: 'C' } },
    messages: [{ role: 'tool', error: { type: 'unknown', message: 'broke' } }],
    events: [{ data: 'long text' }, { score: { value: Number.NaN } }, { from_anchor: 'm' }],
  });
});

test('[LOG-2] unknown keys and unknown kinds of events pass through', async () => {
  const reader = await open({
    status: 'success',
    eval: { ...spec, later: 1 },
    later: [1],
    samples: [
      {
        id: 'a',
        epoch: 1,
        input: '',
        target: '',
        later: { x: null },
        events: [{ event: 'of-tomorrow', x: 1 }],
      },
    ],
  });
  expect(await reader.header()).toMatchObject({ later: [1], eval: { later: 1 } });
  expect(await reader.sample('a', 1)).toMatchObject({
    later: { x: null },
    events: [{ event: 'of-tomorrow', x: 1 }],
  });
});

test('a log that was never finished is started, and an id that is missing is derived', async () => {
  const reader = await open({
    status: null,
    eval: { created: '', task: 't', dataset: {}, model: 'm', config: {}, run_id: 'abc', task_id: '' },
    samples: [],
  });
  const header = await reader.header();
  expect(header.status).toBe('started');
  // BLAKE2s-128 of "abc" in base 57, as Python's hashlib gives it.
  expect(header.eval.eval_id).toBe('YJxWvRnZ2qUCFkTthLTM5M');
});

test('pools: repeats are kept, positions beyond the pool are passed over, an empty pool leaves references', async () => {
  const model = (input_refs: Json): Json => ({ event: 'model', input: [], input_refs });
  const message = { role: 'user', content: 'attachment://k' };
  const sample = (id: number, events: Json[], messages: Json[]): Json => ({
    id,
    epoch: 1,
    input: '',
    target: '',
    events,
    events_data: { messages, calls: [] },
    attachments: { k: 'attachment://k' },
  });
  const reader = await open({
    status: 'success',
    eval: spec,
    samples: [
      sample(
        1,
        [
          model([
            [0, 1],
            [0, 1],
            [5, 9],
          ]),
          model('x'),
        ],
        [message],
      ),
      sample(2, [model([[0, 1]])], []),
    ],
  });
  // What an attachment holds is never taken for a reference again.
  const whole = { role: 'user', content: 'attachment://k' };
  expect((await reader.sample(1, 1))?.events[0]).toEqual({ event: 'model', input: [whole, whole] });
  expect((await reader.sample(2, 1))?.events[0]).toEqual({ event: 'model', input: [], input_refs: [[0, 1]] });
});

test('[LOG-22] a name of before does not take the place of the one of today', async () => {
  const reader = await open({
    version: 2,
    status: 'success',
    eval: { ...spec, config: { max_messages: 7, message_limit: 9 } },
    samples: [],
  });
  expect((await reader.header()).eval.config).toMatchObject({ message_limit: 9 });
  await reader.close();
});
