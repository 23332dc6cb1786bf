import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { ObjectShape, Shape } from './shape.ts';

/** Inspect's parser gives up at 200 levels, some of which the document around a value takes [LOG-35]. */
export const NESTING_MAX = 150;

const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Whether a value has a shape. It only says yes or no, so that what is right costs as little as possible. */
export function fits(shape: Shape, value: Json | undefined): boolean {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string';
    case 'integer':
      return Number.isInteger(value) || typeof value === 'bigint';
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'flag':
      return typeof value === 'boolean';
    case 'oneOf':
      return typeof value === 'string' && shape.values.has(value);
    case 'time':
    case 'timeText':
      return isTime(value);
    case 'anything':
    case 'passed':
      return value !== undefined && !isNestedBeyond(value, NESTING_MAX);
    case 'orNull':
      return value === null || fits(shape.shape, value);
    case 'lazy':
      return fits(shape.get(), value);
    default:
      return fitsInside(shape, value);
  }
}

function fitsInside(
  shape: Extract<Shape, { readonly kind: 'list' | 'tuple' | 'record' | 'anyOf' | 'object' | 'tagged' }>,
  value: Json | undefined,
): boolean {
  switch (shape.kind) {
    case 'list':
      return isJsonArray(value) && value.every((item) => fits(shape.item, item));
    case 'tuple':
      return (
        isJsonArray(value) &&
        value.length === shape.items.length &&
        shape.items.every((item, at) => fits(item, value[at]))
      );
    case 'record':
      return isJsonObject(value) && Object.values(value).every((item) => fits(shape.value, item));
    case 'anyOf':
      return shape.options.some((option) => fits(option, value));
    case 'object':
      return isJsonObject(value) && fitsObject(shape, value);
    case 'tagged': {
      const option = isJsonObject(value) ? shape.options.get(String(value[shape.tag])) : undefined;
      return option !== undefined && fitsObject(option, value as JsonObject);
    }
  }
}

function fitsObject(shape: ObjectShape, value: JsonObject): boolean {
  for (const key in value) {
    const expected = shape.keys.get(key);
    const item = value[key];
    if (expected !== undefined && item !== undefined && !fits(expected, item)) return false;
  }
  for (const key of shape.required) if (value[key] === undefined) return false;
  return true;
}

export function isNestedBeyond(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (isJsonArray(value)) return value.some((item) => isNestedBeyond(item, levels - 1));
  for (const key in value) {
    const item = value[key];
    if (item !== undefined && isNestedBeyond(item, levels - 1)) return true;
  }
  return false;
}

/** Pattern and calendar: `2026-13-45` looks like a date and is none. */
function isTime(value: Json | undefined): boolean {
  return typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value));
}
