import { escapeLoneSurrogates } from '../base/index.ts';

/**
 * The name of an attachment: MurmurHash3 x64, 128 bits, seed 0, over the UTF-8 bytes, as 32 hex digits [LOG-10].
 *
 * It is a name inside one sample and no proof of anything; integrity is the business of CRCs and digests.
 */
export function attachmentHash(text: string): string {
  const bytes = Buffer.from(escapeLoneSurrogates(text), 'utf8');
  const state = new Murmur();
  const blocksEnd = bytes.length & ~15;
  for (let at = 0; at < blocksEnd; at += 16) {
    state.mixBlock(
      bytes.readInt32LE(at),
      bytes.readInt32LE(at + 4),
      bytes.readInt32LE(at + 8),
      bytes.readInt32LE(at + 12),
    );
  }
  if (blocksEnd < bytes.length) {
    const tail = Buffer.alloc(16);
    bytes.copy(tail, 0, blocksEnd);
    const hasSecondHalf = bytes.length - blocksEnd > 8;
    if (hasSecondHalf) state.mixTail2(tail.readInt32LE(8), tail.readInt32LE(12));
    state.mixTail1(tail.readInt32LE(0), tail.readInt32LE(4));
  }
  return state.finish(bytes.length);
}

const C1_HIGH = 0x87c37b91;
const C1_LOW = 0x114253d5;
const C2_HIGH = 0x4cf5ad43;
const C2_LOW = 0x2745937f;

/**
 * 64-bit arithmetic on pairs of 32-bit halves, because BigInt is a hundred times slower. `high` and `low` hold the
 * result of the last operation, so that nothing is allocated in the loop.
 */
class Murmur {
  #h1High = 0;
  #h1Low = 0;
  #h2High = 0;
  #h2Low = 0;
  #high = 0;
  #low = 0;

  mixBlock(k1Low: number, k1High: number, k2Low: number, k2High: number): void {
    this.mixTail1(k1Low, k1High);
    this.#load(this.#h1High, this.#h1Low);
    this.#rotate(27);
    this.#add(this.#h2High, this.#h2Low);
    this.#timesFiveAnd(0x52dce729);
    this.#h1High = this.#high;
    this.#h1Low = this.#low;

    this.mixTail2(k2Low, k2High);
    this.#load(this.#h2High, this.#h2Low);
    this.#rotate(31);
    this.#add(this.#h1High, this.#h1Low);
    this.#timesFiveAnd(0x38495ab5);
    this.#h2High = this.#high;
    this.#h2Low = this.#low;
  }

  mixTail1(low: number, high: number): void {
    this.#load(high, low);
    this.#multiply(C1_HIGH, C1_LOW);
    this.#rotate(31);
    this.#multiply(C2_HIGH, C2_LOW);
    this.#h1High ^= this.#high;
    this.#h1Low ^= this.#low;
  }

  mixTail2(low: number, high: number): void {
    this.#load(high, low);
    this.#multiply(C2_HIGH, C2_LOW);
    this.#rotate(33);
    this.#multiply(C1_HIGH, C1_LOW);
    this.#h2High ^= this.#high;
    this.#h2Low ^= this.#low;
  }

  finish(lengthBytes: number): string {
    // Texts are far below 2^32 bytes, so the upper half of the length is zero.
    this.#h1Low ^= lengthBytes;
    this.#h2Low ^= lengthBytes;
    this.#addEachOther();
    this.#load(this.#h1High, this.#h1Low);
    this.#avalanche();
    this.#h1High = this.#high;
    this.#h1Low = this.#low;
    this.#load(this.#h2High, this.#h2Low);
    this.#avalanche();
    this.#h2High = this.#high;
    this.#h2Low = this.#low;
    this.#addEachOther();
    return hex(this.#h1High) + hex(this.#h1Low) + hex(this.#h2High) + hex(this.#h2Low);
  }

  #addEachOther(): void {
    this.#load(this.#h1High, this.#h1Low);
    this.#add(this.#h2High, this.#h2Low);
    this.#h1High = this.#high;
    this.#h1Low = this.#low;
    this.#load(this.#h2High, this.#h2Low);
    this.#add(this.#h1High, this.#h1Low);
    this.#h2High = this.#high;
    this.#h2Low = this.#low;
  }

  #avalanche(): void {
    this.#xorShift33();
    this.#multiply(0xff51afd7, 0xed558ccd);
    this.#xorShift33();
    this.#multiply(0xc4ceb9fe, 0x1a85ec53);
    this.#xorShift33();
  }

  #load(high: number, low: number): void {
    this.#high = high | 0;
    this.#low = low | 0;
  }

  #add(high: number, low: number): void {
    const sum = (this.#low >>> 0) + (low >>> 0);
    this.#high = (this.#high + high + (sum > 0xffffffff ? 1 : 0)) | 0;
    this.#low = sum | 0;
  }

  /** The low 64 bits of a product; the high half of low × low is summed from 16-bit parts. */
  #multiply(high: number, low: number): void {
    const a0 = this.#low & 0xffff;
    const a1 = this.#low >>> 16;
    const b0 = low & 0xffff;
    const b1 = low >>> 16;
    const middle = Math.imul(a1, b0) >>> 0;
    const carry = middle + (Math.imul(a0, b0) >>> 16);
    const upper = (carry & 0xffff) + (Math.imul(a0, b1) >>> 0);
    const lowTimesLowHigh =
      (Math.imul(a1, b1) + Math.floor(carry / 0x10000) + Math.floor(upper / 0x10000)) | 0;
    this.#high = (lowTimesLowHigh + Math.imul(this.#high, low) + Math.imul(this.#low, high)) | 0;
    this.#low = Math.imul(this.#low, low);
  }

  #rotate(bits: number): void {
    const high = this.#high;
    const low = this.#low;
    if (bits < 32) {
      this.#high = (high << bits) | (low >>> (32 - bits));
      this.#low = (low << bits) | (high >>> (32 - bits));
    } else {
      this.#high = (low << (bits - 32)) | (high >>> (64 - bits));
      this.#low = (high << (bits - 32)) | (low >>> (64 - bits));
    }
  }

  #timesFiveAnd(constant: number): void {
    const low = (this.#low >>> 0) * 5;
    this.#high = (Math.imul(this.#high, 5) + Math.floor(low / 0x100000000)) | 0;
    this.#low = low | 0;
    this.#add(0, constant);
  }

  #xorShift33(): void {
    this.#low ^= this.#high >>> 1;
  }
}

function hex(half: number): string {
  return (half >>> 0).toString(16).padStart(8, '0');
}
