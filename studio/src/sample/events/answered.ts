import type { AnyJson } from '../../../../src/server/api.ts';
import { listAt, stringAt } from '../read-json.ts';

/** More are not told. */
const ANSWERED_MAX = 12;

/** How many messages a model was given. */
export function inputCount(body: AnyJson): number {
  const refs = rangesOf(body);
  if (refs.length === 0) return listAt(body, 'input').length;
  return refs.reduce((sum, [start, end]) => sum + Math.max(0, end - start), 0);
}

/**
 * What a model call answers: the messages right before it, back to the last that the model itself wrote. Those are told beside the
 * events; the first that was not told is the model's own.
 */
export function answeredMessages(
  body: AnyJson,
  messageAt: (position: number) => AnyJson | undefined,
): readonly { readonly position: number; readonly message: AnyJson }[] {
  const found: { readonly position: number; readonly message: AnyJson }[] = [];
  for (const [start, end] of rangesOf(body).toReversed()) {
    for (let position = end - 1; position >= start; position--) {
      const message = found.length < ANSWERED_MAX ? messageAt(position) : undefined;
      if (message === undefined || stringAt(message, 'role') === 'assistant') return found.reverse();
      found.push({ position, message });
    }
  }
  return found.reverse();
}

function rangesOf(body: AnyJson): readonly (readonly [number, number])[] {
  return listAt(body, 'input_refs').flatMap((range) => {
    const [start, end] = Array.isArray(range) ? range : [];
    return typeof start === 'number' && typeof end === 'number' ? [[start, end] as const] : [];
  });
}
