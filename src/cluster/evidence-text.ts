import { isUtf8 } from 'node:buffer';

export type Redact = (text: string) => string;

/** A line that is longer is not waited for. */
const LINE_BYTES_MAX = 256 * 2 ** 10;
/** Where a text is cut within a line, so much of its end is kept back: it may be the beginning of what must not be kept. */
const HELD_BACK_BYTES = 4 * 2 ** 10;
const CUTS_MAX = 8;

/** How much of a text that is still being written may be kept now, and how it is kept [EVI-5]. */
export function keepText(
  bytes: Uint8Array,
  { isWhole, redact }: { readonly isWhole: boolean; readonly redact: Redact },
): { readonly length: number; readonly kept: Uint8Array } {
  const length = isWhole ? bytes.length : cutOf(bytes, redact);
  return { length, kept: redactedText(bytes.subarray(0, length), redact) };
}

/** Undefined when there is something in it that must not be kept, and it is no text that could do without. */
export function keepFile(bytes: Uint8Array, redact: Redact): Uint8Array | undefined {
  if (isUtf8(bytes)) return redactedText(bytes, redact);
  const text = Buffer.from(bytes).toString('latin1');
  return redact(text) === text ? bytes : undefined;
}

/** What goes on is cut after a line, where nothing that must not be kept goes over the cut. */
function cutOf(bytes: Uint8Array, redact: Redact): number {
  const isLong = bytes.length > LINE_BYTES_MAX;
  let cut = bytes.lastIndexOf(10) + 1;
  if (cut === 0 && isLong) cut = bytes.length - HELD_BACK_BYTES;
  for (let tries = 0; tries < CUTS_MAX && cut > 0 && isAcross(bytes, cut, redact); tries++) {
    const before = bytes.subarray(0, cut - 1).lastIndexOf(10) + 1;
    cut = before > 0 || !isLong ? before : cut - HELD_BACK_BYTES;
  }
  // Not through a character.
  for (let back = 0; back < 3 && cut > 0 && ((bytes[cut] ?? 0) & 0xc0) === 0x80; back++) cut--;
  return Math.max(0, cut);
}

function isAcross(bytes: Uint8Array, cut: number, redact: Redact): boolean {
  if (cut === bytes.length) return false;
  const text = (part: Uint8Array) => redact(Buffer.from(part).toString(encodingOf(bytes)));
  return text(bytes) !== text(bytes.subarray(0, cut)) + text(bytes.subarray(cut));
}

/** Line by line, since a line may be JSON in which things are escaped; and all at once, since a match may go over several. */
function redactedText(bytes: Uint8Array, redact: Redact): Uint8Array {
  const encoding = encodingOf(bytes);
  const text = Buffer.from(bytes).toString(encoding);
  return Buffer.from(redact(text.split('\n').map(redact).join('\n')), encoding);
}

/** What is no UTF-8 comes out as it went in. */
function encodingOf(bytes: Uint8Array): 'utf8' | 'latin1' {
  return isUtf8(bytes) ? 'utf8' : 'latin1';
}
