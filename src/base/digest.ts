import { hash } from 'node:crypto';
import { isJsonArray, type Json, stringifyJson } from './json.ts';

/** Lower-case hex SHA-256. */
export type Digest = string & { readonly __brand: 'Digest' };

export function digestOf(data: string | Uint8Array): Digest {
  return hash('sha256', data, 'hex') as Digest;
}

/** Digest of a JSON value that does not depend on the order of object keys. */
export function digestOfJson(value: Json): Digest {
  return digestOf(stringifyJson(sortKeys(value)));
}

function sortKeys(value: Json): Json {
  if (isJsonArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  const sorted: Record<string, Json> = {};
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    if (item !== undefined) sorted[key] = sortKeys(item);
  }
  return sorted;
}
