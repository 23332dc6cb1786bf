import { sandboxEnvironmentSpec } from './config-shapes.ts';
import { logEvent } from './event-shapes.ts';
import { chatMessage } from './message-shapes.ts';
import { modelFallback, modelOutput, modelUsage } from './model-shapes.ts';
import { evalError, provenanceData, score } from './score-shapes.ts';
import {
  anyOf,
  anything,
  flag,
  integer,
  listOf,
  maybe,
  number,
  object,
  oneOf,
  optional,
  passed,
  recordOf,
  text,
  timeText,
} from './shape.ts';

export const evalRetryError = object('EvalRetryError', {
  message: text,
  traceback: text,
  traceback_ansi: text,
  events: maybe(listOf(logEvent)),
});

export const eventsData = object('EventsData', {
  messages: listOf(chatMessage),
  calls: listOf(anything),
});

export const evalSampleLimit = object('EvalSampleLimit', {
  type: oneOf('context', 'time', 'working', 'message', 'token', 'turn', 'cost', 'operator', 'custom'),
  limit: number,
  reason: maybe(text),
});

export const evalSample = object('EvalSample', {
  id: anyOf(integer, text),
  epoch: integer,
  input: anyOf(text, listOf(chatMessage)),
  choices: maybe(listOf(text)),
  target: anyOf(text, listOf(text)),
  description: maybe(text),
  sandbox: maybe(sandboxEnvironmentSpec),
  files: maybe(listOf(text)),
  setup: maybe(text),
  messages: optional(listOf(chatMessage)),
  output: optional(modelOutput),
  scores: maybe(recordOf(score)),
  metadata: optional(recordOf(anything)),
  store: optional(recordOf(anything)),
  events: optional(listOf(logEvent)),
  timelines: maybe(listOf(passed('Timeline'))),
  model_usage: optional(recordOf(modelUsage)),
  role_usage: optional(recordOf(modelUsage)),
  model_fallbacks: maybe(listOf(modelFallback)),
  started_at: maybe(timeText),
  completed_at: maybe(timeText),
  total_time: maybe(number),
  working_time: maybe(number),
  uuid: maybe(text),
  invalidation: maybe(provenanceData),
  error: maybe(evalError),
  error_retries: maybe(listOf(evalRetryError)),
  attachments: optional(recordOf(text)),
  events_data: maybe(eventsData),
  limit: maybe(evalSampleLimit),
  turn_count: maybe(integer),
  token_limit: maybe(integer),
  token_limit_type: maybe(text),
  token_limit_usage: maybe(integer),
  message_limit: maybe(integer),
  time_limit: maybe(integer),
});

export const evalSampleSummary = object('EvalSampleSummary', {
  id: anyOf(integer, text),
  epoch: integer,
  input: anyOf(text, listOf(chatMessage)),
  choices: maybe(listOf(text)),
  target: anyOf(text, listOf(text)),
  description: maybe(text),
  metadata: optional(recordOf(anything)),
  scores: maybe(recordOf(score)),
  model_usage: optional(recordOf(modelUsage)),
  role_usage: optional(recordOf(modelUsage)),
  model_fallbacks: maybe(listOf(modelFallback)),
  started_at: maybe(timeText),
  completed_at: maybe(timeText),
  total_time: maybe(number),
  working_time: maybe(number),
  uuid: maybe(text),
  error: maybe(text),
  limit: maybe(text),
  limit_reason: maybe(text),
  retries: maybe(integer),
  completed: optional(flag),
  message_count: maybe(integer),
  turn_count: maybe(integer),
  token_limit: maybe(integer),
  token_limit_type: maybe(text),
  token_limit_usage: maybe(integer),
  message_limit: maybe(integer),
  time_limit: maybe(integer),
});
