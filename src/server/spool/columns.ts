/** Lists that grow to hundreds of thousands of items: what an object each would make of a transcript does not fit in memory. */

type TypedArray = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

const FIRST_ITEMS = 256;

export class NumberColumn {
  length = 0;
  #items: TypedArray;
  readonly #make: (length: number) => TypedArray;

  constructor(make: (length: number) => TypedArray) {
    this.#make = make;
    this.#items = make(FIRST_ITEMS);
  }

  push(value: number): void {
    if (this.length === this.#items.length) {
      const larger = this.#make(Math.ceil(this.length * 1.5));
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length++] = value;
  }

  at(index: number): number {
    return this.#items[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.#items[index] = value;
  }

  list(from: number, to: number): number[] {
    return Array.from(this.#items.subarray(from, to));
  }

  get sizeBytes(): number {
    return this.#items.byteLength;
  }
}

export const bytesColumn = () => new NumberColumn((length) => new Uint8Array(length));
export const shortsColumn = () => new NumberColumn((length) => new Uint16Array(length));
export const countsColumn = () => new NumberColumn((length) => new Uint32Array(length));
export const amountsColumn = () => new NumberColumn((length) => new Float64Array(length));

const TEXT_BLOCK_BYTES = 2 ** 18;
/** So many texts that may come again and again are kept once: names, which are short. */
const SHARED_TEXTS_MAX = 4_096;
const SHARED_UNITS_MAX = 24;

/** Short texts as UTF-8, one after the other. */
export class TextColumn {
  readonly #blocks: Buffer[] = [];
  #used = TEXT_BLOCK_BYTES;
  /** Block and offset in one number, by the number of the text. */
  readonly #starts = amountsColumn();
  readonly #sizes = shortsColumn();
  readonly #shared = new Map<string, number>();
  readonly #ids = countsColumn();

  get length(): number {
    return this.#ids.length;
  }

  push(text: string): void {
    this.#ids.push(this.#idOf(text));
  }

  set(index: number, text: string): void {
    this.#ids.set(index, this.#idOf(text));
  }

  at(index: number): string {
    const id = this.#ids.at(index);
    const start = this.#starts.at(id);
    const block = this.#blocks[Math.floor(start / TEXT_BLOCK_BYTES)];
    const from = start % TEXT_BLOCK_BYTES;
    return block?.toString('utf8', from, from + this.#sizes.at(id)) ?? '';
  }

  list(from: number, to: number): string[] {
    const texts: string[] = [];
    for (let index = from; index < Math.min(to, this.length); index++) texts.push(this.at(index));
    return texts;
  }

  get sizeBytes(): number {
    const shared = this.#shared.size * 100;
    return this.#blocks.length * TEXT_BLOCK_BYTES + this.#starts.sizeBytes + this.#sizes.sizeBytes + shared;
  }

  #idOf(text: string): number {
    if (text.length > SHARED_UNITS_MAX) return this.#store(text);
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    const id = this.#store(text);
    if (this.#shared.size < SHARED_TEXTS_MAX) this.#shared.set(text, id);
    return id;
  }

  #store(text: string): number {
    const bytes = Buffer.from(text, 'utf8').subarray(0, 0xffff);
    let block = this.#blocks.at(-1);
    if (!block || this.#used + bytes.length > TEXT_BLOCK_BYTES) {
      block = Buffer.allocUnsafe(TEXT_BLOCK_BYTES);
      this.#blocks.push(block);
      this.#used = 0;
    }
    block.set(bytes, this.#used);
    this.#starts.push((this.#blocks.length - 1) * TEXT_BLOCK_BYTES + this.#used);
    this.#sizes.push(bytes.length);
    this.#used += bytes.length;
    return this.#starts.length - 1;
  }
}

/** Names in the order of their first appearance. Beyond so many, all others are one. */
export class NameList {
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #most: number;
  readonly #others: string;

  constructor(most: number, others: string) {
    this.#most = most;
    this.#others = others;
  }

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (this.names.length >= this.#most && name !== this.#others) return this.numberOf(this.#others);
    this.names.push(name);
    this.#numbers.set(name, this.names.length - 1);
    return this.names.length - 1;
  }
}
