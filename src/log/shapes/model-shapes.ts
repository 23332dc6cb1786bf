import { chatMessageAssistant } from './message-shapes.ts';
import {
  anything,
  flag,
  integer,
  listOf,
  maybe,
  number,
  object,
  oneOf,
  optional,
  recordOf,
  text,
  tuple,
} from './shape.ts';

export const modelUsage = object('ModelUsage', {
  input_tokens: optional(integer),
  output_tokens: optional(integer),
  total_tokens: optional(integer),
  input_tokens_cache_write: maybe(integer),
  input_tokens_cache_read: maybe(integer),
  reasoning_tokens: maybe(integer),
  total_cost: maybe(number),
});

export const modelFallback = object('ModelFallback', {
  model: text,
  fallback_model: text,
  count: optional(integer),
  metadata: maybe(recordOf(anything)),
});

export const stopCategory = object('StopCategory', {
  category: text,
  level: maybe(text),
});

export const stopDetails = object('StopDetails', {
  type: maybe(text),
  category: maybe(text),
  explanation: maybe(text),
  categories: optional(listOf(stopCategory)),
});

export const topLogprob = object('TopLogprob', {
  token: text,
  logprob: number,
  bytes: maybe(listOf(integer)),
});

export const logprob = object('Logprob', {
  token: text,
  logprob: number,
  bytes: maybe(listOf(integer)),
  top_logprobs: maybe(listOf(topLogprob)),
});

export const logprobs = object('Logprobs', {
  content: listOf(logprob),
});

export const chatCompletionChoice = object('ChatCompletionChoice', {
  message: chatMessageAssistant,
  stop_reason: optional(
    oneOf('stop', 'max_tokens', 'model_length', 'tool_calls', 'content_filter', 'unknown'),
  ),
  stop_details: maybe(stopDetails),
  logprobs: maybe(logprobs),
  prompt_logprobs: maybe(logprobs),
});

export const modelOutput = object('ModelOutput', {
  model: optional(text),
  choices: optional(listOf(chatCompletionChoice)),
  completion: optional(text),
  usage: maybe(modelUsage),
  input_context_tokens: maybe(integer),
  fallback: maybe(modelFallback),
  time: maybe(number),
  metadata: maybe(recordOf(anything)),
  error: maybe(text),
  response_id: maybe(text),
});

export const modelRequestId = object('ModelRequestId', {
  id: text,
  header: text,
  status: integer,
});

export const modelCall = object('ModelCall', {
  request: recordOf(anything),
  response: maybe(recordOf(anything)),
  error: maybe(flag),
  time: maybe(number),
  call_refs: maybe(listOf(tuple(integer, integer))),
  call_key: maybe(text),
});
