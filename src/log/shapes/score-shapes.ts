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
  orNull,
  recordOf,
  text,
  time,
} from './shape.ts';

const scalar = anyOf(text, number, flag);
const scoreValue = anyOf(text, number, flag, listOf(scalar), recordOf(orNull(scalar)));
const unchanged = oneOf('UNCHANGED');

export const provenanceData = object('ProvenanceData', {
  timestamp: optional(time),
  author: text,
  reason: maybe(text),
  metadata: optional(recordOf(anything)),
});

export const scoreEdit = object('ScoreEdit', {
  value: optional(anyOf(scoreValue, unchanged)),
  answer: maybe(anyOf(text, unchanged)),
  explanation: maybe(anyOf(text, unchanged)),
  reason: maybe(anyOf(text, unchanged)),
  metadata: optional(anyOf(recordOf(anything), unchanged)),
  provenance: maybe(provenanceData),
});

export const score = object('Score', {
  value: scoreValue,
  answer: maybe(text),
  explanation: maybe(text),
  reason: maybe(text),
  metadata: maybe(recordOf(anything)),
  history: optional(listOf(scoreEdit)),
});

export const evalSampleScore = object('EvalSampleScore', {
  value: scoreValue,
  answer: maybe(text),
  explanation: maybe(text),
  reason: maybe(text),
  metadata: maybe(recordOf(anything)),
  history: optional(listOf(scoreEdit)),
  sample_id: maybe(anyOf(text, integer)),
});

export const evalSampleReductions = object('EvalSampleReductions', {
  scorer: text,
  reducer: maybe(text),
  samples: listOf(evalSampleScore),
});

export const evalError = object('EvalError', {
  message: text,
  traceback: text,
  traceback_ansi: text,
});
