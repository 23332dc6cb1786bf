import { isJsonArray, isJsonObject, type Json, stringifyJson, toJson } from '../base/index.ts';

const PLACEHOLDER = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Fills in `{{name}}`, once: what is filled in is never read as a template itself. A name without a value is left as it
 * stands, so that text which merely looks like a template survives.
 */
export function fillTemplate(template: string, valueOf: (name: string) => string | undefined): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => valueOf(name) ?? whole);
}

/** The names that a template asks for. */
export function placeholdersIn(template: string): readonly string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/** What `{{path.to.value}}` stands for among values. */
export function valuesAt(values: Readonly<Record<string, Json>>): (path: string) => string | undefined {
  return (path) => {
    const value = readPath(values, path);
    return value === undefined ? undefined : textOf(value);
  };
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

/** A value as text: itself when it is a string, else its JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(toJson(value));
}
