/** Answers as the journal keeps them, read back: parsed and not believed, since another version may have written them. */
import { DamageError, isJsonObject, type Json } from '../base/index.ts';
import type { PlainHeaders } from './http-headers.ts';
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
  /** Those that matter; earlier versions kept none. */
  readonly headers: PlainHeaders;
  readonly body: string;
}

/** What an HTTP target stored. */
export function readHttpAnswer(value: Json): StoredHttpAnswer {
  if (!isJsonObject(value)) throw unreadable('HTTP');
  const { status, headers = {}, body } = value;
  const text = body === undefined ? undefined : decodeValue(body);
  if (typeof status !== 'number' || typeof text !== 'string') throw unreadable('HTTP');
  return { status, headers: readHeaders(headers), body: text };
}

/** A response that somebody's own SDK got. */
export interface StoredResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: PlainHeaders;
  /** Bytes where it is no UTF-8; null where there is none. */
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/** What `recordedFetch` stored. */
export function readResponse(value: Json): StoredResponse {
  if (!isJsonObject(value)) throw unreadable('HTTP');
  const { status, statusText, headers = {}, body: stored } = value;
  const body = stored === undefined ? undefined : decodeValue(stored);
  const isBody = typeof body === 'string' || body === null || body instanceof Uint8Array;
  if (typeof status !== 'number' || typeof statusText !== 'string' || !isBody) throw unreadable('HTTP');
  return {
    status,
    statusText,
    headers: readHeaders(headers),
    body: body instanceof Uint8Array ? new Uint8Array(body) : body,
  };
}

function readHeaders(headers: Json): PlainHeaders {
  if (!isJsonObject(headers)) throw unreadable('HTTP');
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
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
