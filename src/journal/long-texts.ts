import { digestOf, isJsonArray, isJsonObject, type Json } from '../base/index.ts';
import { attachmentHash } from '../log/index.ts';
import { bytesOfText } from './text-bytes.ts';

/**
 * In documents that only the journal reads, a string of more than this many characters is stored once, by its hash, and so
 * is one that looks like a reference to such a string. Object keys are left alone.
 */
const INLINE_CHARS_MAX = 100;
const REFERENCE = 'attachment://';

/** Takes long strings out of a value. `found` is called for each, and may be called twice for one. */
export function takeOutTexts(value: Json, found: (hash: string, text: string) => void): Json {
  return mapTexts(value, (text) => {
    if (text.length <= INLINE_CHARS_MAX && !text.startsWith(REFERENCE)) return text;
    const hash = hashOfText(text);
    found(hash, text);
    return REFERENCE + hash;
  });
}

/** Puts them back. `lookup` decides what stands for a text that is not there any more. */
export function putBackTexts(value: Json, lookup: (hash: string) => string): Json {
  return mapTexts(value, (text) =>
    text.startsWith(REFERENCE) ? lookup(text.slice(REFERENCE.length)) : text,
  );
}

/**
 * A whole string of a JSON text that is a reference, and no key. Its first quote begins a string: one inside a string has a
 * backslash before it, and what ends a string is never followed by a letter.
 */
const REFERENCE_VALUE = /(?<!\\)"attachment:\/\/([0-9a-f]{32})"(?!\s*:)/g;

/** The hashes that a stored document names. Every value that looks like a reference is one: see `takeOutTexts`. */
export function* hashesIn(json: string): Iterable<string> {
  for (const [, hash] of json.matchAll(REFERENCE_VALUE)) if (hash) yield hash;
}

/** The log's name for a text does not tell a lone surrogate from its escape written out; here both may occur. */
export function hashOfText(text: string): string {
  return text.isWellFormed() ? attachmentHash(text) : digestOf(bytesOfText(text)).slice(0, 32);
}

/** Most values hold no such text: those are given back as they are, without a copy. */
function mapTexts(value: Json, rule: (text: string) => string): Json {
  if (typeof value === 'string') return rule(value);
  if (isJsonArray(value)) return mapItems(value, rule);
  if (!isJsonObject(value)) return value;
  const changed: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    const item = value[key];
    const mapped = item === undefined ? undefined : mapTexts(item, rule);
    if (mapped !== undefined && mapped !== item) changed.push([key, mapped]);
  }
  if (changed.length === 0) return value;
  return Object.fromEntries([...Object.entries(value), ...changed]);
}

function mapItems(items: readonly Json[], rule: (text: string) => string): readonly Json[] {
  let mapped: Json[] | undefined;
  for (const [index, item] of items.entries()) {
    const other = mapTexts(item, rule);
    if (other !== item) mapped ??= [...items];
    if (mapped) mapped[index] = other;
  }
  return mapped ?? items;
}
