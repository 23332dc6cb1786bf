import { isJsonArray, isJsonObject, type Json, type JsonObject, stringifyJson } from '../../base/index.ts';
import { fits, NESTING_MAX } from './fits.ts';
import type { ObjectShape, Shape } from './shape.ts';

/** Every place at which a value that does not fit differs from its shape, one sentence each. */
export function explain(shape: Shape, value: Json | undefined, path: string): string[] {
  if (fits(shape, value)) return [];
  switch (shape.kind) {
    case 'orNull':
      return explain(shape.shape, value, path);
    case 'lazy':
      return explain(shape.get(), value, path);
    case 'list':
      if (!isJsonArray(value)) break;
      return value.flatMap((item, at) => explain(shape.item, item, `${path}[${at}]`));
    case 'tuple':
      if (!isJsonArray(value) || value.length !== shape.items.length) break;
      return shape.items.flatMap((item, at) => explain(item, value[at], `${path}[${at}]`));
    case 'record':
      if (!isJsonObject(value)) break;
      return Object.entries(value).flatMap(([key, item]) => explain(shape.value, item, join(path, key)));
    case 'object':
      if (!isJsonObject(value)) break;
      return explainObject(shape, value, path);
    case 'tagged': {
      const option = isJsonObject(value) ? shape.options.get(String(value[shape.tag])) : undefined;
      if (option) return explain(option, value, path);
      if (!isJsonObject(value)) break;
      return [wrong(join(path, shape.tag), value[shape.tag], listed([...shape.options.keys()]))];
    }
    case 'anyOf': {
      const options = shape.options.filter((option) => isOfKind(option, value));
      const [only] = options;
      if (only && options.length === 1) return explain(only, value, path);
      break;
    }
    default:
  }
  return [wrong(path, value, describe(shape))];
}

export function join(path: string, key: string): string {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(key);
  if (!isPlain) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

function explainObject(shape: ObjectShape, value: JsonObject, path: string): string[] {
  const problems: string[] = [];
  for (const [key, expected] of shape.keys) {
    const item = value[key];
    if (item !== undefined) problems.push(...explain(expected, item, join(path, key)));
    else if (shape.required.includes(key)) problems.push(`${join(path, key)} is missing`);
  }
  return problems;
}

/** Whether it is worth saying what is wrong inside. */
function isOfKind(shape: Shape, value: Json | undefined): boolean {
  switch (shape.kind) {
    case 'list':
    case 'tuple':
      return isJsonArray(value);
    case 'record':
    case 'object':
    case 'tagged':
      return isJsonObject(value);
    case 'oneOf':
      return typeof value === 'string';
    default:
      return false;
  }
}

function wrong(path: string, value: Json | undefined, expected: string): string {
  const shown = value === undefined ? 'missing' : `${shorten(stringifyJson(value))}; expected ${expected}`;
  return `${path === '' ? 'the document' : path} is ${shown}`;
}

function describe(shape: Shape): string {
  switch (shape.kind) {
    case 'oneOf':
      return listed([...shape.values]);
    case 'text':
      return 'a text';
    case 'time':
    case 'timeText':
      return 'an ISO time';
    case 'integer':
      return 'an integer';
    case 'number':
      return 'a number';
    case 'flag':
      return 'true or false';
    case 'list':
      return 'a list';
    case 'tuple':
      return `a list of ${shape.items.length}`;
    case 'record':
      return 'an object';
    case 'object':
      return `an object (${shape.name})`;
    case 'tagged':
      return `an object with ${shape.tag}`;
    case 'orNull':
      return `${describe(shape.shape)} or null`;
    case 'lazy':
      return describe(shape.get());
    case 'anyOf':
      return [...new Set(shape.options.map(describe))].join(' or ');
    case 'anything':
    case 'passed':
      return `at most ${NESTING_MAX} levels of nesting`;
  }
}

function listed(values: readonly string[]): string {
  return `one of ${values.join(', ')}`;
}

const SHOWN_MAX = 80;

function shorten(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}
