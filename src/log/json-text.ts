import { escapeLoneSurrogates, type Json, stringifyJson } from '../base/index.ts';

/** Texts are joined up to this many characters before they are encoded. */
const ENCODE_CHARACTERS = 128 * 1024;
/** A longer text is encoded in slices, so that a 200 MB attachment is never doubled in memory. */
const SLICE_CHARACTERS = 1024 * 1024;

export type Many<T> = Iterable<T> | AsyncIterable<T>;

/** UTF-8 chunks of a comfortable size from many small texts. */
export async function* encodeTexts(texts: Many<string>): AsyncGenerator<Uint8Array> {
  let batch: string[] = [];
  let batchCharacters = 0;
  for await (const text of texts) {
    batch.push(text);
    batchCharacters += text.length;
    if (batchCharacters < ENCODE_CHARACTERS) continue;
    yield* encodeSlices(batch.length === 1 ? text : batch.join(''));
    batch = [];
    batchCharacters = 0;
  }
  if (batchCharacters > 0) yield Buffer.from(batch.join(''), 'utf8');
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

/** `[a,b,…]` from the JSON texts of its items. */
export async function* jsonArray(items: Many<string>): AsyncGenerator<string> {
  yield '[';
  let isFirst = true;
  for await (const item of items) {
    yield isFirst ? item : `,${item}`;
    isFirst = false;
  }
  yield ']';
}

/** `"key":value` pairs without the braces; what is undefined is left out. */
export function jsonMembers(members: Readonly<Record<string, Json | undefined>>): string {
  return stringifyJson(members).slice(1, -1);
}

function* encodeSlices(text: string): Generator<Uint8Array> {
  if (text.length <= SLICE_CHARACTERS) yield Buffer.from(text, 'utf8');
  else for (const slice of slices(text)) yield Buffer.from(slice, 'utf8');
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
