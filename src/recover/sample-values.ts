import { isJsonArray, type Json, type JsonObject } from '../base/index.ts';
import type { ChatMessage, EvalError } from '../log/index.ts';

/** Stands where a message is known to be missing, so that all others keep their places. */
export const LOST_MESSAGE: ChatMessage = {
  role: 'user',
  content: '[This message was lost in the crash.]',
  metadata: { holdfast_lost: true },
};

/** Ranges may name what is not there; those positions are left out, as every reader does. */
export function* positionsIn(refs: readonly Json[], length: number): Iterable<number> {
  for (const range of refs) {
    if (!isJsonArray(range)) continue;
    const [start, end] = range;
    if (typeof start !== 'number' || typeof end !== 'number') continue;
    for (let position = Math.max(start, 0); position < Math.min(end, length); position++) yield position;
  }
}

export function toError(error: JsonObject): EvalError {
  const text = (key: string, otherwise: string) => {
    const found = error[key];
    return typeof found === 'string' ? found : otherwise;
  };
  const message = text('message', 'unknown error');
  const traceback = text('traceback', `${message}\n`);
  return { message, traceback, traceback_ansi: text('traceback_ansi', traceback) };
}

export function sandboxOf([type, config]: readonly Json[]): Json {
  return config === undefined || config === null ? { type: type ?? '' } : { type: type ?? '', config };
}
