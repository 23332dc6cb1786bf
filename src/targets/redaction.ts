import { isJsonArray, isJsonObject, stringifyJson, tryParseJson } from '../base/index.ts';

/**
 * Redaction: takes what matches an eval's patterns out of everything that is kept.
 *
 * - [RED-1] What is taken out never reaches the journal, so it is in no segment and no log either.
 * - [RED-2] The target sees what is kept: a live answer is redacted before anybody gets it, as its replay is.
 * - [RED-3] A match may go over several parts of one message.
 * - [RED-4] To redact twice is to redact once, also with a pattern that finds a part of the mark.
 */
export interface Redaction {
  readonly isOn: boolean;
  text(text: string): string;
  /** Texts that are read one after the other as one. */
  texts(texts: readonly string[]): readonly string[];
  /** The same value with every text of people and models redacted; the words of the format itself are left alone. */
  value<T>(value: T): T;
}

const MARK = '[redacted]';

export function createRedaction(patterns: readonly RegExp[]): Redaction {
  if (patterns.length === 0) return NO_REDACTION;
  const redactor = new ValueRedactor(patterns);
  return {
    isOn: true,
    text: (text) => redactor.text(text),
    texts: (texts) => redactor.texts(texts),
    value: <T>(value: T) => redactor.walk(value, false) as T,
  };
}

const NO_REDACTION: Redaction = {
  isOn: false,
  text: (text) => text,
  texts: (texts) => texts,
  value: (value) => value,
};

/** Under these keys stand words that programs compare; a wide pattern must not make a log unreadable. */
const FORMAT_WORDS: ReadonlySet<string> = new Set([
  ...['event', 'uuid', 'id', 'timestamp', 'completed', 'started_at', 'completed_at', 'span_id', 'parent_id'],
  ...['type', 'role', 'source', 'model', 'action', 'stop_reason', 'function', 'tool_call_id', 'tool_choice'],
  ...['message_id', 'scorer', 'mime_type', 'format', 'name', 'kind', 'status', 'api', 'cache'],
  ...['toolCallId', 'toolName', 'modelId', 'mediaType', 'unified', 'raw'],
]);

/** Below these keys everything is somebody's own, whatever its keys are called. */
const FREE_KEYS: ReadonlySet<string> = new Set(['arguments', 'metadata', 'data', 'store', 'result', 'value']);

/** What Holdfast itself keeps in the metadata of a sample. */
const OWN_KEY = 'holdfast';

/** Parts of a message that are read one after the other as one text. */
const PART_KEYS = ['text', 'reasoning'] as const;

type Fields = Readonly<Record<string, unknown>>;

class ValueRedactor {
  readonly #patterns: readonly RegExp[];

  constructor(patterns: readonly RegExp[]) {
    this.#patterns = patterns;
  }

  text(text: string): string {
    const json = readJson(text);
    const [redacted = text] = this.texts([json === undefined ? text : this.#json(text, json)]);
    return redacted;
  }

  walk(value: unknown, isFree: boolean): unknown {
    if (typeof value === 'string') return isData(value) ? value : this.text(value);
    if (Array.isArray(value)) return this.#parts(value).map((item) => this.walk(item, isFree));
    // Dates, bytes and URLs hold no text of anybody.
    if (!isPlainObject(value)) return value;
    const redacted: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      const name = isFree ? this.#key(key, redacted) : key;
      define(redacted, name, this.#field(value, key, { item, isFree }));
    }
    return redacted;
  }

  /** What somebody calls his own things may be a secret, too. Two that become alike stay two: the second has a mark more. */
  #key(key: string, taken: Fields): string {
    let name = key === OWN_KEY ? key : this.text(key);
    while (name !== key && Object.hasOwn(taken, name)) name += MARK;
    return name;
  }

  #field(owner: Fields, key: string, { item, isFree }: { item: unknown; isFree: boolean }): unknown {
    if (typeof item === 'string') {
      const isFormat = !isFree && FORMAT_WORDS.has(key) && !isOwnSource(owner, key);
      const isFile = key === 'data' && typeof owner.mediaType === 'string';
      if (isFormat || isFile) return item;
    }
    return this.walk(item, key !== OWN_KEY && (isFree || FREE_KEYS.has(key)));
  }

  /** A text that is JSON (the arguments of a tool call) stays JSON, and what is escaped in it is found, too. */
  #json(text: string, json: unknown): string {
    const redacted = stringifyJson(this.walk(json, true) as never);
    return redacted === stringifyJson(json as never) ? text : redacted;
  }

  /** The list with matches taken out that go over several of its parts of one kind. */
  #parts(list: readonly unknown[]): readonly unknown[] {
    const runs = Map.groupBy(list.keys(), (index) => partKindOf(list[index]));
    runs.delete(undefined);
    const result = [...list];
    for (const places of runs.values()) {
      const parts = places.map((index) => partOf(list[index])).filter((part) => part !== undefined);
      const texts = parts.length > 1 ? this.texts(parts.map(({ text }) => text)) : [];
      for (const [place, text] of texts.entries()) {
        const part = parts[place];
        if (part) result[places[place] ?? 0] = { ...part.fields, [part.key]: text };
      }
    }
    return result;
  }

  /** Redacts texts that are read as one. The mark stands where a match begins. */
  texts(texts: readonly string[]): readonly string[] {
    const ranges = this.#rangesIn(texts.join(''));
    if (ranges.length === 0) return texts;
    let start = 0;
    return texts.map((text) => {
      const redacted = cutOut(text, start, ranges);
      start += text.length;
      return redacted;
    });
  }

  /** Where something is to be taken out, without overlaps. A mark that is touched by a match becomes part of it. */
  #rangesIn(text: string): readonly Range[] {
    const found = this.#patterns.flatMap((pattern) => rangesOf(text, pattern));
    if (found.length === 0) return [];
    const marks = rangesOf(text, /\[redacted\]/g).filter((mark) =>
      found.some((range) => doTouch(mark, range)),
    );
    const merged: Range[] = [];
    for (const range of [...found, ...marks].sort((a, b) => a.from - b.from)) {
      const last = merged.at(-1);
      if (last && range.from < last.to)
        merged[merged.length - 1] = { ...last, to: Math.max(last.to, range.to) };
      else merged.push(range);
    }
    return merged;
  }
}

/** A message says in one of few words where it came from; `info` says what an eval's author wants. */
function isOwnSource({ event }: Fields, key: string): boolean {
  return key === 'source' && event === 'info';
}

/** Like an assignment, also for the key `__proto__`. */
function define(into: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(into, key, { value, enumerable: true, writable: true, configurable: true });
}

interface Part {
  readonly fields: Fields;
  readonly key: (typeof PART_KEYS)[number];
  readonly text: string;
}

function partOf(item: unknown): Part | undefined {
  if (!isPlainObject(item)) return undefined;
  for (const key of PART_KEYS) {
    const text = item[key];
    if (typeof text === 'string') return { fields: item, key, text };
  }
  return undefined;
}

/** Texts are read on from text to text, reasoning from reasoning to reasoning. */
function partKindOf(item: unknown): string | undefined {
  const part = partOf(item);
  return part && `${part.key} ${part.fields.type}`;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function rangesOf(text: string, pattern: RegExp): readonly Range[] {
  return [...text.matchAll(pattern)]
    .filter(([match]) => match !== '')
    .map((match) => ({ from: match.index, to: match.index + match[0].length }));
}

function doTouch(a: Range, b: Range): boolean {
  return a.from < b.to && b.from < a.to;
}

/** A text that begins at `start` of the whole, without the ranges; those that begin in it leave the mark. */
function cutOut(text: string, start: number, ranges: readonly Range[]): string {
  let result = '';
  let at = 0;
  for (const { from, to } of ranges) {
    if (to <= start || from >= start + text.length) continue;
    result += text.slice(at, Math.max(at, from - start));
    if (from >= start) result += MARK;
    at = Math.min(text.length, to - start);
  }
  return result + text.slice(at);
}

function readJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = tryParseJson(text);
  return isJsonObject(value) || isJsonArray(value) ? value : undefined;
}

/** Bytes written as text: what would be found in them is chance. */
function isData(text: string): boolean {
  return /^data:[\w.+/-]*;base64,/.test(text);
}

function isPlainObject(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
