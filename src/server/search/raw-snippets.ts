import { type Snippet, snippetAt } from '../../views/index.ts';
import { latin1Of, type Needle } from './needle.ts';

/** Of one value no more are looked at. */
const SNIPPETS_MAX = 100;
/** Enough for what stands around a hit, however it is escaped. */
const AROUND_BYTES = 1_000;

/** Hits in a long JSON value, found in its bytes: only what stands around them becomes a text. Names of keys are none. */
export function snippetsInBytes(bytes: Uint8Array, needle: Needle): readonly Snippet[] {
  return new LongValue(needle).push(latin1Of(bytes), true);
}

/** A long JSON value that comes in slices, of which no more is held than what may stand around a hit. */
export class LongValue {
  readonly #needle: Needle;
  readonly #keptUnits: number;
  /** What was looked at already, as far as it may be the beginning of something. */
  #before = '';
  /** Where in it the next look begins. */
  #from = 0;
  #left = SNIPPETS_MAX;

  constructor(needle: Needle) {
    this.#needle = needle;
    this.#keptUnits = AROUND_BYTES + needle.sizeBytesMax;
  }

  /** The hits of a slice, and those of the end of the one before it. */
  push(slice: string, isLast: boolean): readonly Snippet[] {
    const latin1 = this.#before + slice;
    // What begins near the end is looked at when it is known how it goes on.
    const to = isLast ? latin1.length : Math.max(this.#from, latin1.length - this.#keptUnits);
    const snippets: Snippet[] = [];
    const { inBytes } = this.#needle;
    inBytes.lastIndex = this.#from;
    for (let found = inBytes.exec(latin1); found && found.index < to; found = inBytes.exec(latin1)) {
      const [at, end] = [found.index, found.index + found[0].length];
      if (isInsideEscape(latin1, at) || isKey(latin1, end)) inBytes.lastIndex = at + 1;
      else if (this.#left-- > 0) snippets.push(snippetIn(latin1, at, end));
      else break;
      this.#from = Math.max(this.#from, inBytes.lastIndex);
    }
    const cut = Math.max(0, to - this.#keptUnits);
    this.#before = latin1.slice(cut);
    this.#from = Math.max(to, this.#from) - cut;
    return snippets;
  }
}

/** The `n` of `\n` and the digits of `\u00e9` are no letters. */
function isInsideEscape(latin1: string, at: number): boolean {
  if (isEscaped(latin1, at)) return true;
  for (let back = 2; back <= 5; back++)
    if (latin1[at - back] === '\\' && latin1[at - back + 1] === 'u' && !isEscaped(latin1, at - back))
      return true;
  return false;
}

/** Whether an odd number of backslashes stands before it. */
function isEscaped(latin1: string, at: number): boolean {
  let count = 0;
  while (latin1[at - 1 - count] === '\\') count++;
  return count % 2 === 1;
}

/** The literal that it is in ends with a colon after it, as far as can be seen. */
function isKey(latin1: string, end: number): boolean {
  const close = closingQuote(latin1, end, end + AROUND_BYTES);
  return close !== undefined && /^\s*:/.test(latin1.slice(close + 1, close + 20));
}

function closingQuote(latin1: string, from: number, to: number): number | undefined {
  for (let at = from; at < Math.min(to, latin1.length); at++) {
    if (latin1[at] === '\\') at++;
    else if (latin1[at] === '"') return at;
  }
  return undefined;
}

function snippetIn(latin1: string, at: number, end: number): Snippet {
  const before = decoded(latin1.slice(openingQuote(latin1, at), at));
  const hit = decoded(latin1.slice(at, end));
  const after = decoded(
    latin1.slice(end, closingQuote(latin1, end, end + AROUND_BYTES) ?? end + AROUND_BYTES),
  );
  return snippetAt(before + hit + after, before.length, hit.length);
}

/** Where the text before a hit begins: after a quote that is none of its own, or as far back as is looked at. */
function openingQuote(latin1: string, at: number): number {
  const least = Math.max(0, at - AROUND_BYTES);
  for (let back = at - 1; back >= least; back--)
    if (latin1[back] === '"' && !isEscaped(latin1, back)) return back + 1;
  return least;
}

/** A part of a literal as a text. What is cut through at its ends goes. */
function decoded(latin1: string): string {
  const utf8 = Buffer.from(latin1, 'latin1').toString('utf8');
  const whole = utf8
    .replace(/^\ufffd+|\ufffd+$/g, '')
    .replace(/(?<!\\)(?:\\\\)*\\(?:u[0-9a-fA-F]{0,3})?$/, '');
  try {
    return JSON.parse(`"${whole}"`) as string;
  } catch {
    return whole; // Cut where an escape looks like another: shown as it is written.
  }
}
