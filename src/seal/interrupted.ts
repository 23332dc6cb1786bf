import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { AttemptRow, JournalReader } from '../journal/index.ts';
import {
  type ChatMessage,
  type EvalError,
  type ModelOutput,
  readMessages,
  readModelOutput,
  type SampleFields,
} from '../log/index.ts';

/**
 * What can be said of a sample that was under way when its run died: its transcript is whole up to the last
 * acknowledged event, and its conversation is that of its last model call.
 */
export function interruptedFields(source: JournalReader, attempt: AttemptRow): SampleFields {
  const damaged = source.fieldsOfDamaged(attempt.n);
  if (damaged) return { ...damaged, scores: {}, error: damagedError(source, attempt.n) };
  const { messages, output } = lastConversation(source, attempt.n);
  return {
    id: attempt.id,
    epoch: attempt.epoch,
    ...attempt.sample,
    metadata: interruptedMetadata(attempt.sample.metadata),
    messages,
    output,
    store: {},
    model_usage: {},
    role_usage: {},
    uuid: attempt.uuid,
    started_at: attempt.startedAt,
    error: INTERRUPTED,
    error_retries: attempt.earlier ?? [],
  };
}

/** It says that it was not finished, so that nobody takes it for one that failed. */
function interruptedMetadata(metadata: JsonObject): JsonObject {
  const { holdfast } = metadata;
  return isJsonObject(holdfast) ? { ...metadata, holdfast: { ...holdfast, interrupted: true } } : metadata;
}

/** It had ended, so what it said is shown; but not all of its record is there, so its scores do not count [JRN-10]. */
function damagedError(source: JournalReader, attempt: number): EvalError {
  const why = source.damage().attempts.get(attempt) ?? 'part of it cannot be read';
  const message = `The record of this sample is damaged: ${why}.`;
  return { message, traceback: `${message}\n`, traceback_ansi: `${message}\n` };
}

const INTERRUPTED: EvalError = {
  message: 'The run was interrupted while this sample was under way.',
  traceback: 'Interrupted: recovered from the journal of a run that did not finish.\n',
  traceback_ansi: 'Interrupted: recovered from the journal of a run that did not finish.\n',
};

function lastConversation(
  source: JournalReader,
  attempt: number,
): { readonly messages: readonly ChatMessage[]; readonly output: ModelOutput } {
  let last: string | undefined;
  for (const json of source.events(attempt)) if (json.includes('"event":"model"')) last = json;
  if (last === undefined) return { messages: [], output: { choices: [] } };
  const event = source.expandEvent(attempt, last);
  const input = readMessages(event.input);
  const output = readModelOutput(event.output) ?? { choices: [] };
  const answer = output.choices[0]?.message;
  return { messages: answer ? [...input, answer] : input, output };
}
