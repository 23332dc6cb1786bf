/** Names that the first releases used, and those that existed for a few days only [LOG-22]. */
import type { Json, JsonObject } from '../../../../src/base/index.ts';
import { makeZip } from './make-zip.ts';
import { HEADER, PLAN, plainSample, RESULTS, type Shape, SPEC, START, summaryOf, text } from './shape.ts';

const LONG = 'The river rises in two streams and goes a very long way to the sea, past deserts, towns and temples. '.repeat(2);
const HASH = '0c5b5cbb0f7f4d1f9a1a6b8d5e1f2a3b';
const QUESTION = { role: 'user', content: 'How long?', source: 'input' };
const SHORT = { role: 'assistant', content: 'Long.', source: 'generate' };

export const OLD_NAMES: readonly Shape[] = [firstNames('json'), firstNames('eval'), withoutEvalId(), withoutCompleted(), withoutCompletedUnfinished(), poolsOfVersion3(), pools(), spans()];

/** `score`, `transcript`, `tc://`, `scorer`/`metrics`, `sample_reductions`, `max_messages`, `tool_error`, `from_message`, sandbox lists. */
function firstNames(kind: 'json' | 'eval'): Shape {
  const { scores: _1, events: _2, attachments: _3, store: _4, ...old } = plainSample('nile');
  const reductions = [{ scorer: 'match', samples: [{ value: 1, sample_id: 'nile' }] }];
  const sample = {
    ...old,
    sandbox: ['docker', 'compose.yaml'],
    score: { value: 'C', answer: '6650 km' },
    messages: [...old.messages, { role: 'tool', content: 'nothing', tool_call_id: 'c1', tool_error: 'no such map' }],
    transcript: {
      events: [
        { event: 'sample_init', sample: { input: 'tc://abc', target: '6650', sandbox: ['local', null] }, state: {} },
        { event: 'step', action: 'begin', name: 'generate' },
        { event: 'model', model: 'mock/old', input: [{ role: 'tool', content: 'x', tool_error: 'broke' }], output: { choices: [] } },
        { event: 'score', score: { value: null } },
        { event: 'branch', from_message: 'm1' },
      ],
      content: { abc: LONG },
    },
  };
  const header = {
    version: 1,
    status: 'success',
    eval: { ...SPEC, sandbox: ['docker', 'compose.yaml'], config: { max_messages: 7, epochs: 1 } },
    plan: PLAN,
    results: {
      scorer: { name: 'match', params: {} },
      metrics: { accuracy: { name: 'accuracy', value: 1 } },
      sample_reductions: reductions,
    },
    stats: {},
  };
  const { messages, transcript: _5, score, ...same } = sample;
  return {
    file: kind === 'json' ? '2024-10-07T09-30-00+00-00_rivers_first-names.json' : 'first-names.eval',
    clause: 'LOG-22',
    bytes:
      kind === 'json'
        ? Buffer.from(text({ ...header, samples: [sample] }))
        : makeZip([
            { name: 'samples/nile_epoch_1.json', text: text(sample) },
            { name: 'summaries.json', text: text([summaryOf(plainSample('nile'))]) },
            { name: 'header.json', text: text(header) },
          ]),
    reads: {
      says: 'Every name of 2024 that is another today.',
      header: {
        version: 1,
        eval: { sandbox: { type: 'docker', config: 'compose.yaml' }, config: { message_limit: 7, epochs: 1 } },
        results: { scores: [{ name: 'match', scorer: 'match', params: {}, metrics: { accuracy: { value: 1, params: {} } } }] },
      },
      summaries: [{ id: 'nile', epoch: 1 }],
      samples: [
        {
          ...same,
          sandbox: { type: 'docker', config: 'compose.yaml' },
          scores: { match: score },
          messages: [
            ...messages.slice(0, 2),
            { role: 'tool', content: 'nothing', tool_call_id: 'c1', error: { type: 'unknown', message: 'no such map' } },
          ],
          store: {},
          events: [
            { event: 'sample_init', sample: { input: LONG, target: '6650', sandbox: { type: 'local' } }, state: {} },
            { event: 'step', action: 'begin', name: 'generate' },
            {
              event: 'model',
              model: 'mock/old',
              input: [{ role: 'tool', content: 'x', error: { type: 'unknown', message: 'broke' } }],
              output: { choices: [] },
            },
            { event: 'score', score: { value: Number.NaN } },
            { event: 'branch', from_anchor: 'm1' },
          ],
        },
      ],
      reductions,
    },
  };
}

/** The id is BLAKE2s-128 of run, task and time in base 57, as Python's hashlib gives it. */
function withoutEvalId(): Shape {
  const { eval_id: _, ...spec } = SPEC;
  return {
    file: 'no-eval-id.eval',
    clause: 'LOG-22',
    bytes: makeZip([
      { name: '_journal/start.json', text: text({ ...START, eval: spec }) },
      { name: 'summaries.json', text: '[]' },
      { name: 'header.json', text: text({ ...HEADER, eval: spec }) },
    ]),
    reads: {
      says: 'Logs of before 2025 have no eval id; it is derived, and the same in every tool.',
      header: { eval: { ...SPEC, eval_id: 'cEiqo3kRvFaAmXemqgX2PV' } },
      summaries: [],
      samples: [],
    },
  };
}

/** A row of Inspect 0.3.41 to 0.3.58: it does not say whether its sample ended, and has little else. */
function rowWithoutCompleted(id: string, more: JsonObject = {}) {
  const { input, target, epoch } = plainSample(id);
  return { id, epoch, input, target, ...more };
}

function withoutCompleted(): Shape {
  const { scores: _1, ...failed } = plainSample('oder');
  const { scores: _2, ...unscored } = plainSample('rhein');
  const samples = [plainSample('nile'), { ...failed, error: { message: 'no map', traceback: '', traceback_ansi: '' } }, unscored];
  return {
    file: 'no-completed.eval',
    clause: 'LOG-22',
    bytes: makeZip([
      { name: '_journal/start.json', text: text(START) },
      ...samples.map((sample) => ({ name: `samples/${sample.id}_epoch_1.json`, text: text(sample) })),
      {
        name: 'summaries.json',
        text: text([
          rowWithoutCompleted('nile', { scores: { match: { value: 'C', answer: '6650 km' } } }),
          rowWithoutCompleted('oder', { error: 'no map' }),
          rowWithoutCompleted('rhein', { scores: {} }),
        ]),
      },
      { name: 'header.json', text: text({ ...HEADER, results: { ...RESULTS, total_samples: 3 } }) },
    ]),
    reads: {
      says: 'Rows that do not say whether their samples ended: in a run that was finished all did.',
      header: { status: 'success' },
      summaries: [
        { id: 'nile', completed: true },
        { id: 'oder', completed: true, error: 'no map' },
        { id: 'rhein', completed: true },
      ],
      samples,
    },
  };
}

function withoutCompletedUnfinished(): Shape {
  const { scores: _, ...unscored } = plainSample('rhein');
  const samples = [plainSample('nile'), unscored];
  return {
    file: 'no-completed-unfinished.eval',
    clause: 'LOG-22',
    bytes: makeZip([
      { name: '_journal/start.json', text: text(START) },
      ...samples.map((sample) => ({ name: `samples/${sample.id}_epoch_1.json`, text: text(sample) })),
      {
        name: '_journal/summaries/1.json',
        text: text([
          rowWithoutCompleted('nile', { scores: { match: { value: 'C', answer: '6650 km' } } }),
          rowWithoutCompleted('rhein'),
        ]),
      },
    ]),
    reads: {
      says: 'The same in a run that nobody finished: only what was scored or failed is known to have ended.',
      header: { status: 'started' },
      summaries: [
        { id: 'nile', completed: true },
        { id: 'rhein', completed: false },
      ],
      samples,
    },
  };
}

/** Events that refer to pools: the second sees all of the first's messages, one of them twice. */
function pooledEvents() {
  const model = { event: 'model', model: 'mock/old', tools: [], tool_choice: 'auto', config: {}, output: { choices: [] } };
  return {
    stored: [
      { ...model, input: [], input_refs: [[0, 1]], call: { request: { model: 'old' }, response: {}, call_key: 'messages', call_refs: [[0, 1]] } },
      { ...model, input: [], input_refs: [[0, 2], [0, 1], [2, 3]], call: { request: { model: 'old' }, response: {}, call_key: 'contents', call_refs: [[1, 2], [0, 1]] } },
    ],
    whole: [
      { ...model, input: [QUESTION], call: { request: { model: 'old', messages: [{ role: 'user', parts: 'q' }] }, response: {} } },
      {
        ...model,
        input: [QUESTION, SHORT, QUESTION, { role: 'user', content: LONG }],
        call: { request: { model: 'old', contents: [{ role: 'user', parts: LONG }, { role: 'user', parts: 'q' }] }, response: {} },
      },
    ],
    messages: [QUESTION, SHORT, { role: 'user', content: `attachment://${HASH}` }],
    calls: [{ role: 'user', parts: 'q' }, { role: 'user', parts: `attachment://${HASH}` }],
  };
}

function poolShape(file: string, says: string, version: number): Shape {
  const { stored, whole, messages, calls } = pooledEvents();
  const base = { ...plainSample('nile'), events: stored, attachments: { [HASH]: LONG } };
  const sample = version === 3 ? { ...base, message_pool: messages, call_pool: calls } : { ...base, events_data: { messages, calls } };
  const { attachments: _, ...fields } = plainSample('nile');
  return {
    file,
    clause: 'LOG-22',
    bytes: makeZip([
      { name: '_journal/start.json', text: text({ ...START, version }) },
      { name: 'samples/nile_epoch_1.json', text: text(sample), method: 'deflate' },
      { name: 'summaries.json', text: text([summaryOf(plainSample('nile'))]) },
      { name: 'header.json', text: text({ ...HEADER, version, results: RESULTS }) },
    ]),
    reads: {
      says,
      header: { version, results: RESULTS },
      summaries: [{ id: 'nile' }],
      samples: [{ ...fields, events: whole }],
    },
  };
}

function poolsOfVersion3(): Shape {
  return poolShape('version-3-pools.eval', 'Version 3 kept its pools beside the events; Inspect itself shows such logs with empty inputs.', 3);
}

function pools(): Shape {
  return poolShape('pools.eval', 'Pools of today: ranges, repeats, attachments within the pool.', 2);
}

/** Nested events of a tool or a subtask, from before spans. */
function spans(): Shape {
  const { messages, calls, stored, whole } = pooledEvents();
  const nest = (events: readonly Json[]): Json[] => [{ event: 'subtask', name: 'search', input: {}, events }, { event: 'tool', id: 't', function: 'f', arguments: { q: `attachment://${HASH}` }, events: [{ event: 'subtask', name: 'deep', input: {}, events }] }];
  const { attachments: _, ...fields } = plainSample('nile');
  const sample = { ...fields, events: nest(stored), attachments: { [HASH]: LONG }, events_data: { messages, calls } };
  const expected = JSON.parse(text(nest(whole)).replaceAll(`attachment://${HASH}`, LONG));
  return {
    file: 'nested-events.eval',
    clause: 'LOG-22',
    bytes: makeZip([
      { name: 'samples/nile_epoch_1.json', text: text(sample) },
      { name: 'summaries.json', text: text([summaryOf(plainSample('nile'))]) },
      { name: 'header.json', text: text(HEADER) },
    ]),
    reads: {
      says: 'Events within events, with references at every depth.',
      header: { status: 'success' },
      summaries: [{ id: 'nile' }],
      samples: [{ ...fields, events: expected }],
    },
  };
}
