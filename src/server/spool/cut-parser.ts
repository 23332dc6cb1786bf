import { type Json, parseJson } from '../../base/index.ts';
import { type Cuts, headOf, setOwn, TEXT_UNITS_MAX } from './cuts.ts';
import { decodeInside, LiteralCounter, PlainCounter, utf8, wholeBytes, wholeLetters } from './literal.ts';

/** How the places of what is cut are told: by the bytes of the value that is parsed. */
export interface CutPlaces {
  /** A string with its quotes. */
  string(start: number, sizeBytes: number, units: number): string;
  /** Any stretch of JSON. */
  json(start: number, sizeBytes: number, units: number): string;
}

export interface CutOptions {
  readonly cuts: Cuts;
  readonly places: CutPlaces;
  /** About how many characters are kept of the whole value … */
  readonly unitsMax: number;
  /** … and of each key of an object at its root: so that nothing long keeps out what comes after it. */
  readonly shareOf?: (key: string) => number;
  /** Longer strings are cut; default as everywhere. */
  readonly textUnitsMax?: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** Nobody looks deeper, and everybody who goes through a value would have to climb down. */
const DEPTH_MAX = 100;
/** A text of as many units as are shown has at most so many bytes: six for each, where all are escaped. */
const KEPT_BYTES = 6 * TEXT_UNITS_MAX + 2;
const HEAD_OF_JSON_BYTES = 400;
const SCALAR_BYTES_MAX = 4_096;

type Container =
  | { readonly items: Json[]; readonly members?: undefined; key?: undefined }
  | { readonly members: Record<string, Json>; readonly items?: undefined; key: string };

type Expected = 'value' | 'first-value' | 'key' | 'first-key' | 'colon' | 'after' | 'end';

/**
 * Parses JSON of which only a part is wanted: long strings are cut, and so are lists and objects beyond a size. What is cut is never
 * decoded or held, so that an event with a text of a hundred megabytes costs a few kilobytes. Bytes come in any portions; the value
 * is known to be JSON by its brackets and strings, as whoever split the document has found.
 */
export class CutParser {
  readonly #options: CutOptions;
  readonly #textUnitsMax: number;
  readonly #stack: Container[] = [];
  #expected: Expected = 'value';
  #inside: 'string' | 'scalar' | 'skipped' | undefined;
  #result: Json = null;
  /** Bytes before the portion at hand. */
  #offset = 0;
  #start = 0;
  #spent = 0;
  #shareEnd = Number.POSITIVE_INFINITY;

  // The string or scalar at hand: the first of its bytes.
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #counter = new LiteralCounter();

  // What is left out: the rest of a container, or one value that is nested too deeply.
  #skipDepth = 0;
  #skipEndDepth = 0;
  #skipItems = 1;
  #skipCounter = new PlainCounter();
  #skipInString = false;
  #skipEscaped = false;

  constructor(options: CutOptions) {
    this.#options = options;
    this.#textUnitsMax = options.textUnitsMax ?? TEXT_UNITS_MAX;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at = this.#readOn(bytes, at);
    this.#offset += bytes.length;
  }

  finish(): Json {
    if (this.#inside === 'scalar') this.#endScalar();
    if (this.#expected !== 'end') throw this.#wrong(0);
    return this.#result;
  }

  #readOn(bytes: Uint8Array, at: number): number {
    switch (this.#inside) {
      case 'string':
        return this.#readString(bytes, at);
      case 'scalar':
        return this.#readScalar(bytes, at);
      case 'skipped':
        return this.#skipOn(bytes, at);
      default:
        return this.#step(bytes, at);
    }
  }

  /** One byte of structure. */
  #step(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] as number;
    if (byte <= 0x20) return at + 1;
    switch (this.#expected) {
      case 'first-key':
      case 'key':
        if (byte === CLOSE_BRACE) return this.#close(byte, at);
        if (byte !== QUOTE) throw this.#wrong(at);
        if (this.#isFull()) return this.#skip(at, -1);
        return this.#beginString(at);
      case 'colon':
        if (byte !== COLON) throw this.#wrong(at);
        this.#expected = 'value';
        return at + 1;
      case 'after':
        if (byte === COMMA) {
          this.#expected = this.#stack.at(-1)?.members ? 'key' : 'value';
          return at + 1;
        }
        return this.#close(byte, at);
      case 'end':
        throw this.#wrong(at);
      default:
        return this.#beginValue(byte, at);
    }
  }

  #beginValue(byte: number, at: number): number {
    if (byte === CLOSE_BRACKET) return this.#close(byte, at);
    const within = this.#stack.at(-1);
    if (within?.items && this.#isFull()) return this.#skip(at, -1);
    if (byte === QUOTE) return this.#beginString(at);
    if (byte !== OPEN_BRACE && byte !== OPEN_BRACKET) {
      this.#inside = 'scalar';
      return at;
    }
    if (this.#stack.length >= DEPTH_MAX) return this.#skip(at, 0);
    this.#spent += 2;
    this.#stack.push(byte === OPEN_BRACE ? { members: {}, key: '' } : { items: [] });
    this.#expected = byte === OPEN_BRACE ? 'first-key' : 'first-value';
    return at + 1;
  }

  /** What is full gets nothing more; the root only when everything together is too much. */
  #isFull(): boolean {
    const { unitsMax } = this.#options;
    return this.#spent >= (this.#stack.length > 1 ? Math.min(this.#shareEnd, unitsMax) : unitsMax);
  }

  #close(byte: number, at: number): number {
    const closed = this.#stack.pop();
    if (!closed || byte !== (closed.items ? CLOSE_BRACKET : CLOSE_BRACE)) throw this.#wrong(at);
    this.#put(closed.items ?? closed.members);
    return at + 1;
  }

  #put(value: Json): void {
    const into = this.#stack.at(-1);
    if (!into) this.#result = value;
    else if (into.items) into.items.push(value);
    else setOwn(into.members, into.key, value);
    this.#expected = into ? 'after' : 'end';
  }

  #beginString(at: number): number {
    this.#inside = 'string';
    this.#start = this.#offset + at;
    this.#counter = new LiteralCounter();
    this.#kept = [];
    this.#keptBytes = 0;
    return at + 1;
  }

  #readString(bytes: Uint8Array, at: number): number {
    const quote = this.#counter.count(bytes, at);
    const end = quote < 0 ? bytes.length : quote;
    this.#keep(bytes, at, end);
    if (quote < 0) return end;
    this.#inside = undefined;
    const isKey = this.#expected === 'key' || this.#expected === 'first-key';
    if (isKey) this.#endKey();
    else this.#put(this.#text(this.#offset + end + 1));
    return end + 1;
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    const count = Math.min(to - from, KEPT_BYTES - this.#keptBytes);
    if (count <= 0) return;
    this.#kept.push(bytes.subarray(from, from + count));
    this.#keptBytes += count;
  }

  #takeKept(): Uint8Array {
    const kept = this.#kept.length === 1 ? (this.#kept[0] as Uint8Array) : Buffer.concat(this.#kept);
    this.#kept = [];
    this.#keptBytes = 0;
    return kept;
  }

  #endKey(): void {
    const into = this.#stack.at(-1);
    const kept = this.#takeKept();
    const key = decodeInside(kept.subarray(0, wholeBytes(kept)));
    this.#spent += key.length + 4;
    if (into?.members) into.key = key;
    if (this.#stack.length === 1)
      this.#shareEnd = this.#spent + (this.#options.shareOf?.(key) ?? Number.POSITIVE_INFINITY);
    this.#expected = 'colon';
  }

  #text(end: number): string {
    const { units } = this.#counter;
    const kept = this.#takeKept();
    if (units <= this.#textUnitsMax) {
      this.#spent += units + 3;
      return decodeInside(kept);
    }
    const head = headOf(decodeInside(kept.subarray(0, wholeBytes(kept)))).slice(0, this.#textUnitsMax);
    this.#spent += head.length + 100;
    const at = this.#options.places.string(this.#start, end - this.#start, units);
    return this.#options.cuts.mark({ head, length: units, at });
  }

  #readScalar(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && !isDelimiter(bytes[at] as number)) at++;
    this.#keep(bytes, from, at);
    if (at < bytes.length) this.#endScalar();
    return at;
  }

  #endScalar(): void {
    this.#inside = undefined;
    const text = utf8(this.#takeKept().subarray(0, SCALAR_BYTES_MAX));
    this.#spent += text.length + 1;
    this.#put(parseJson(text));
  }

  /** Leaves out everything until as many brackets are closed as are opened from here on, or one more. */
  #skip(at: number, endDepth: 0 | -1): number {
    this.#inside = 'skipped';
    this.#start = this.#offset + at;
    this.#skipDepth = 0;
    this.#skipEndDepth = endDepth;
    this.#skipItems = 1;
    this.#skipCounter = new PlainCounter();
    this.#skipInString = false;
    this.#skipEscaped = false;
    return at;
  }

  #skipOn(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (this.#skipInString) {
        if (this.#skipEscaped) this.#skipEscaped = false;
        else if (byte === BACKSLASH) this.#skipEscaped = true;
        else if (byte === QUOTE) this.#skipInString = false;
      } else if (byte === QUOTE) this.#skipInString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#skipDepth++;
      else if (byte === COMMA && this.#skipDepth === 0) this.#skipItems++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#skipDepth--;
        if (this.#skipDepth === this.#skipEndDepth) return this.#endSkipped(bytes, from, at);
      }
    }
    this.#holdSkipped(bytes, from, bytes.length);
    return bytes.length;
  }

  /** `closing` is the bracket that ends it: of one value it is the last byte, of a rest it closes what the rest is of. */
  #endSkipped(bytes: Uint8Array, from: number, closing: number): number {
    const isRest = this.#skipEndDepth < 0;
    const end = isRest ? closing : closing + 1;
    this.#holdSkipped(bytes, from, end);
    this.#inside = undefined;
    const kept = this.#takeKept().subarray(0, HEAD_OF_JSON_BYTES);
    const head = utf8(kept.subarray(0, wholeLetters(kept)));
    this.#spent += head.length + 100;
    const length = this.#skipCounter.units;
    const at = this.#options.places.json(this.#start, this.#offset + end - this.#start, length);
    const mark = this.#options.cuts.mark({
      head,
      length,
      at,
      items: isRest ? this.#skipItems : 1,
    });
    const within = this.#stack.at(-1);
    if (isRest && within?.members) within.key = mark;
    this.#put(mark);
    return end;
  }

  #wrong(at: number): SyntaxError {
    return new SyntaxError(`no JSON at byte ${this.#offset + at}`);
  }

  #holdSkipped(bytes: Uint8Array, from: number, to: number): void {
    this.#skipCounter.count(bytes.subarray(from, to), 0);
    this.#keep(bytes, from, to);
  }
}

function isDelimiter(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte === COLON;
}

/** Parses a value that is in memory. What is short has nothing in it that could be cut. */
export function parseCut(bytes: Uint8Array, options: CutOptions): Json {
  const parser = new CutParser(options);
  parser.push(bytes);
  return parser.finish();
}
