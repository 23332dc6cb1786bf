import { isUtf8 } from 'node:buffer';

/**
 * Text of a buffer as it was stored. Columns are read as bytes, because some releases of Node cut a text at its first
 * NUL. What is not UTF-8 keeps all that can be read of it: a half of a surrogate pair stays one, which JSON can write.
 */
export function decodeText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (!(value instanceof Uint8Array)) return String(value);
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  return isUtf8(bytes) ? bytes.toString('utf8') : decodeSurrogates(bytes);
}

/** The same for JSON: there a half of a surrogate pair is written as its escape, so that it survives being copied. */
export function decodeJsonText(value: unknown): string | undefined {
  const text = decodeText(value);
  return text === undefined || text.isWellFormed() ? text : escapeSurrogates(text);
}

export function escapeSurrogates(text: string): string {
  return text.replace(LONE_SURROGATE, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

/** Bytes that `decodeText` gives back as they were, also where UTF-8 has no way to say it. */
export function encodeText(text: string): string | Uint8Array {
  if (text.isWellFormed()) return text;
  const parts = text.split(/(\p{Surrogate})/u).map((part) => {
    const isHalf = part.length === 1 && !part.isWellFormed();
    return isHalf ? surrogateBytes(part.charCodeAt(0)) : Buffer.from(part, 'utf8');
  });
  return Buffer.concat(parts);
}

const LONE_SURROGATE = /\p{Surrogate}/gu;

function surrogateBytes(unit: number): Uint8Array {
  return Uint8Array.of(0xed, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
}

/** Three bytes that would be a surrogate, if UTF-8 allowed it. */
const SURROGATE_BYTES = /\xed[\xa0-\xbf][\x80-\xbf]/g;

function decodeSurrogates(bytes: Buffer): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { index } of bytes.toString('latin1').matchAll(SURROGATE_BYTES)) {
    const [, second = 0, third = 0] = bytes.subarray(index, index + 3);
    pieces.push(bytes.toString('utf8', from, index));
    pieces.push(String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f)));
    from = index + 3;
  }
  return [...pieces, bytes.toString('utf8', from)].join('');
}
