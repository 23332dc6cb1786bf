/** So many texts are known at a time: some ten megabytes. */
const TEXTS_MAX = 50_000;

/** Texts that are the same are one: the runs of an eval ask the same questions, each in its own words for them. */
export class SharedTexts {
  #known = new Map<string, string>();

  of(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= TEXTS_MAX) this.#known = new Map();
    this.#known.set(text, text);
    return text;
  }
}
