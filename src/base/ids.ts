import { type Random, systemRandom } from './random.ts';

/** Inspect's shortuuid alphabet: 57 characters, none of which look alike. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const SHORT_ID_LENGTH = 22;

/** 22 characters, 128 random bits: how Inspect names tasks, samples and events. */
export function shortId(random: Random = systemRandom): string {
  let value = 0n;
  for (const byte of random.bytes(16)) value = (value << 8n) | BigInt(byte);
  return base57(value);
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
export function newRunId(nowMs: number, random: Random = systemRandom): RunId {
  const time = new Date(nowMs).toISOString().replace(/[-:.Z]/g, '');
  return `${time}-${shortId(random).slice(0, 10)}` as RunId;
}
