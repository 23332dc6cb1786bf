import { join } from 'node:path';
import { digestOf, UsageError } from '../base/index.ts';

/**
 * Joins words that came from outside (ids, names in a file) below `root`. The result is always strictly below it:
 * empty parts, `.`, `..`, absolute paths, NUL, and on Windows backslashes and colons are refused with E_PATH_OUTSIDE.
 */
export function safeJoin(root: string, ...parts: readonly string[]): string {
  if (parts.length === 0 || !parts.every((part) => isInside(part, process.platform))) {
    throw new UsageError({
      code: 'E_PATH_OUTSIDE',
      message: `${JSON.stringify(parts.join('/'))} is not a path inside ${root}.`,
      hint: 'Use names without "..", without a leading "/" and without special characters.',
    });
  }
  return join(root, ...parts);
}

/** True when `part` goes down, and only down. `a/../b` is refused too: through a symlink it could lead anywhere. */
export function isInside(part: string, platform: NodeJS.Platform): boolean {
  if (part.includes('\0')) return false;
  if (platform === 'win32' && /[\\:]/.test(part)) return false;
  return part.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

const LENGTH_MAX = 120;
const CASE_TAIL_LENGTH = 12;
const CUT_TAIL_LENGTH = 32;
const UNSAFE = /[^A-Za-z0-9_.+=,@-]/gu;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/i;

/**
 * A file name for any text: readable, at most 120 ASCII characters, and different for different texts, also on file
 * systems that ignore case.
 *
 * `a/b` becomes `a%2fb`. A text with capitals gets a tail of its digest (`Ab~0123456789ab`), since another may differ
 * from it in case only; a long one is cut and gets a longer tail. `~` is escaped itself, so a tail is never mistaken.
 */
export function fileNameFor(id: string): string {
  const escaped = escapeId(id);
  const digest = digestOf(toUnits(id));
  if (escaped.length > LENGTH_MAX - 1 - CASE_TAIL_LENGTH) {
    const head = escaped.slice(0, LENGTH_MAX - 1 - CUT_TAIL_LENGTH).replace(/%[0-9a-fu]{0,4}$/, '');
    return `${head}~${digest.slice(0, CUT_TAIL_LENGTH)}`;
  }
  const hasCapitals = escaped !== escaped.toLowerCase();
  // The empty text has no characters to show; a lone `~` is what no other text gives.
  if (hasCapitals || escaped === '')
    return `${escaped}~${hasCapitals ? digest.slice(0, CASE_TAIL_LENGTH) : ''}`;
  return escaped;
}

function escapeId(id: string): string {
  return id
    .replace(UNSAFE, percentEscape)
    .replace(/^\.|\.$/g, '%2e') // Hidden files, `.`, `..`, and the trailing dot that Windows drops.
    .replace(WINDOWS_DEVICE, (name) => `${percentEscape(name.slice(0, 1))}${name.slice(1)}`);
}

/** The UTF-8 bytes as `%xx`; half a surrogate pair has none and becomes `%udxxx`. */
function percentEscape(character: string): string {
  if (!character.isWellFormed()) return `%u${character.charCodeAt(0).toString(16)}`;
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** UTF-16 bytes: unlike UTF-8, they tell lone surrogates apart. */
function toUnits(text: string): Uint8Array {
  return Buffer.from(text, 'utf16le');
}
