import { isJsonArray, isJsonObject, type Json, stringifyJson } from '../base/index.ts';

/** JSON with two spaces of indent, as in `.json` logs; NaN and big integers included. */
export function prettyJson(value: Json, indent = ''): string {
  const inner = `${indent}  `;
  if (isJsonArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => inner + prettyJson(item, inner)).join(',\n')}\n${indent}]`;
  }
  if (!isJsonObject(value)) return stringifyJson(value);
  const members: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) members.push(`${inner}${stringifyJson(key)}: ${prettyJson(item, inner)}`);
  }
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
}
