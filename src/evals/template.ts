import { isJsonArray, isJsonObject, type Json, stringifyJson } from '../base/index.ts';

/**
 * Fills `{{path.to.value}}` from the given values. A path that leads nowhere is left as it stands, so that text
 * which merely looks like a template survives.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, Json>>): string {
  return template.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole, path: string) => {
    const value = readPath(values, path);
    return value === undefined ? whole : textOf(value);
  });
}

/** `metadata.topic` or `choices.0` inside a JSON value. */
export function readPath(value: Json, path: string): Json | undefined {
  let current: Json | undefined = value;
  for (const step of path.split('.')) {
    if (isJsonArray(current)) current = /^\d+$/.test(step) ? current[Number(step)] : undefined;
    else if (isJsonObject(current) && Object.hasOwn(current, step)) current = current[step];
    else return undefined;
  }
  return current;
}

/** Text as it is; anything else as JSON. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}
