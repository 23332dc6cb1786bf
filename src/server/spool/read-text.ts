import type { TextPiece } from '../api.ts';
import { noText } from '../server-errors.ts';
import { decodeInside, LiteralCounter, PlainCounter, utf8, wholeBytes, wholeLetters } from './literal.ts';
import { type PieceName, parsePlace, placeText, type Range, type TextPlace } from './place.ts';
import type { Spool } from './spool.ts';
import type { Stretch } from './spool-file.ts';

const CHUNK_BYTES = 256 * 1024;
const QUOTE = 0x22;
/** So many texts are remembered by how far they were read, so that going on needs no counting from the start. */
const REMEMBERED_MAX = 64;

/** Reads pieces of long texts of one sample. */
export class TextReader {
  readonly #spool: Spool;
  /** Where a text was read to: its units and bytes. */
  readonly #reached = new Map<string, { readonly units: number; readonly bytes: number }>();
  readonly #lengths = new Map<string, number>();

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  async read(at: string, from: number, length: number): Promise<TextPiece> {
    const place = parsePlace(at);
    if (place.piece.part === 'pooled') return this.#readPooled(place.piece, from, length);
    const source = await this.#sourceOf(place, at);
    const units = place.stretch?.units ?? (await this.#lengthOf(source));
    const text = from >= units ? '' : await this.#slice(source, from, Math.min(length, units - from));
    return { from, length: units, text };
  }

  /** UTF-16 units of an attachment; counted once. */
  async attachmentUnits(hash: string, stretch: Stretch): Promise<number> {
    const key = placeText({ piece: { part: 'attachments', name: hash } });
    return this.#lengthOf({ key, ...inside(stretch), isLiteral: true, part: 'attachments' });
  }

  async #sourceOf({ piece, stretch }: TextPlace, at: string): Promise<TextSource> {
    const whole = this.#stretchOf(piece);
    const { part } = piece;
    if (!whole) throw noText(at);
    if (!stretch) {
      if (piece.part !== 'attachments') throw noText(at);
      return { key: at, ...inside(whole), isLiteral: true, part };
    }
    if (stretch.start + stretch.sizeBytes > whole.sizeBytes) throw noText(at);
    const found = { start: whole.start + stretch.start, sizeBytes: stretch.sizeBytes };
    if (stretch.kind === 'json') return { key: at, ...found, isLiteral: false, part };
    // What the sample says may be another thing by now: a string has quotes around it.
    const [first] = await this.#bytes({ start: found.start, sizeBytes: 1 }, part);
    const [last] = await this.#bytes({ start: found.start + found.sizeBytes - 1, sizeBytes: 1 }, part);
    if (found.sizeBytes < 2 || first !== QUOTE || last !== QUOTE) throw noText(at);
    return { key: at, ...inside(found), isLiteral: true, part };
  }

  #stretchOf(piece: PieceName): Stretch | undefined {
    switch (piece.part) {
      case 'events':
        return this.#spool.eventAt(piece.index);
      case 'attachments':
        return this.#spool.attachment(piece.name);
      case 'fields':
        return this.#spool.field(piece.name);
      case 'pooled':
        return undefined;
      default:
        return this.#spool.pooled(piece.part, piece.index);
    }
  }

  async #lengthOf(source: TextSource): Promise<number> {
    const known = this.#lengths.get(source.key);
    if (known !== undefined) return known;
    const { units } = await this.#count(source, Number.POSITIVE_INFINITY);
    remember(this.#lengths, source.key, units);
    return units;
  }

  async #slice(source: TextSource, from: number, length: number): Promise<string> {
    const reached = this.#reached.get(source.key);
    const { units, bytes } = await this.#count(
      source,
      from,
      reached && reached.units <= from ? reached : START,
    );
    let text = '';
    let read = bytes;
    // A pair of surrogates is one letter: it may begin before.
    const wanted = from - units + length;
    while (text.length < wanted && read < source.sizeBytes) {
      const size = Math.min(CHUNK_BYTES, source.sizeBytes - read);
      const chunk = await this.#bytes({ start: source.start + read, sizeBytes: size }, source.part);
      const isLast = read + size >= source.sizeBytes;
      const whole = isLast ? size : source.isLiteral ? wholeBytes(chunk) : wholeLetters(chunk);
      const part = chunk.subarray(0, whole);
      text += source.isLiteral ? decodeInside(part) : utf8(part);
      read += whole;
      remember(this.#reached, source.key, { units: units + text.length, bytes: read });
    }
    return text.slice(from - units, from - units + length);
  }

  /** Goes to the letter at which so many units are reached; gives how many were before it, and where it is. */
  async #count(source: TextSource, unitsMax: number, from: Reached = START): Promise<Reached> {
    const counter = source.isLiteral ? new LiteralCounter() : new PlainCounter();
    counter.units = from.units;
    for (let read = from.bytes; read < source.sizeBytes; read += CHUNK_BYTES) {
      const size = Math.min(CHUNK_BYTES, source.sizeBytes - read);
      const chunk = await this.#bytes({ start: source.start + read, sizeBytes: size }, source.part);
      const stop = counter.count(chunk, 0, unitsMax);
      if (stop >= 0) return { units: counter.units, bytes: read + stop };
    }
    return { units: counter.units, bytes: source.sizeBytes };
  }

  /** What an earlier attempt refers to is in the spool of its sample. */
  #bytes(stretch: Stretch, part: PieceName['part']): Promise<Uint8Array> {
    if (part === 'events') return this.#spool.read(stretch);
    return part === 'fields' ? this.#spool.readField(stretch) : this.#spool.owner.read(stretch);
  }

  /** `[…]`: what an event refers to in a pool, as JSON. */
  async #readPooled(
    { pool, ranges }: { readonly pool: 'messages' | 'calls'; readonly ranges: readonly Range[] },
    from: number,
    length: number,
  ): Promise<TextPiece> {
    let units = 0;
    let text = '';
    const add = (part: string) => {
      const skipped = Math.max(0, from - units);
      if (skipped < part.length && text.length < length)
        text += part.slice(skipped, skipped + length - text.length);
      units += part.length;
    };
    let before = '[';
    for (const [start, end] of ranges) {
      for (let position = start; position < Math.min(end, this.#spool.poolSize(pool)); position++) {
        const stretch = this.#spool.pooled(pool, position);
        if (!stretch) continue;
        add(before);
        for await (const chunk of this.#spool.owner.texts(stretch)) add(chunk);
        before = ',';
      }
    }
    add(before === '[' ? '[]' : ']');
    return { from, length: units, text };
  }
}

interface TextSource extends Stretch {
  readonly key: string;
  /** The inside of a string, or JSON as it is. */
  readonly isLiteral: boolean;
  readonly part: PieceName['part'];
}

interface Reached {
  readonly units: number;
  readonly bytes: number;
}

const START: Reached = { units: 0, bytes: 0 };

function inside({ start, sizeBytes }: Stretch): Stretch {
  return { start: start + 1, sizeBytes: Math.max(0, sizeBytes - 2) };
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= REMEMBERED_MAX) return;
    map.delete(oldest);
  }
}
