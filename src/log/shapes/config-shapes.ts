import {
  anyOf,
  anything,
  flag,
  integer,
  lazy,
  listOf,
  maybe,
  number,
  object,
  oneOf,
  optional,
  passed,
  recordOf,
  type Shape,
  text,
  tuple,
} from './shape.ts';

const jsonType = oneOf('string', 'integer', 'number', 'boolean', 'array', 'object', 'null');
const self = lazy(() => jsonSchema);
export const jsonSchema: Shape = object('JSONSchema', {
  type: maybe(anyOf(jsonType, listOf(jsonType))),
  format: maybe(text),
  description: maybe(text),
  default: optional(anything),
  enum: maybe(listOf(anything)),
  items: maybe(self),
  properties: maybe(recordOf(self)),
  additionalProperties: maybe(anyOf(self, flag)),
  anyOf: maybe(listOf(self)),
  required: maybe(listOf(text)),
  pattern: maybe(text),
  minLength: maybe(integer),
  maxLength: maybe(integer),
  minimum: maybe(anyOf(integer, number)),
  maximum: maybe(anyOf(integer, number)),
  examples: maybe(listOf(anything)),
});

export const responseSchema = object('ResponseSchema', {
  name: text,
  json_schema: jsonSchema,
  description: maybe(text),
  strict: maybe(flag),
});

export const imageOutput = object('ImageOutput', {
  options: maybe(recordOf(recordOf(anything))),
});

export const adaptiveConcurrency = object('AdaptiveConcurrency', {
  min: optional(integer),
  max: optional(integer),
  start: optional(integer),
  cooldown_seconds: optional(number),
  decrease_factor: optional(number),
  scale_up_percent: optional(number),
});

export const cachePolicy = object('CachePolicy', {
  expiry: maybe(text),
  per_epoch: optional(flag),
  scopes: optional(recordOf(text)),
});

export const batchConfig = object('BatchConfig', {
  size: maybe(integer),
  max_size: maybe(integer),
  send_delay: maybe(number),
  tick: maybe(number),
  max_batches: maybe(integer),
  max_consecutive_check_failures: maybe(integer),
});

export const generateConfig = object('GenerateConfig', {
  max_retries: maybe(integer),
  timeout: maybe(integer),
  attempt_timeout: maybe(integer),
  stream_idle_timeout: maybe(integer),
  max_connections: maybe(integer),
  adaptive_connections: maybe(anyOf(flag, integer, adaptiveConcurrency)),
  system_message: maybe(text),
  max_tokens: maybe(integer),
  top_p: maybe(number),
  temperature: maybe(number),
  stop_seqs: maybe(listOf(text)),
  best_of: maybe(integer),
  frequency_penalty: maybe(number),
  presence_penalty: maybe(number),
  logit_bias: maybe(recordOf(number)),
  seed: maybe(integer),
  top_k: maybe(integer),
  num_choices: maybe(integer),
  logprobs: maybe(flag),
  top_logprobs: maybe(integer),
  prompt_logprobs: maybe(integer),
  parallel_tool_calls: maybe(flag),
  internal_tools: maybe(flag),
  max_tool_output: maybe(integer),
  cache_prompt: maybe(anyOf(oneOf('auto'), flag)),
  fallback_models: maybe(listOf(text)),
  fail_on_refusal: maybe(flag),
  verbosity: maybe(oneOf('low', 'medium', 'high')),
  effort: maybe(oneOf('low', 'medium', 'high', 'xhigh', 'max')),
  reasoning_effort: maybe(oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
  reasoning_mode: maybe(oneOf('standard', 'pro')),
  reasoning_tokens: maybe(integer),
  reasoning_summary: maybe(oneOf('none', 'concise', 'detailed', 'auto')),
  reasoning_history: maybe(oneOf('none', 'all', 'last', 'auto')),
  response_schema: maybe(responseSchema),
  extra_headers: maybe(recordOf(text)),
  extra_body: maybe(recordOf(anything)),
  modalities: maybe(listOf(anyOf(oneOf('image'), imageOutput))),
  cache: maybe(anyOf(flag, cachePolicy)),
  batch: maybe(anyOf(flag, integer, batchConfig)),
});

export const evalConfig = object('EvalConfig', {
  limit: maybe(anyOf(integer, tuple(integer, integer))),
  sample_id: maybe(anyOf(text, integer, listOf(text), listOf(integer), listOf(anyOf(text, integer)))),
  sample_shuffle: maybe(anyOf(flag, integer)),
  epochs: maybe(integer),
  epochs_reducer: maybe(listOf(text)),
  approval: maybe(passed('ApprovalPolicyConfig')),
  review: maybe(passed('ReviewPolicyConfig')),
  sentinel: maybe(passed('SentinelConfig')),
  notification: maybe(anyOf(flag, text)),
  fail_on_error: maybe(anyOf(flag, number)),
  continue_on_fail: maybe(flag),
  retry_on_error: maybe(integer),
  score_on_error: maybe(flag),
  message_limit: maybe(integer),
  token_limit: maybe(integer),
  token_limit_type: maybe(text),
  turn_limit: maybe(integer),
  time_limit: maybe(integer),
  working_limit: maybe(integer),
  cost_limit: maybe(number),
  max_samples: maybe(integer),
  max_dataset_memory: maybe(integer),
  max_tasks: maybe(integer),
  max_subprocesses: maybe(integer),
  max_sandboxes: maybe(integer),
  sandbox_cleanup: maybe(flag),
  sandbox_prebuilt: maybe(flag),
  log_samples: maybe(flag),
  log_realtime: maybe(flag),
  log_images: maybe(flag),
  log_model_api: maybe(flag),
  log_buffer: maybe(integer),
  log_shared: maybe(integer),
  score_display: maybe(flag),
  acp_server: maybe(anyOf(flag, integer, text)),
});

export const toolParams = object('ToolParams', {
  type: oneOf('object'),
  properties: optional(recordOf(jsonSchema)),
  required: optional(listOf(text)),
  additionalProperties: maybe(anyOf(jsonSchema, flag)),
});

export const toolFunction = object('ToolFunction', {
  name: text,
});

export const toolInfo = object('ToolInfo', {
  name: text,
  description: text,
  parameters: optional(toolParams),
  options: maybe(recordOf(anything)),
});

export const sandboxEnvironmentSpec = object('SandboxEnvironmentSpec', {
  type: text,
  config: optional(anything),
});

export const modelConfig = object('ModelConfig', {
  model: text,
  config: optional(generateConfig),
  base_url: maybe(text),
  args: optional(recordOf(anything)),
});
