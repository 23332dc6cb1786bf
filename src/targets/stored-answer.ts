/** Answers as the journal keeps them, read back: parsed and not believed, since another version may have written them. */
import { DamageError, isJsonObject, type Json } from '../base/index.ts';
import type { ModelAnswer } from './language-model.ts';
import { decodeValue } from './value-codec.ts';

export interface StoredModelAnswer {
  readonly answer: ModelAnswer;
  readonly timeS: number;
  readonly retries: number;
}

/** What `recordedModel` stored. */
export function readModelAnswer(value: Json): StoredModelAnswer {
  if (!isJsonObject(value)) throw unreadable('model');
  const { answer, timeS, retries } = value;
  const decoded = answer === undefined ? undefined : decodeValue(answer);
  if (!isModelAnswer(decoded) || typeof timeS !== 'number' || typeof retries !== 'number')
    throw unreadable('model');
  return { answer: decoded, timeS, retries };
}

export interface StoredHttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** What an HTTP target stored. */
export function readHttpAnswer(value: Json): StoredHttpAnswer {
  if (!isJsonObject(value)) throw unreadable('HTTP');
  const { status, body } = value;
  const text = body === undefined ? undefined : decodeValue(body);
  if (typeof status !== 'number' || typeof text !== 'string') throw unreadable('HTTP');
  return { status, body: text };
}

/** Looks at what we use ourselves; the parts of the content are the AI SDK's own. */
function isModelAnswer(value: unknown): value is ModelAnswer {
  if (typeof value !== 'object' || value === null) return false;
  const { content, usage, warnings } = value as Readonly<Record<string, unknown>>;
  return Array.isArray(content) && Array.isArray(warnings) && typeof usage === 'object' && usage !== null;
}

function unreadable(kind: string): DamageError {
  return new DamageError({
    code: 'E_ANSWER_UNREADABLE',
    message: `A recorded ${kind} answer is not what this version writes; it is not replayed.`,
    hint: 'Go on with the version that began the run, or begin anew with --fresh.',
  });
}
