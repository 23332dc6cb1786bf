/**
 * Values as JSON and back, exactly. An answer that is replayed must be the very value that was seen live, and JSON alone
 * does not know dates, bytes, URLs, -0, bigints, `undefined` in arrays, or text with lone surrogates. Such values
 * become `{ "$holdfast": <kind>, "value": … }`; everything else stays as it is, so that stored answers read well.
 */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';

const TAG = '$holdfast';

/** Functions and symbols cannot be kept: they vanish, as keys whose value is `undefined` do. */
export function encodeValue(value: unknown): Json {
  return encode(value, new Set());
}

export function decodeValue(json: Json): unknown {
  if (isJsonArray(json)) return json.map(decodeValue);
  if (!isJsonObject(json)) return json;
  return TAG in json ? decodeTagged(json) : fromEntries(Object.entries(json));
}

function encode(value: unknown, parents: Set<object>): Json {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'number':
      return isAwkwardNumber(value) ? tagged('number', Object.is(value, -0) ? '-0' : String(value)) : value;
    case 'string':
      return value.isWellFormed() ? value : tagged('utf16', Buffer.from(value, 'utf16le').toString('base64'));
    case 'bigint':
      return tagged('bigint', value.toString());
    case 'object':
      break;
    default:
      return tagged('undefined', null);
  }
  if (value === null) return null;
  if (parents.has(value)) return tagged('undefined', null); // a loop has no end to write down
  parents.add(value);
  try {
    return encodeObject(value, parents);
  } finally {
    parents.delete(value);
  }
}

function encodeObject(value: object, parents: Set<object>): Json {
  if (Array.isArray(value)) return Array.from(value, (item) => encode(item, parents)); // holes too
  if (value instanceof Date) return tagged('date', value.getTime());
  if (value instanceof URL) return tagged('url', value.href);
  if (value instanceof Uint8Array) return tagged('bytes', Buffer.from(value).toString('base64'));
  if (value instanceof ArrayBuffer) return tagged('buffer', Buffer.from(value).toString('base64'));
  const entries = Object.entries(value).filter(([, item]) => isKept(item));
  const isAwkward = entries.some(([key]) => key === TAG || key === '__proto__' || !key.isWellFormed());
  const encoded = entries.map(([key, item]) => [key, encode(item, parents)] as const);
  if (isAwkward)
    return tagged(
      'object',
      encoded.map(([key, item]) => [encode(key, parents), item]),
    );
  return Object.fromEntries(encoded);
}

/** -0 loses its sign in JSON, and our reader takes integers beyond 2^53 for bigints. */
function isAwkwardNumber(value: number): boolean {
  return Object.is(value, -0) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}

function isKept(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

function tagged(kind: string, value: Json): JsonObject {
  return { [TAG]: kind, value };
}

function decodeTagged(json: JsonObject): unknown {
  const value = json.value ?? null;
  switch (json[TAG]) {
    case 'number':
      return Number(value);
    case 'utf16':
      return Buffer.from(String(value), 'base64').toString('utf16le');
    case 'bigint':
      return BigInt(String(value));
    case 'date':
      return new Date(Number(value));
    case 'url':
      return new URL(String(value));
    case 'bytes':
      return new Uint8Array(Buffer.from(String(value), 'base64'));
    case 'buffer':
      return new Uint8Array(Buffer.from(String(value), 'base64')).buffer;
    case 'object':
      return fromEntries(isJsonArray(value) ? value.map(entryOf) : []);
    default:
      return undefined;
  }
}

function entryOf(pair: Json): [string, Json] {
  const [key, item] = isJsonArray(pair) ? pair : [];
  return [String(decodeValue(key ?? '')), item ?? null];
}

/** `Object.fromEntries` defines keys rather than assigning them, so `__proto__` stays an ordinary key. */
function fromEntries(entries: readonly (readonly [string, Json | undefined])[]): object {
  return Object.fromEntries(entries.map(([key, item]) => [key, decodeValue(item ?? null)]));
}
