import { textPattern, variantsOf } from '../../views/index.ts';

/** A text that is looked for, without regard to case. */
export interface Needle {
  /** As it was asked for, in small letters. */
  readonly folded: string;
  /** Finds it in texts. */
  readonly inText: RegExp;
  /**
   * Finds it in the bytes of JSON, whichever way they are written: UTF-8 or escapes. It may find more, such as a name of a key or the end of
   * an escape, but never less. It looks at bytes as if they were Latin-1, which costs nothing to make a text of.
   */
  readonly inBytes: RegExp;
  /** The longest that it can be in bytes. */
  readonly sizeBytesMax: number;
}

export function needleOf(text: string): Needle {
  const letters = Array.from(text, (letter) => variantsOf(letter));
  const written = letters.map((variants) => [...new Set(variants.flatMap(writtenAs))]);
  return {
    folded: text.toLowerCase(),
    inText: textPattern(text),
    inBytes: new RegExp(written.map(bytePattern).join(''), 'g'),
    sizeBytesMax: written.reduce((sum, ways) => sum + Math.max(...ways.map((way) => way.length)), 0),
  };
}

/** Bytes as if they were Latin-1. */
export function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

export function isInText(needle: Needle, text: string): boolean {
  needle.inText.lastIndex = 0;
  return needle.inText.test(text);
}

export function isInBytes(needle: Needle, latin1: string): boolean {
  needle.inBytes.lastIndex = 0;
  return needle.inBytes.test(latin1);
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
/** Some writers escape what means something in HTML. */
const OFTEN_ESCAPED = new Set(['<', '>', '&', "'", '"', '\\', '+', '`']);

/** All ways in which JSON may write a letter, as Latin-1; hexadecimal digits in small letters. */
function writtenAs(letter: string): readonly string[] {
  const code = letter.codePointAt(0) ?? 0;
  const ways: string[] = [];
  const isPlain = code >= 0x20 && letter !== '"' && letter !== '\\' && letter.isWellFormed();
  if (isPlain) ways.push(Buffer.from(letter, 'utf8').toString('latin1'));
  const short = SHORT[letter];
  if (short !== undefined) ways.push(short);
  if (code < 0x20 || code >= 0x7f || OFTEN_ESCAPED.has(letter)) ways.push(unitEscapes(letter));
  return ways;
}

function unitEscapes(letter: string): string {
  return Array.from(
    { length: letter.length },
    (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** One byte each: a class, which is what engines search fastest for. */
function bytePattern(ways: readonly string[]): string {
  if (ways.every((way) => way.length === 1)) return `[${ways.map(byteEscape).join('')}]`;
  return `(?:${ways.map(wayPattern).join('|')})`;
}

function wayPattern(way: string): string {
  const isEscape = /^\\u/.test(way);
  return Array.from(way, (byte, at) =>
    isEscape && /[a-f]/.test(byte) && at % 6 > 1 ? `[${byte}${byte.toUpperCase()}]` : byteEscape(byte),
  ).join('');
}

function byteEscape(byte: string): string {
  return `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
