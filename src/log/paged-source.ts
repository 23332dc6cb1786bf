import type { ByteSource } from './byte-source.ts';

export interface PagedOptions {
  readonly name: string;
  readonly sizeBytes: number;
  /** Never asked for more than there is. Fewer bytes only where the object ends sooner than it did. */
  readonly readNow: (position: number, length: number) => Promise<Uint8Array>;
}

/** A request costs far more than the bytes it brings: members of a log lie side by side and are read one after the other. */
export const PAGE_BYTES = 256 * 1024;
/** What is read of one sample is read in several passes: what a pass brought is there for the next. */
const KEPT_PAGES = 32;

/**
 * Reads of something that is far away, in pages: what was read lately is not asked for again, and pages that are missing beside
 * each other are one request. A sample that fits comes over the network once, however often it is gone through.
 */
export function pagedSource(options: PagedOptions): ByteSource {
  return new PagedSource(options);
}

class PagedSource implements ByteSource {
  readonly #options: PagedOptions;
  /** By their number, the latest used last. Those on their way are there as well, so that nobody asks twice. */
  readonly #pages = new Map<number, Promise<Uint8Array>>();

  constructor(options: PagedOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get sizeBytes(): number {
    return this.#options.sizeBytes;
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const end = Math.min(position + length, this.sizeBytes);
    if (position >= end) return new Uint8Array();
    const first = Math.floor(position / PAGE_BYTES);
    const pages = await this.#pagesOf(first, Math.floor((end - 1) / PAGE_BYTES));
    const from = position - first * PAGE_BYTES;
    const [only] = pages;
    if (only && pages.length === 1) return only.subarray(from, from + end - position);
    return Buffer.concat(pages).subarray(from, from + end - position);
  }

  async close(): Promise<void> {
    this.#pages.clear();
  }

  #pagesOf(first: number, last: number): Promise<readonly Uint8Array[]> {
    const found: Promise<Uint8Array>[] = [];
    for (let number = first; number <= last; ) {
      let end = number;
      while (end <= last && !this.#pages.has(end)) end++;
      if (end > number) this.#fetch(number, end);
      for (const until = Math.max(end, number + 1); number < until; number++)
        found.push(this.#used(number, this.#pages.get(number) as Promise<Uint8Array>));
    }
    while (this.#pages.size > KEPT_PAGES) this.#pages.delete(this.#pages.keys().next().value as number);
    return Promise.all(found);
  }

  #used(number: number, page: Promise<Uint8Array>): Promise<Uint8Array> {
    this.#pages.delete(number);
    this.#pages.set(number, page);
    return page;
  }

  /** Up to, and without, `end`. */
  #fetch(start: number, end: number): void {
    const position = start * PAGE_BYTES;
    const length = Math.min(end * PAGE_BYTES, this.sizeBytes) - position;
    const whole = this.#options.readNow(position, length);
    for (let number = start; number < end; number++) {
      const from = (number - start) * PAGE_BYTES;
      const page = whole.then((bytes) => bytes.subarray(from, from + PAGE_BYTES));
      this.#pages.set(number, page);
      // Whoever waits for it is told; the next one asks again.
      page.catch(() => this.#pages.get(number) === page && this.#pages.delete(number));
    }
  }
}
