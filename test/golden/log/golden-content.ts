import type { ChatMessage, LogEvent, LogHeader, SampleFields } from '../../../src/log/index.ts';
import type { Json } from '../../../src/base/index.ts';

const at = '2026-11-15T12:00:00.123456+00:00';

/** What the golden logs hold: every kind of value that was ever hard to write or read. */
export const goldenHeader: LogHeader = {
  version: 2,
  status: 'success',
  eval: {
    eval_id: 'ADiQnZpkmYKEmk8AGpYKPu',
    run_id: '4RWjxw95B3LzGCoKjQyFo9',
    created: '2026-11-15T12:00:00+00:00',
    task: 'capitals',
    task_id: 'nhBK3f53egopWzGHBV5n5S',
    task_version: 0,
    task_attribs: {},
    task_args: {},
    task_args_passed: {},
    dataset: { name: 'capitals', samples: 3, sample_ids: [1, 'zwei/../ä', 3], shuffled: false },
    model: 'mock/scripted',
    model_generate_config: {},
    model_args: {},
    config: { epochs: 1, fail_on_error: false, log_samples: true },
    packages: { holdfast: '0.1.0' },
    scorers: [{ name: 'includes', metrics: [{ name: 'accuracy' }] }],
  },
  plan: { name: 'plan', steps: [{ solver: 'target', params: {}, params_passed: {} }], config: {} },
  results: {
    total_samples: 3,
    completed_samples: 3,
    scores: [
      {
        name: 'includes',
        scorer: 'includes',
        params: {},
        metrics: {
          accuracy: { name: 'accuracy', value: 0.5, params: {} },
          stderr: { name: 'stderr', value: Number.NaN, params: {} },
        },
      },
    ],
  },
  stats: {
    started_at: '2026-11-15T12:00:00+00:00',
    completed_at: '2026-11-15T12:00:09+00:00',
    model_usage: {
      'mock/scripted': { input_tokens: 30, output_tokens: 12, total_tokens: 42, total_cost: 0.0001 },
    },
    role_usage: {},
    connection_limit_history: [],
  },
  invalidated: false,
  tags: ['golden'],
  metadata: { holdfast: { format: 1 } },
};

export function goldenSamples(): { readonly fields: SampleFields; readonly events: readonly LogEvent[] }[] {
  return [conversation(), oddValues(), failure()];
}

/** A growing history, so that pools and attachments are used. */
function conversation() {
  const image = `data:image/png;base64,${'iVBORw0KGgo'.repeat(20)}`;
  const question: ChatMessage = {
    id: 'm1',
    role: 'user',
    content: [
      { type: 'text', text: 'Where?' },
      { type: 'image', image, detail: 'auto' },
    ],
    source: 'input',
  };
  const answer: ChatMessage = {
    id: 'm2',
    role: 'assistant',
    content: `Paris. ${'Really, Paris. '.repeat(12)}`,
    source: 'generate',
  };
  const again: ChatMessage = { id: 'm3', role: 'user', content: 'Sure?' };
  const sure: ChatMessage = { id: 'm4', role: 'assistant', content: 'Sure 😀.' };
  const model = (input: readonly ChatMessage[], reply: ChatMessage): LogEvent => ({
    event: 'model',
    uuid: `u${input.length}`,
    timestamp: at,
    working_start: input.length / 8,
    model: 'mock/scripted',
    input: input,
    tools: [],
    tool_choice: 'auto',
    config: {},
    output: {
      model: 'mock/scripted',
      choices: [{ message: reply, stop_reason: 'stop' }],
      completion: 'Paris',
      usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
    },
    call: {
      request: {
        model: 'scripted',
        messages: input.map((message) => ({ role: message.role, content: message.content })) as Json,
      },
      response: { id: 'r' },
    },
  });
  const messages = [question, answer, again, sure];
  const fields = sampleFields(1, {
    input: [question],
    messages,
    scores: { includes: { value: 'C', answer: 'Paris', history: [] } },
  });
  return { fields, events: [model([question], answer), model([question, answer, again], sure), score('C')] };
}

/** Whatever JSON itself cannot say, and names that look dangerous. */
function oddValues() {
  const metadata = {
    nan: Number.NaN,
    minus: Number.NEGATIVE_INFINITY,
    big: 12345678901234567890n,
    empty: null,
    deep: [[[]], {}],
    é: '\u0000\u2028',
  };
  const fields = sampleFields('zwei/../ä', {
    input: 'Quote " backslash \\ newline \n',
    metadata,
    scores: { includes: { value: Number.NaN, history: [] } },
  });
  const note: LogEvent = {
    event: 'info',
    timestamp: at,
    working_start: 0.5,
    source: 'holdfast',
    data: { text: 'attachment://not-a-reference', long: '…'.repeat(150) },
  };
  return { fields, events: [note, score(Number.NaN)] };
}

function failure() {
  const error = { message: 'It broke', traceback: 'at target', traceback_ansi: 'at target' };
  const fields = sampleFields(3, { error, error_retries: [error], limit: { type: 'time', limit: 10 } });
  return { fields, events: [{ event: 'error', timestamp: at, working_start: 0.5, error }] };
}

function score(value: Json): LogEvent {
  return {
    event: 'score',
    timestamp: at,
    working_start: 1,
    score: { value, history: [] },
    intermediate: false,
  };
}

function sampleFields(id: string | number, more: Partial<SampleFields>): SampleFields {
  return {
    id,
    epoch: 1,
    input: 'Where?',
    target: 'Paris',
    messages: [],
    output: { model: 'mock/scripted', choices: [], completion: '' },
    scores: {},
    metadata: {},
    store: {},
    model_usage: {},
    role_usage: {},
    started_at: at,
    completed_at: at,
    total_time: 1.5,
    working_time: 1.25,
    uuid: `uuid-${id}`,
    error_retries: [],
    ...more,
  };
}
