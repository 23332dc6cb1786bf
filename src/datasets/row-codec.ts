/** Rows as bytes for the spool: JSON where JSON keeps everything, else V8's own form. */
import { deserialize, serialize } from 'node:v8';

/** The first character says which form follows. */
const JSON_FORM = 'j';
const V8_FORM = 'v';

/** A row as text. NaN, big integers, dates and other values that JSON would change come back as they were. */
export function encodeRow(row: unknown): string {
  if (isKeptByJson(row)) return JSON_FORM + JSON.stringify(row);
  return V8_FORM + serialize(row).toString('base64');
}

export function decodeRow(text: string): unknown {
  const rest = text.slice(1);
  return text.startsWith(JSON_FORM) ? JSON.parse(rest) : deserialize(Buffer.from(rest, 'base64'));
}

function isKeptByJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isKeptByJson);
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return false;
  return Object.values(value).every(isKeptByJson);
}
