import { isUtf8 } from 'node:buffer';
import { isJsonObject, type Json, type JsonObject, JsonSyntaxError, parseJson } from '../base/index.ts';
import { type JsonPiece, JsonSplitError, type SplitOptions, splitJson } from './json-splitter.ts';
import { logErrors } from './log-errors.ts';
import type { ReadLimits } from './zip-reader.ts';

/** One JSON document of a log, wherever its bytes are. It can be read as often as needed, each time from its start. */
export class MemberJson {
  /** The log and the member in it, as errors name them. */
  readonly path: string;
  readonly member: string;
  readonly sizeBytes: number;
  readonly #open: () => AsyncIterable<Uint8Array>;
  readonly #limits: ReadLimits;

  constructor(options: {
    readonly path: string;
    readonly member: string;
    readonly sizeBytes: number;
    readonly open: () => AsyncIterable<Uint8Array>;
    readonly limits: ReadLimits;
  }) {
    this.path = options.path;
    this.member = options.member;
    this.sizeBytes = options.sizeBytes;
    this.#open = options.open;
    this.#limits = options.limits;
  }

  /** The values that `decide` takes, one by one. */
  async *split(options: Omit<SplitOptions, 'valueSizeBytesMax'>): AsyncGenerator<JsonPiece> {
    for await (const pieces of this.splitTogether(options)) yield* pieces;
  }

  /** The same, those of each chunk together. */
  async *splitTogether(
    options: Omit<SplitOptions, 'valueSizeBytesMax'>,
  ): AsyncGenerator<readonly JsonPiece[]> {
    const { valueSizeBytesMax } = this.#limits;
    try {
      yield* splitJson(this.#open(), { ...options, valueSizeBytesMax });
    } catch (error) {
      if (!(error instanceof JsonSplitError)) throw error;
      if (error.reason === 'too-large') throw logErrors.tooLarge(this.path, this.member, error.message);
      throw logErrors.json(this.path, this.member, error.message);
    }
  }

  /** The whole document. */
  async read(): Promise<Json> {
    let value: Json = null;
    for await (const piece of this.split({ decide: () => 'take' })) value = this.parse(piece.bytes);
    return value;
  }

  async readObject(): Promise<JsonObject> {
    const value = await this.read();
    if (!isJsonObject(value)) throw this.wrongShape('is not a JSON object');
    return value;
  }

  /** The items of an array, one by one. */
  async *readItems(): AsyncGenerator<Json> {
    const decide = (path: readonly unknown[]) => (path.length === 0 ? 'enter' : 'take');
    for await (const piece of this.split({ decide })) {
      if (piece.path.length === 0 || typeof piece.path[0] !== 'number')
        throw this.wrongShape('is not a JSON array');
      yield this.parse(piece.bytes);
    }
  }

  parse(bytes: Uint8Array): Json {
    if (!isUtf8(bytes)) throw logErrors.utf8(this.path, this.member);
    try {
      return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
    } catch (error) {
      if (error instanceof JsonSyntaxError) throw logErrors.json(this.path, this.member, error.message);
      throw error;
    }
  }

  wrongShape(what: string): Error {
    return logErrors.shape(this.path, this.member, what);
  }
}
