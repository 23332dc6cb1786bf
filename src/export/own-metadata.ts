import type { JsonObject } from '../base/index.ts';

/** What the user put there; undefined when that is nothing. What Holdfast says of itself has columns of its own. */
export function ownMetadata(metadata: JsonObject = {}): JsonObject | undefined {
  const { holdfast: _mark, holdfast_account: _account, ...own } = metadata;
  return Object.keys(own).length > 0 ? own : undefined;
}
