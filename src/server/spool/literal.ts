/** Strings as JSON writes them, in UTF-8 bytes: counted and decoded piece by piece, since one may have a hundred megabytes. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** Goes through the inside of a literal and counts the UTF-16 units that it stands for. */
export class LiteralCounter {
  units = 0;
  #isEscaped = false;
  #hexLeft = 0;

  /** From `from` on: where the closing quote is, or the letter with which there would be more than `unitsMax`; else -1. */
  count(bytes: Uint8Array, from: number, unitsMax = Number.POSITIVE_INFINITY): number {
    let { units } = this;
    let hexLeft = this.#hexLeft;
    let isEscaped = this.#isEscaped;
    let end = -1;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (hexLeft > 0) hexLeft--;
      else if (isEscaped) {
        isEscaped = false;
        if (byte === LETTER_U) hexLeft = 4;
      } else if (byte < 0x80 || byte >= 0xc0) {
        const width = byte >= 0xf0 ? 2 : 1;
        if (byte === QUOTE || units + width > unitsMax) {
          end = at;
          break;
        }
        units += width;
        isEscaped = byte === BACKSLASH;
      }
    }
    this.units = units;
    this.#hexLeft = hexLeft;
    this.#isEscaped = isEscaped;
    return end;
  }
}

/** The same for plain UTF-8. */
export class PlainCounter {
  units = 0;

  count(bytes: Uint8Array, from: number, unitsMax = Number.POSITIVE_INFINITY): number {
    let { units } = this;
    let end = -1;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte >= 0x80 && byte < 0xc0) continue;
      const width = byte >= 0xf0 ? 2 : 1;
      if (units + width > unitsMax) {
        end = at;
        break;
      }
      units += width;
    }
    this.units = units;
    return end;
  }
}

/**
 * How many of the first bytes of a literal's inside can be decoded without the rest: what is cut through, a letter or an escape, is
 * left out. Half of a pair of surrogates that is escaped counts as a letter: it comes together again when texts are joined.
 */
export function wholeBytes(bytes: Uint8Array): number {
  const letters = wholeLetters(bytes);
  for (let at = letters - 1; at >= Math.max(0, letters - 6); at--) {
    if (bytes[at] !== BACKSLASH || isEscapedAt(bytes, at)) continue;
    const length = bytes[at + 1] === LETTER_U ? 6 : 2;
    return at + length > letters ? at : letters;
  }
  return letters;
}

/** The same for plain UTF-8. */
export function wholeLetters(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at--) {
    const byte = bytes[at] as number;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return at + length > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

function isEscapedAt(bytes: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (at - 1 - backslashes >= 0 && bytes[at - 1 - backslashes] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** The text of a literal's inside. Texts that other tools wrote may hold control characters, which JSON forbids. */
export function decodeInside(bytes: Uint8Array): string {
  const text = utf8(bytes);
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${escapeControls(text)}"`) as string;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function escapeControls(text: string): string {
  const escape = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(/\p{Cc}/gu, escape);
}

export function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
