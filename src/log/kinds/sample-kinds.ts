import type { Json, SampleId } from '../../base/index.ts';
import type {
  EvalError,
  EvalSampleReductions,
  EvalSampleSummary,
  SampleFields,
  SampleLimit,
  Score,
} from '../schema.ts';
import {
  anyOf,
  anything,
  asText,
  flag,
  type Kind,
  listOf,
  number,
  record,
  recordOf,
  soundRecordOf,
  text,
  Wrong,
} from './kind.ts';
import { chatMessages, modelOutput, usageByName } from './model-kinds.ts';
import { type Kinds, objectOf, optional, otherwise, vital, vitalOr } from './object-kind.ts';

/** 1 and "1" are one sample, so an id that is too long for a number is the text of it. */
export const sampleId: Kind<SampleId> = (value) => {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'bigint' ? String(value) : NO_ID;
};

export const evalError = objectOf<EvalError>({
  message: otherwise(asText, 'unknown error'),
  traceback: otherwise(asText, ''),
  traceback_ansi: otherwise(asText, ''),
});

const SCORE: Kinds<Score> = {
  // Inspect reads a value that could not be computed as NaN.
  value: otherwise(anything, Number.NaN),
  answer: optional(asText),
  explanation: optional(asText),
  metadata: optional(record),
  history: optional(listOf(anything)),
};
export const score = objectOf(SCORE);

export const sampleInput = anyOf(text, chatMessages);
export const sampleTarget: Kind<string | readonly string[]> = anyOf(anyOf(text, listOf(asText)), asText);

const errorRetry = objectOf<NonNullable<SampleFields['error_retries']>[number]>({
  message: otherwise(asText, 'unknown error'),
  traceback: otherwise(asText, ''),
  traceback_ansi: otherwise(asText, ''),
  events: optional(listOf(anything)),
});

/** What would change the meaning of a sample by being left out is vital: its error, its limit, its scores. */
export const sampleFields = objectOf<SampleFields>({
  id: sampleId,
  epoch: number,
  input: vitalOr(sampleInput, ''),
  choices: optional(listOf(asText)),
  target: otherwise(sampleTarget, ''),
  sandbox: optional(anything),
  files: optional(listOf(asText)),
  setup: optional(asText),
  messages: vitalOr(chatMessages, []),
  output: vitalOr(modelOutput, { choices: [] }),
  scores: vital(recordOf(score)),
  metadata: vitalOr(record, {}),
  store: vitalOr(record, {}),
  model_usage: otherwise(usageByName, {}),
  role_usage: otherwise(usageByName, {}),
  started_at: optional(text),
  completed_at: optional(text),
  total_time: optional(number),
  working_time: optional(number),
  uuid: optional(text),
  error: vital(evalError),
  error_retries: vital(listOf(errorRetry)),
  limit: vital(objectOf<SampleLimit>({ type: otherwise(asText, ''), limit: otherwise(number, Number.NaN) })),
  turn_count: optional(number),
  token_limit: optional(number),
  token_limit_type: optional(asText),
  token_limit_usage: optional(number),
  timelines: optional(anything),
  model_fallbacks: optional(anything),
  invalidation: optional(anything),
});

/** A row is one of many, so only what names it is required; an error or a limit of another kind is kept as its text. */
export const sampleSummary = objectOf<EvalSampleSummary>({
  id: sampleId,
  epoch: number,
  input: otherwise(anyOf(text, listOf<Json>(anything)), ''),
  choices: optional(listOf(asText)),
  target: otherwise(sampleTarget, ''),
  metadata: otherwise(record, {}),
  scores: optional(soundRecordOf(score)),
  model_usage: otherwise(usageByName, {}),
  role_usage: otherwise(usageByName, {}),
  started_at: optional(text),
  completed_at: optional(text),
  total_time: optional(number),
  working_time: optional(number),
  uuid: optional(text),
  error: optional(asText),
  limit: optional(asText),
  retries: optional(number),
  completed: otherwise(flag, false),
  message_count: optional(number),
  turn_count: optional(number),
  token_limit: optional(number),
  token_limit_type: optional(asText),
  token_limit_usage: optional(number),
  model_fallbacks: optional(anything),
});

export const sampleReductions = objectOf<EvalSampleReductions>({
  scorer: otherwise(asText, ''),
  reducer: optional(asText),
  samples: otherwise(
    listOf(objectOf<EvalSampleReductions['samples'][number]>({ ...SCORE, sample_id: optional(sampleId) })),
    [],
  ),
});

const NO_ID = new Wrong('a text or a number');
