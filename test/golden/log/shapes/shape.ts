import type { Json, JsonObject } from '../../../../src/base/index.ts';

/** One old shape of a log, as bytes, and what it must read as. Both are written by hand; neither comes out of our reader. */
export interface Shape {
  /** The file's name, with its ending. */
  readonly file: string;
  readonly clause: 'LOG-20' | 'LOG-22' | 'LOG-23';
  readonly bytes: Buffer;
  readonly reads: Reads;
}

export interface Reads {
  /** What a person should know about this shape. */
  readonly says: string;
  /** These keys of the header have these values. */
  readonly header: JsonObject;
  /** These keys of these summaries, in this order. */
  readonly summaries: readonly JsonObject[];
  /** These keys of each sample, in the order of samples; `events` is exact. */
  readonly samples: readonly (JsonObject & { readonly events: readonly Json[] })[];
  readonly reductions?: Json;
}

export const SPEC = {
  eval_id: 'KrjU7oFqHc3kzmwPNaYdWs',
  run_id: 'bT5hGzD4xMpVnqJfCy3RkE',
  created: '2024-10-07T09:30:00+00:00',
  task: 'rivers',
  task_id: 'Wm2vXaQeLs8uZtYdBo6iNc',
  task_version: 0,
  task_attribs: {},
  task_args: {},
  task_args_passed: {},
  dataset: { name: 'rivers', samples: 2, sample_ids: ['nile', 'oder'], shuffled: false },
  model: 'mock/old',
  model_generate_config: {},
  model_args: {},
  config: { epochs: 1 },
  packages: { inspect_ai: '0.3.41' },
} satisfies JsonObject;

export const PLAN = { name: 'plan', steps: [{ solver: 'generate', params: {} }], config: {} } satisfies JsonObject;

export const RESULTS = {
  total_samples: 2,
  completed_samples: 2,
  scores: [{ name: 'match', scorer: 'match', params: {}, metrics: { accuracy: { name: 'accuracy', value: 0.5, params: {} } } }],
} satisfies JsonObject;

export const HEADER = {
  version: 2,
  status: 'success',
  eval: SPEC,
  plan: PLAN,
  results: RESULTS,
  stats: { started_at: '2024-10-07T09:30:00+00:00', completed_at: '2024-10-07T09:31:00+00:00', model_usage: {} },
} satisfies JsonObject;

export const START = { version: 2, eval: SPEC, plan: PLAN } satisfies JsonObject;

/** A sample of two events, without anything that has to be put back together. */
export function plainSample(id: string | number, value = 'C', epoch = 1) {
  const at = '2024-10-07T09:30:10.250000-04:00';
  return {
    id,
    epoch,
    input: `How long is ${id}?`,
    target: '6650',
    messages: [
      { role: 'user', content: `How long is ${id}?`, source: 'input' },
      { role: 'assistant', content: `${value === 'C' ? '6650' : '42'} km`, source: 'generate' },
    ],
    output: { model: 'mock/old', choices: [], completion: '' },
    scores: { match: { value, answer: '6650 km' } },
    metadata: { source: 'atlas', page: null },
    store: {},
    events: [
      { event: 'info', timestamp: at, working_start: 0.5, data: { id, note: 'asked' } },
      { event: 'score', timestamp: at, working_start: 1, score: { value }, intermediate: false },
    ],
    model_usage: {},
    role_usage: {},
    attachments: {},
  };
}

export function summaryOf(sample: ReturnType<typeof plainSample>, more: JsonObject = {}) {
  const { id, epoch, input, target, scores } = sample;
  return { id, epoch, input, target, metadata: {}, scores, model_usage: {}, role_usage: {}, completed: true, ...more };
}

export const text = (value: Json) => JSON.stringify(value);
