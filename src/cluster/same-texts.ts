/** Keeps one copy of each text: what a million records say alike weighs as much as if one said it. */
export class SameTexts {
  readonly #texts = new Map<string, string>();

  of<T extends string>(text: T): T {
    const known = this.#texts.get(text);
    // What is kept under a text is that text.
    if (known !== undefined) return known as T;
    this.#texts.set(text, text);
    return text;
  }
}
