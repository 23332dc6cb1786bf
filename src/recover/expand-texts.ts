import type { Json } from '../base/index.ts';
import { expandJson } from '../log/index.ts';

const INLINE_CHARACTERS_MAX = 32 * 2 ** 20;
const DATA_URI = /^data:[^;]+;base64,/;

/**
 * Puts long texts back into a value. Data URIs stay references, as in every log; and so does what would make the value
 * too large to be held, which readers put back themselves.
 */
export class TextExpander {
  readonly #lookup: (hash: string) => string | undefined;
  #left = INLINE_CHARACTERS_MAX;

  constructor(lookup: (hash: string) => string | undefined) {
    this.#lookup = lookup;
  }

  expand<T>(value: T): T {
    return expandJson(value as Json, (hash) => {
      const text = this.#lookup(hash);
      if (text === undefined || text.length > this.#left || DATA_URI.test(text)) return undefined;
      this.#left -= text.length;
      return text;
    }) as T;
  }
}
