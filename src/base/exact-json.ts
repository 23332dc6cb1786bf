import { isJsonArray, isJsonObject, type Json } from './json.ts';

/**
 * Compact JSON from which `parseJson` gives back the very value: a lone surrogate is written as JSON's own escape, where
 * `stringifyJson` would write it as literal text, as Inspect does [JRN-12]. For documents that only we read.
 */
export function exactJson(value: Json): string {
  return isSimple(value) ? JSON.stringify(value) : withCare(value);
}

/** True when `JSON.stringify` loses nothing: it knows neither big integers nor NaN and Infinity. */
function isSimple(value: Json | undefined): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  if (isJsonArray(value)) return value.every(isSimple);
  for (const key in value) if (!isSimple(value[key])) return false;
  return true;
}

function withCare(value: Json): string {
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)))
    return String(value);
  if (isJsonArray(value)) return `[${value.map((item) => withCare(item ?? null)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const members: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined && typeof item !== 'function' && typeof item !== 'symbol')
      members.push(`${JSON.stringify(key)}:${withCare(item)}`);
  }
  return `{${members.join(',')}}`;
}
