import { isJsonArray, type Json } from '../base/index.ts';

/** More than this many messages in one event can only be an attempt to exhaust memory. */
const POSITIONS_MAX = 1_000_000;

/** The positions that `[[start, end), …]` names. What is not a range is passed over, as Inspect does. */
export function positionsOf(refs: Json | undefined): number[] {
  const positions: number[] = [];
  if (!isJsonArray(refs)) return positions;
  for (const range of refs) {
    if (!isJsonArray(range)) continue;
    const [start, end] = range;
    if (typeof start !== 'number' || typeof end !== 'number' || start < 0) continue;
    for (let position = start; position < end && positions.length < POSITIONS_MAX; position++) {
      positions.push(position);
    }
  }
  return positions;
}
