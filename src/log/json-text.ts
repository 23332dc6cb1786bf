import { escapeLoneSurrogates, type Json, stringifyJson } from '../base/index.ts';

/** Texts are joined up to this many characters before they are encoded. */
const ENCODE_CHARACTERS = 128 * 1024;
/** A longer text is encoded in slices, so that a 200 MB attachment is never doubled in memory. */
const SLICE_CHARACTERS = 1024 * 1024;

export type Many<T> = Iterable<T> | AsyncIterable<T>;

/** A piece of text, or a run of pieces. Only runs that are asynchronous cost a turn of the event loop per piece. */
export type TextSegment = string | Many<string>;

/** UTF-8 chunks of a comfortable size from many small texts. */
export async function* encodeTexts(segments: Iterable<TextSegment>): AsyncGenerator<Uint8Array> {
  const batch = new TextBatch();
  for (const segment of segments) {
    if (typeof segment === 'string') batch.add(segment);
    else if (Symbol.iterator in segment) {
      for (const text of segment) if (batch.add(text)) yield* batch.take();
    } else {
      for await (const text of segment) if (batch.add(text)) yield* batch.take();
    }
  }
  yield* batch.take();
}

/** Each item mapped to its text, with a comma before all but the first. */
export function separated<T>(items: Many<T>, toText: (item: T) => string): Many<string> {
  return Symbol.iterator in items ? separatedSync(items, toText) : separatedAsync(items, toText);
}

/** `[a,b,…]` from the JSON texts of its items. */
export function jsonArray(items: Many<string>): TextSegment[] {
  return ['[', separated(items, (item) => item), ']'];
}

/** A JSON string literal, in slices. Joined they are what `stringifyJson(text)` gives. */
export function* jsonStringSlices(text: string): Generator<string> {
  if (text.length <= SLICE_CHARACTERS) {
    yield stringifyJson(text);
    return;
  }
  const wellFormed = escapeLoneSurrogates(text);
  yield '"';
  for (const slice of slices(wellFormed)) yield JSON.stringify(slice).slice(1, -1);
  yield '"';
}

/** `"key":value` pairs without the braces; what is undefined is left out. */
export function jsonMembers(members: Readonly<Record<string, Json | undefined>>): string {
  return stringifyJson(members).slice(1, -1);
}

class TextBatch {
  #texts: string[] = [];
  #characters = 0;

  /** True when there is enough to encode. */
  add(text: string): boolean {
    this.#texts.push(text);
    this.#characters += text.length;
    return this.#characters >= ENCODE_CHARACTERS;
  }

  *take(): Generator<Uint8Array> {
    const texts = this.#texts;
    const isSmall = this.#characters <= SLICE_CHARACTERS;
    this.#texts = [];
    this.#characters = 0;
    if (isSmall) yield Buffer.from(texts.join(''), 'utf8');
    else for (const text of texts) for (const slice of slices(text)) yield Buffer.from(slice, 'utf8');
  }
}

function* separatedSync<T>(items: Iterable<T>, toText: (item: T) => string): Generator<string> {
  let separator = '';
  for (const item of items) {
    yield separator + toText(item);
    separator = ',';
  }
}

async function* separatedAsync<T>(
  items: AsyncIterable<T>,
  toText: (item: T) => string,
): AsyncGenerator<string> {
  let separator = '';
  for await (const item of items) {
    yield separator + toText(item);
    separator = ',';
  }
}

/** Never cuts between the two halves of a surrogate pair. */
function* slices(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + SLICE_CHARACTERS, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end++;
    yield text.slice(start, end);
    start = end;
  }
}
