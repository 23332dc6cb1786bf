import type { AnyJson } from '../../../../src/server/api.ts';
import { listAt } from '../read-json.ts';

/** More than the server tells of. */
const POSITIONS_MAX = 12;

/** How many messages a model was given. */
export function inputCount(body: AnyJson): number {
  const refs = rangesOf(body);
  if (refs.length === 0) return listAt(body, 'input').length;
  return refs.reduce((sum, [start, end]) => sum + Math.max(0, end - start), 0);
}

/** The last positions that a model call refers to, in order. */
export function answeredPositions(body: AnyJson): readonly number[] {
  const positions: number[] = [];
  for (const [start, end] of rangesOf(body).toReversed()) {
    for (let at = end - 1; at >= start && positions.length < POSITIONS_MAX; at--) positions.push(at);
  }
  return positions.reverse();
}

function rangesOf(body: AnyJson): readonly (readonly [number, number])[] {
  return listAt(body, 'input_refs').flatMap((range) => {
    const [start, end] = Array.isArray(range) ? range : [];
    return typeof start === 'number' && typeof end === 'number' ? [[start, end] as const] : [];
  });
}
