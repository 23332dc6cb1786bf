import { ActionableError } from './errors.ts';

/** JSON as Inspect and Holdfast write it: also `NaN`, `Infinity` and integers beyond 2^53 (as bigint). */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Text that is not JSON. `offset` counts UTF-16 units from the start of the text. */
export class JsonSyntaxError extends ActionableError {
  override readonly name = 'JsonSyntaxError';
  readonly offset: number;
  readonly expected: string;

  constructor(text: string, offset: number, expected: string) {
    const before = text.slice(0, offset).split('\n');
    const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    super({
      code: 'E_JSON_SYNTAX',
      message: `Not valid JSON at ${place}: expected ${expected}.`,
      hint: 'Check the text at that place.',
    });
    this.offset = offset;
    this.expected = expected;
  }
}

/** `Array.isArray` does not narrow a readonly array away; this does. */
export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** True for `{…}`: neither an array nor null. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a text for people: `String` would call a `toString` that is data. */
export function jsonText(value: Json | undefined): string {
  return typeof value === 'object' && value !== null ? stringifyJson(value) : String(value);
}

const LONG_NUMBER = /\d{16,}/g;

/** Digits after a point do not count: nearly every event holds a time such as `0.021947536999959993`. */
function mayHoldBigInteger(text: string): boolean {
  LONG_NUMBER.lastIndex = 0;
  for (let found = LONG_NUMBER.exec(text); found; found = LONG_NUMBER.exec(text)) {
    if (text[found.index - 1] !== '.') return true;
  }
  return false;
}

/** Parses JSON, keeping `NaN`, `±Infinity` and big integers. Throws JsonSyntaxError for anything else. */
export function parseJson(text: string): Json {
  if (!mayHoldBigInteger(text)) {
    try {
      return JSON.parse(text) as Json;
    } catch (error) {
      // Only the slow parser knows NaN, and only it can name the place of an error.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return new Parser(text).parseDocument();
}

/** Undefined for what is no JSON, or not even UTF-8. */
export function tryParseJson(text: string | Uint8Array): Json | undefined {
  const decoded = typeof text === 'string' ? text : decodeUtf8(text);
  try {
    return decoded === undefined ? undefined : parseJson(decoded);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    // What a decoder throws for bytes that are no text.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Compact JSON text. Lone surrogates become literal `\udXXX` text, as in Inspect's logs. */
export function stringifyJson(value: Json): string {
  const text = tryStringify(value);
  if (text === undefined) return stringifyWithCare(value);
  // NaN would have become `null` and a lone surrogate an escape. Most texts hold neither, and need no second look.
  if (!text.includes('null') && !text.includes('\\ud')) return text;
  return isPlain(value) ? text : stringifyWithCare(value);
}

/** Undefined for a value with a bigint, which `JSON.stringify` refuses. */
function tryStringify(value: Json): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** True when `JSON.stringify` gives exactly what we want: no NaN, no bigint, no lone surrogate. */
function isPlain(value: Json | undefined): boolean {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value);
    case 'string':
      return value.isWellFormed();
    case 'bigint':
      return false;
    case 'object':
      break;
    default:
      return true;
  }
  if (value === null) return true;
  if (isJsonArray(value)) return value.every(isPlain);
  for (const key in value) {
    if (!key.isWellFormed() || !isPlain(value[key])) return false;
  }
  return true;
}

function stringifyWithCare(value: Json): string {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : String(value);
    case 'bigint':
      return value.toString();
    case 'string':
      return JSON.stringify(escapeLoneSurrogates(value));
    case 'object':
      break;
    case 'boolean':
      return String(value);
    default:
      return 'null'; // Not JSON at all: a function, a symbol. The types forbid it, but values come from users' code.
  }
  if (value === null) return 'null';
  if (isJsonArray(value)) {
    // `map` leaves holes out, and joined they would be no JSON.
    const items = Array.from(value, (item) => (item === undefined ? 'null' : stringifyWithCare(item)));
    return `[${items.join(',')}]`;
  }
  const members: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue;
    members.push(`${JSON.stringify(escapeLoneSurrogates(key))}:${stringifyWithCare(item)}`);
  }
  return `{${members.join(',')}}`;
}

/** `\ud800` alone cannot be written as UTF-8; its escape is kept as six literal characters. */
export function escapeLoneSurrogates(text: string): string {
  if (text.isWellFormed()) return text;
  let result = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isLone = code >= 0xd800 && code <= 0xdfff;
    result += isLone ? `\\u${code.toString(16)}` : character;
  }
  return result;
}

/** Deeper values are no data that anybody looks at, and every reader of the log would have to climb down to them. */
const NESTING_MAX = 128;

/**
 * Turns any JavaScript value into JSON, as far as that is possible: dates become ISO text, maps objects, sets
 * arrays, bytes base64; functions, symbols, what refers to itself and what is nested without end become null.
 */
export function toJson(value: unknown): Json {
  return convert(value, new Set());
}

function convert(value: unknown, parents: Set<object>): Json {
  switch (typeof value) {
    case 'number':
    case 'boolean':
    case 'string':
    case 'bigint':
      return value;
    case 'object':
      break;
    default:
      return null;
  }
  if (value === null || parents.has(value) || parents.size >= NESTING_MAX) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  parents.add(value);
  try {
    return convertObject(value, parents);
  } finally {
    parents.delete(value);
  }
}

function convertObject(value: object, parents: Set<object>): Json {
  if (Array.isArray(value)) return Array.from(value, (item) => convert(item, parents)); // holes too
  if (value instanceof Set) return [...value].map((item) => convert(item, parents));
  if (value instanceof Error) return { name: value.name, message: value.message };
  const custom: unknown = Reflect.get(value, 'toJSON');
  if (typeof custom === 'function') return convert(custom.call(value), parents);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const result: Record<string, Json> = {};
  for (const [key, item] of entries) {
    if (item !== undefined) setOwn(result, String(key), convert(item, parents));
  }
  return result;
}

/** Assignment would call the setter of `__proto__`; data keys must stay data. */
function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}

const DEPTH_MAX = 2_000;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\r\n]*/y;
const WORDS: ReadonlyArray<readonly [string, Json]> = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parseDocument(): Json {
    const value = this.#value();
    this.#space();
    if (this.#at < this.#text.length) this.#fail('the end of the text');
    return value;
  }

  #value(): Json {
    this.#space();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#nested(() => this.#object());
      case '[':
        return this.#nested(() => this.#array());
      case '"':
        return this.#string();
    }
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.#number();
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > DEPTH_MAX) this.#fail(`at most ${DEPTH_MAX} levels of nesting`);
    this.#at++;
    const value = parse();
    this.#depth--;
    return value;
  }

  #object(): Json {
    const result: Record<string, Json> = {};
    if (this.#take('}')) return result;
    do {
      this.#space();
      const key = this.#string();
      if (!this.#take(':')) this.#fail('":"');
      setOwn(result, key, this.#value());
    } while (this.#take(','));
    if (!this.#take('}')) this.#fail('"," or "}"');
    return result;
  }

  #array(): Json {
    const result: Json[] = [];
    if (this.#take(']')) return result;
    do result.push(this.#value());
    while (this.#take(','));
    if (!this.#take(']')) this.#fail('"," or "]"');
    return result;
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') this.#fail('a string');
    // No regular expression here: a pattern over a string of many megabytes overflows the engine's stack.
    let end = this.#text.indexOf('"', start + 1);
    while (end >= 0 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    if (end < 0) this.#fail('the end of a string');
    try {
      const value = JSON.parse(this.#text.slice(start, end + 1)) as string;
      this.#at = end + 1;
      return value;
    } catch (error) {
      if (error instanceof SyntaxError) this.#fail('a string without control characters or bad escapes');
      throw error;
    }
  }

  /** An odd number of backslashes before a quote makes it part of the string. */
  #isEscaped(quote: number): boolean {
    let backslashes = 0;
    while (this.#text[quote - 1 - backslashes] === '\\') backslashes++;
    return backslashes % 2 === 1;
  }

  #number(): Json {
    const text = this.#match(NUMBER, 'a value');
    const value = Number(text);
    const isInteger = !/[.eE]/.test(text);
    return isInteger && !Number.isSafeInteger(value) ? BigInt(text) : value;
  }

  #match(pattern: RegExp, expected: string): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (!found) return this.#fail(expected);
    this.#at += found.length;
    return found;
  }

  #take(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #fail(expected: string): never {
    throw new JsonSyntaxError(this.#text, this.#at, expected);
  }
}
