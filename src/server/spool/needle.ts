import { isJsonArray, isJsonObject, type Json } from '../../base/index.ts';

export interface Found {
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

const BEFORE_UNITS = 60;
const AFTER_UNITS = 120;

/** Values that say what an event is, when and where: whoever looks for a word does not mean them. */
const NOT_SAID: ReadonlySet<string> = new Set([
  'event',
  'timestamp',
  'completed',
  'span_id',
  'parent_id',
  'agent_span_id',
  'type',
  'role',
  'source',
]);

/** A text that is looked for: as it is written, but for capital letters. */
export class Needle {
  readonly #plain: RegExp;
  readonly #inJson: RegExp;

  constructor(text: string) {
    this.#plain = new RegExp(Array.from(text, escaped).join(''), 'iu');
    // Without `u` it is much faster, and for plain letters the same.
    const isAscii = Array.from(text).every((letter) => (letter.codePointAt(0) ?? 0) < 0x80);
    this.#inJson = new RegExp(Array.from(text, inJson).join(''), isAscii ? 'i' : 'iu');
  }

  /** Where it may be in JSON: in a text of it, however that is escaped, or in a name. */
  indexInJson(json: string): number {
    return json.search(this.#inJson);
  }

  /** The first text of a value that holds it. */
  findIn(value: Json | undefined): Found | undefined {
    if (typeof value === 'string') return this.findInText(value);
    if (typeof value === 'number' || typeof value === 'bigint') return this.findInText(String(value));
    if (isJsonArray(value)) {
      for (const item of value) {
        const found = this.findIn(item);
        if (found) return found;
      }
    } else if (isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        const found = NOT_SAID.has(key) && typeof item === 'string' ? undefined : this.findIn(item);
        if (found) return found;
      }
    }
    return undefined;
  }

  findInText(text: string): Found | undefined {
    const match = this.#plain.exec(text);
    if (!match) return undefined;
    const end = match.index + match[0].length;
    return {
      before: text.slice(Math.max(0, match.index - BEFORE_UNITS), match.index).toWellFormed(),
      hit: match[0],
      after: text.slice(end, end + AFTER_UNITS).toWellFormed(),
    };
  }
}

function escaped(letter: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(letter) ? `\\${letter}` : letter;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
};

/** All ways to write a letter in a JSON string that anybody uses. */
function inJson(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  if (letter === '"' || letter === '\\') return `\\\\${escaped(letter)}`;
  if (letter === '/') return '\\\\?\\/';
  if (code >= 0x20 && code < 0x7f) return escaped(letter);
  const short = SHORT_ESCAPES[letter];
  const variants = new Set([letter, letter.toLowerCase(), letter.toUpperCase()]);
  const long = Array.from(variants, (one) => one.split('').map(unitEscape).join(''));
  return `(?:${[...(code < 0x20 ? [] : [escaped(letter)]), ...(short ? [`\\\\${short}`] : []), ...long].join('|')})`;
}

function unitEscape(unit: string): string {
  return `\\\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
