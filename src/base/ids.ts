import type { Random } from './random.ts';

/** Inspect's shortuuid alphabet: 57 characters, none of which look alike. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const SHORT_ID_LENGTH = 22;

/** The largest multiple of 57 below 256: bytes from here on are thrown away, so that every digit is equally likely. */
const FAIR_BELOW = 228;

/** 22 characters, 128 random bits: how Inspect names tasks, samples and events. */
export function shortId(random: Random): string {
  let text = '';
  while (text.length < SHORT_ID_LENGTH) {
    for (const byte of random.bytes(SHORT_ID_LENGTH - text.length)) {
      if (byte < FAIR_BELOW) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

/** The last 22 base-57 digits of a number, left-padded with the zero digit. */
export function base57(value: bigint): string {
  let rest = value;
  let text = '';
  while (rest > 0n) {
    text = ALPHABET[Number(rest % 57n)] + text;
    rest /= 57n;
  }
  return text.padStart(SHORT_ID_LENGTH, ALPHABET[0] as string).slice(-SHORT_ID_LENGTH);
}

export type RunId = string & { readonly __brand: 'RunId' };

/** `20261115T185232123-k3Q…`: sorts by time, unique by its random tail, safe as a file name. */
export function newRunId(nowMs: number, random: Random): RunId {
  const time = new Date(nowMs).toISOString().replace(/[-:.Z]/g, '');
  return `${time}-${shortId(random).slice(0, 10)}` as RunId;
}

export function isRunId(text: string): text is RunId {
  return /^\d{8}T\d{9}-[0-9A-Za-z]{10}$/.test(text);
}
