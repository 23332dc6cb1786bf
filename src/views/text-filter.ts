/**
 * Tells of a long text which shorter ones it cannot have in it, in some hundred bytes: a bit for each three letters in a row that it has
 * [EXP-11]. Without regard to case: letters that any search takes for one another are one letter here.
 */
export interface TextFilter {
  /** How many bits there are, as a power of two. */
  readonly power: number;
  /** Base64 of the bits, the lowest of each byte first. See docs/format/export.md for how a bit is found. */
  readonly bits: string;
}

const POWER_MAX = 20;
const POWER_MIN = 8;
/** So many bits for one that is set: of four letters in a row that are not there, one in four has its bit set by others. */
const BITS_PER_SET = 4;

export class TextFilterMaker {
  readonly #bits = new Uint32Array(2 ** (POWER_MAX - 5));

  add(text: string): void {
    const bits = this.#bits;
    eachTriple(text, (hash) => {
      const at = hash & (2 ** POWER_MAX - 1);
      bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
    });
  }

  /** What was added so far. */
  finish(): TextFilter {
    let bits = this.#bits;
    let power = POWER_MAX;
    const wanted = countSet(bits) * BITS_PER_SET;
    // The bit of a hash in half the size is the bit of its remainder: the halves are laid upon one another.
    while (power > POWER_MIN && 2 ** (power - 1) >= wanted) {
      bits = halved(bits);
      power -= 1;
    }
    return { power, bits: base64Of(bits) };
  }
}

/** False only when the text that the filter was made of has not got it. */
export function mayHave({ power, bits }: TextFilter, text: string): boolean {
  const binary = atob(bits);
  let isPossible = true;
  eachTriple(text, (hash) => {
    const at = hash & (2 ** power - 1);
    if ((binary.charCodeAt(at >> 3) & (1 << (at & 7))) === 0) isPossible = false;
  });
  return isPossible;
}

function eachTriple(text: string, give: (hash: number) => void): void {
  const fold = foldTable();
  let a = 0;
  let b = 0;
  for (let at = 0; at < text.length; at += 1) {
    const c = fold[text.charCodeAt(at)] ?? 0;
    if (at >= 2) give(hashOf(a, b, c));
    a = b;
    b = c;
  }
}

function hashOf(a: number, b: number, c: number): number {
  const mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  return (Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 7) ^ (mixed >>> 20);
}

let folded: Uint16Array | undefined;

/** By UTF-16 unit. Second halves of pairs are all alike: small letters and capitals beyond the first plane differ in them. */
function foldTable(): Uint16Array {
  if (folded) return folded;
  folded = new Uint16Array(0x10000).map((_, unit) => foldUnit(unit));
  return folded;
}

function foldUnit(unit: number): number {
  if (unit >= 0xdc00 && unit <= 0xdfff) return 0xdc00;
  const letter = String.fromCharCode(unit);
  const capital = letter.toUpperCase();
  const small = (capital.length === 1 ? capital : letter).toLowerCase();
  return small.length === 1 ? small.charCodeAt(0) : unit;
}

type Words = Uint32Array<ArrayBuffer>;

function halved(bits: Words): Words {
  const half = bits.slice(0, bits.length / 2);
  for (let at = 0; at < half.length; at += 1) half[at] = (half[at] ?? 0) | (bits[half.length + at] ?? 0);
  return half;
}

function countSet(bits: Words): number {
  let count = 0;
  for (let at = 0; at < bits.length; at += 1)
    for (let word = bits[at] ?? 0; word !== 0; word &= word - 1) count += 1;
  return count;
}

function base64Of(words: Words): string {
  let binary = '';
  for (const word of words)
    binary += String.fromCharCode(word & 255, (word >>> 8) & 255, (word >>> 16) & 255, word >>> 24);
  return btoa(binary);
}
