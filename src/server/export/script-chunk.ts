/**
 * A chunk as a classic script, which is all that a browser loads from `file://` [EXP-2]: one call with two strings, both as JSON writes
 * them. Data never become code: an object of JavaScript would take a member called `__proto__` for something else.
 */
export function scriptChunk(key: string, text: string): string {
  return `holdfastChunk(${literalOf(key)},${literalOf(text)});\n`;
}

/** Lone surrogates are escaped by JSON itself; line ends of JavaScript and what ends a script of a page are so by us. */
export function literalOf(text: string): string {
  return JSON.stringify(text).replace(DANGEROUS, escaped);
}

const DANGEROUS = /[\u2028\u2029]|<(?=[/!])/g;

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
