import { escapeLoneSurrogates } from '../base/index.ts';

/**
 * The name of an attachment: MurmurHash3 x64, 128 bits, seed 0, over the UTF-8 bytes, as 32 hex digits [LOG-10].
 *
 * It is a name inside one sample and no proof of anything; integrity is the business of CRCs and digests.
 */
export function attachmentHash(text: string): string {
  const bytes = Buffer.from(escapeLoneSurrogates(text), 'utf8');
  const state = mixBlocks(bytes);
  const tailStart = bytes.length & ~15;
  if (tailStart < bytes.length) mixTail(state, bytes.subarray(tailStart));
  return finish(state, bytes.length);
}

/**
 * 64-bit numbers are pairs of 32-bit halves, because BigInt is a hundred times slower: h1 high, h1 low, h2 high, h2
 * low. The multiplications below are by constants, whose halves are written out.
 */
type State = [h1High: number, h1Low: number, h2High: number, h2Low: number];

const C1_HIGH = 0x87c37b91 | 0;
const C1_LOW = 0x114253d5;
const C2_HIGH = 0x4cf5ad43;
const C2_LOW = 0x2745937f;

/** All whole blocks of 16 bytes. One long function on purpose: this is the inner loop of everything we store. */
function mixBlocks(bytes: Buffer): State {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = bytes.length & ~15;
  let h1High = 0;
  let h1Low = 0;
  let h2High = 0;
  let h2Low = 0;
  for (let at = 0; at < end; at += 16) {
    let low = view.getInt32(at, true);
    let high = view.getInt32(at + 4, true);
    // k1 = rotl(k1 * c1, 31) * c2; h1 ^= k1
    high = (highProduct(low, C1_LOW) + Math.imul(high, C1_LOW) + Math.imul(low, C1_HIGH)) | 0;
    low = Math.imul(low, C1_LOW);
    let rotated = (high << 31) | (low >>> 1);
    low = (low << 31) | (high >>> 1);
    high = rotated;
    h1High ^= (highProduct(low, C2_LOW) + Math.imul(high, C2_LOW) + Math.imul(low, C2_HIGH)) | 0;
    h1Low ^= Math.imul(low, C2_LOW);
    // h1 = (rotl(h1, 27) + h2) * 5 + 0x52dce729
    rotated = (h1High << 27) | (h1Low >>> 5);
    h1Low = (h1Low << 27) | (h1High >>> 5);
    let sum = (h1Low >>> 0) + (h2Low >>> 0);
    h1High = (rotated + h2High + (sum > 0xffffffff ? 1 : 0)) | 0;
    sum = (sum >>> 0) * 5 + 0x52dce729;
    h1High = (Math.imul(h1High, 5) + Math.floor(sum / 0x100000000)) | 0;
    h1Low = sum | 0;

    low = view.getInt32(at + 8, true);
    high = view.getInt32(at + 12, true);
    // k2 = rotl(k2 * c2, 33) * c1; h2 ^= k2
    high = (highProduct(low, C2_LOW) + Math.imul(high, C2_LOW) + Math.imul(low, C2_HIGH)) | 0;
    low = Math.imul(low, C2_LOW);
    rotated = (low << 1) | (high >>> 31);
    low = (high << 1) | (low >>> 31);
    high = rotated;
    h2High ^= (highProduct(low, C1_LOW) + Math.imul(high, C1_LOW) + Math.imul(low, C1_HIGH)) | 0;
    h2Low ^= Math.imul(low, C1_LOW);
    // h2 = (rotl(h2, 31) + h1) * 5 + 0x38495ab5
    rotated = (h2High << 31) | (h2Low >>> 1);
    h2Low = (h2Low << 31) | (h2High >>> 1);
    sum = (h2Low >>> 0) + (h1Low >>> 0);
    h2High = (rotated + h1High + (sum > 0xffffffff ? 1 : 0)) | 0;
    sum = (sum >>> 0) * 5 + 0x38495ab5;
    h2High = (Math.imul(h2High, 5) + Math.floor(sum / 0x100000000)) | 0;
    h2Low = sum | 0;
  }
  return [h1High, h1Low, h2High, h2Low];
}

/** The last 1 to 15 bytes, as if zeros followed; a half that is all zeros mixes nothing in. */
function mixTail(state: State, tail: Buffer): void {
  const block = Buffer.alloc(16);
  tail.copy(block);
  const k2 = multiply(block.readInt32LE(12), block.readInt32LE(8), C2_HIGH, C2_LOW);
  const k2Rotated = [(k2[1] << 1) | (k2[0] >>> 31), (k2[0] << 1) | (k2[1] >>> 31)] as const;
  const k2Mixed = multiply(k2Rotated[0], k2Rotated[1], C1_HIGH, C1_LOW);
  state[2] ^= k2Mixed[0];
  state[3] ^= k2Mixed[1];
  const k1 = multiply(block.readInt32LE(4), block.readInt32LE(0), C1_HIGH, C1_LOW);
  const k1Rotated = [(k1[0] << 31) | (k1[1] >>> 1), (k1[1] << 31) | (k1[0] >>> 1)] as const;
  const k1Mixed = multiply(k1Rotated[0], k1Rotated[1], C2_HIGH, C2_LOW);
  state[0] ^= k1Mixed[0];
  state[1] ^= k1Mixed[1];
}

/** Texts are far below 2^32 bytes, so the upper half of the length is zero. */
function finish(state: State, lengthBytes: number): string {
  let h1 = [state[0], state[1] ^ lengthBytes] as const;
  let h2 = [state[2], state[3] ^ lengthBytes] as const;
  h1 = add(h1, h2);
  h2 = add(h2, h1);
  h1 = avalanche(h1);
  h2 = avalanche(h2);
  h1 = add(h1, h2);
  h2 = add(h2, h1);
  return hex(h1[0]) + hex(h1[1]) + hex(h2[0]) + hex(h2[1]);
}

type Pair = readonly [high: number, low: number];

function avalanche(value: Pair): Pair {
  const first = multiply(value[0], value[1] ^ (value[0] >>> 1), 0xff51afd7 | 0, 0xed558ccd | 0);
  const second = multiply(first[0], first[1] ^ (first[0] >>> 1), 0xc4ceb9fe | 0, 0x1a85ec53);
  return [second[0], second[1] ^ (second[0] >>> 1)];
}

function add(a: Pair, b: Pair): Pair {
  const low = (a[1] >>> 0) + (b[1] >>> 0);
  return [(a[0] + b[0] + (low > 0xffffffff ? 1 : 0)) | 0, low | 0];
}

function multiply(aHigh: number, aLow: number, bHigh: number, bLow: number): Pair {
  const high = (highProduct(aLow, bLow) + Math.imul(aHigh, bLow) + Math.imul(aLow, bHigh)) | 0;
  return [high, Math.imul(aLow, bLow)];
}

/** The upper 32 bits of a product of two unsigned 32-bit numbers, from 16-bit parts: no step overflows 32 bits. */
function highProduct(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = (Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16)) | 0;
  const cross = ((middle & 0xffff) + Math.imul(aLow, bHigh)) | 0;
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (cross >>> 16)) | 0;
}

function hex(half: number): string {
  return (half >>> 0).toString(16).padStart(8, '0');
}
