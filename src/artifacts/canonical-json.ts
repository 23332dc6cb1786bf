import { exactJson, isJsonArray, isJsonObject, type Json } from '../base/index.ts';

/** [ART-1] One text for one value: keys in code-unit order, no spaces. What is digested, and how manifests are stored. */
export function canonicalJson(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return exactJson(value);
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    if (item !== undefined) members.push(`${exactJson(key)}:${canonicalJson(item)}`);
  }
  return `{${members.join(',')}}`;
}
