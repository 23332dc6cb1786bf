/**
 * Splits a JSON document into values without holding it: V8 cannot hold a string of more than 512 MB, and a sample may
 * be larger. Works on UTF-8 bytes; only the values that are taken are decoded, by the caller.
 */

export type JsonPath = readonly (string | number)[];

/** `take`: give me this value. `enter`: ask again for each item inside (a scalar is taken). `skip`: leave it out. */
export type Verdict = 'take' | 'enter' | 'skip';

export interface JsonPiece {
  readonly path: JsonPath;
  /** The bytes of the value, without space around it. */
  readonly bytes: Uint8Array;
  /** Where it lies in the document. */
  readonly start: number;
  readonly end: number;
  /** This is no value but the end of a container that was entered (see `reportEnd`). */
  readonly isEnd?: true;
  /** The value goes on in the next piece, which has the same path (see `sliceBytes`). */
  readonly isMore?: true;
}

/** Text that is not JSON, by its byte offset. The caller knows the file and says so. */
export class JsonSplitError extends Error {
  override readonly name = 'JsonSplitError';
  readonly offset: number;
  readonly reason: 'syntax' | 'too-large';

  constructor(reason: 'syntax' | 'too-large', offset: number, message: string) {
    super(message);
    this.reason = reason;
    this.offset = offset;
  }
}

export interface SplitOptions {
  readonly decide: (path: JsonPath) => Verdict;
  /** Whether to report where a container that was entered began and ended. */
  readonly reportEnd?: (path: JsonPath) => boolean;
  /** Longer values come in slices of about so many bytes, of which no more is held; without it whole, however long they are. */
  readonly sliceBytes?: number | undefined;
  /** Of what is held: a value that comes in slices may be longer. */
  readonly valueSizeBytesMax: number;
}

/** A chunk may have megabytes: whoever serves others meanwhile is asked to go on several times then. */
const SLICE_BYTES = 2 ** 19;

/** The pieces of each chunk together: a turn of the event loop for each would cost more than finding it. */
export async function* splitJson(
  chunks: AsyncIterable<Uint8Array>,
  options: SplitOptions,
): AsyncGenerator<readonly JsonPiece[]> {
  const splitter = new JsonSplitter(options);
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
      splitter.push(chunk.subarray(from, from + SLICE_BYTES));
      const pieces = splitter.takePieces();
      if (pieces.length > 0) yield pieces;
    }
  }
  splitter.finish();
  yield splitter.takePieces();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const NOTHING = new Uint8Array();
const DEPTH_MAX = 2_000;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

interface Container {
  readonly isArray: boolean;
  readonly start: number;
  /** The key or index of the item at hand. */
  at: string | number;
}

type State = 'value' | 'first-value' | 'key' | 'first-key' | 'in-key' | 'colon' | 'after' | 'inside' | 'done';

class JsonSplitter {
  readonly #options: SplitOptions;
  readonly #containers: Container[] = [];
  #state: State = 'value';
  #pieces: JsonPiece[] = [];
  /** Bytes before the current chunk. */
  #offset = 0;

  // The value at hand, in state `inside` (and a key in `in-key`).
  #kind: 'nested' | 'string' | 'scalar' = 'scalar';
  #isTaken = false;
  #path: JsonPath = [];
  #valueStart = 0;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  constructor(options: SplitOptions) {
    this.#options = options;
  }

  takePieces(): readonly JsonPiece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'inside' || this.#state === 'in-key') at = this.#readOn(chunk, at);
      else at = this.#step(chunk, at);
    }
    this.#offset += chunk.length;
  }

  finish(): void {
    if (this.#state === 'inside' && this.#kind === 'scalar') this.#endValue(NOTHING, 0, 0);
    if (this.#state !== 'done') this.#fail(0, 'it ends too early');
  }

  /** One structural byte outside of any value. */
  #step(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] as number;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1;
    const position = this.#offset + at;
    if (position < 3 && byte === BYTE_ORDER_MARK[position]) return at + 1;
    switch (this.#state) {
      case 'first-value':
        if (byte === CLOSE_BRACKET) return this.#leave(at);
        return this.#beginValue(byte, at);
      case 'value':
        return this.#beginValue(byte, at);
      case 'first-key':
        if (byte === CLOSE_BRACE) return this.#leave(at);
        return this.#beginKey(byte, at);
      case 'key':
        return this.#beginKey(byte, at);
      case 'colon':
        if (byte !== COLON) this.#fail(at, 'a colon is missing');
        this.#state = 'value';
        return at + 1;
      case 'after':
        return this.#afterValue(byte, at);
      default:
        return this.#fail(at, 'there is more after its end');
    }
  }

  #afterValue(byte: number, at: number): number {
    const container = this.#containers.at(-1) as Container;
    if (byte === COMMA) {
      if (typeof container.at === 'number') container.at++;
      this.#state = container.isArray ? 'value' : 'key';
      return at + 1;
    }
    if (byte !== (container.isArray ? CLOSE_BRACKET : CLOSE_BRACE)) this.#fail(at, 'a comma is missing');
    return this.#leave(at);
  }

  #leave(at: number): number {
    const left = this.#containers.pop() as Container;
    const path = this.#containers.map((container) => container.at);
    if (this.#options.reportEnd?.(path)) {
      const end = this.#offset + at + 1;
      this.#pieces.push({ path, bytes: NOTHING, start: left.start, end, isEnd: true });
    }
    this.#state = this.#containers.length > 0 ? 'after' : 'done';
    return at + 1;
  }

  #beginKey(byte: number, at: number): number {
    if (byte !== QUOTE) this.#fail(at, 'a key is missing');
    this.#begin('string', true, at);
    this.#state = 'in-key';
    return at;
  }

  #beginValue(byte: number, at: number): number {
    const isNested = byte === OPEN_BRACE || byte === OPEN_BRACKET;
    if (!isNested && (byte === COMMA || byte === COLON || byte === CLOSE_BRACE || byte === CLOSE_BRACKET)) {
      this.#fail(at, 'a value is missing');
    }
    const path = this.#containers.map((container) => container.at);
    const verdict = this.#options.decide(path);
    this.#path = path;
    if (verdict === 'enter' && isNested) {
      const isArray = byte === OPEN_BRACKET;
      if (this.#containers.length >= DEPTH_MAX) this.#fail(at, 'it is nested too deeply');
      this.#containers.push({ isArray, start: this.#offset + at, at: isArray ? 0 : '' });
      this.#state = isArray ? 'first-value' : 'first-key';
      return at + 1;
    }
    this.#begin(isNested ? 'nested' : byte === QUOTE ? 'string' : 'scalar', verdict !== 'skip', at);
    this.#state = 'inside';
    return at;
  }

  #begin(kind: 'nested' | 'string' | 'scalar', isTaken: boolean, at: number): void {
    this.#kind = kind;
    this.#isTaken = isTaken;
    this.#valueStart = this.#offset + at;
    this.#depth = 0;
    this.#inString = false;
    this.#isEscaped = false;
  }

  /** Goes to the end of the value at hand, or of the chunk; returns where it stopped. */
  #readOn(chunk: Uint8Array, from: number): number {
    const end = this.#kind === 'scalar' ? scalarEnd(chunk, from) : this.#nestedEnd(chunk, from);
    if (end < 0) {
      this.#hold(chunk, from, chunk.length);
      return chunk.length;
    }
    this.#endValue(chunk, from, end);
    return end;
  }

  /** The byte after a string, object or array, or -1 when the chunk ends before. */
  #nestedEnd(chunk: Uint8Array, from: number): number {
    let at = from;
    const { length } = chunk;
    while (at < length) {
      if (this.#isEscaped) {
        this.#isEscaped = false;
        at++;
      } else if (this.#inString) {
        let byte = chunk[at] as number;
        while (byte !== QUOTE && byte !== BACKSLASH) {
          if (++at === length) return -1;
          byte = chunk[at] as number;
        }
        at++;
        if (byte === BACKSLASH) this.#isEscaped = true;
        else {
          this.#inString = false;
          if (this.#depth === 0) return at;
        }
      } else {
        const byte = chunk[at++] as number;
        if (byte === QUOTE) this.#inString = true;
        else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
          if (++this.#depth + this.#containers.length > DEPTH_MAX) this.#fail(at, 'it is nested too deeply');
        } else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --this.#depth === 0) return at;
      }
    }
    return -1;
  }

  #hold(chunk: Uint8Array, from: number, to: number): void {
    if (!this.#isTaken || from === to) return;
    this.#heldBytes += to - from;
    if (this.#heldBytes > this.#options.valueSizeBytesMax) {
      const message = `one value has more than ${this.#options.valueSizeBytesMax} bytes`;
      throw new JsonSplitError('too-large', this.#valueStart, message);
    }
    this.#held.push(chunk.subarray(from, to));
    const { sliceBytes } = this.#options;
    if (sliceBytes !== undefined && this.#heldBytes >= sliceBytes && this.#state === 'inside')
      this.#giveSlice(this.#offset + to);
  }

  #giveSlice(end: number): void {
    const bytes = this.#takeHeld();
    this.#pieces.push({ path: this.#path, bytes, start: end - bytes.length, end, isMore: true });
  }

  #takeHeld(): Uint8Array {
    const bytes = this.#held.length === 1 ? (this.#held[0] as Uint8Array) : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return bytes;
  }

  #endValue(chunk: Uint8Array, from: number, to: number): void {
    this.#hold(chunk, from, to);
    const bytes = this.#takeHeld();
    if (this.#state === 'in-key') {
      this.#endKey(bytes);
      return;
    }
    if (this.#isTaken) {
      const end = this.#offset + to;
      this.#pieces.push({ path: this.#path, bytes, start: end - bytes.length, end });
    }
    this.#state = this.#containers.length > 0 ? 'after' : 'done';
  }

  #endKey(bytes: Uint8Array): void {
    const container = this.#containers.at(-1) as Container;
    try {
      container.at = JSON.parse(Buffer.from(bytes).toString('utf8')) as string;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#fail(0, 'a key is not a JSON string');
    }
    this.#state = 'colon';
  }

  #fail(at: number, what: string): never {
    throw new JsonSplitError('syntax', this.#offset + at, `${what} at byte ${this.#offset + at}`);
  }
}

/** The byte after a number or word: the next one that cannot be part of it. */
function scalarEnd(chunk: Uint8Array, from: number): number {
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at] as number;
    const isPart =
      byte !== COMMA && byte !== CLOSE_BRACE && byte !== CLOSE_BRACKET && byte > 0x20 && byte !== COLON;
    if (!isPart) return at;
  }
  return -1;
}
