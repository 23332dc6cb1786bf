import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';

/** NaN and the infinities become null, so that any JSON reader takes the text. */
export function withoutNaN(value: Json): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (isJsonArray(value)) return value.map(withoutNaN);
  if (!isJsonObject(value)) return value;
  const plain: Record<string, Json | undefined> = {};
  for (const [key, item] of Object.entries(value)) plain[key] = item === undefined ? item : withoutNaN(item);
  return plain as JsonObject;
}
