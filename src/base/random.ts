import { randomBytes } from 'node:crypto';

/** Chance is a port too. `next` is uniform in [0, 1). */
export interface Random {
  next(): number;
  bytes(count: number): Uint8Array;
}

/** Asking the system costs far more than a few bytes are worth, so they are fetched by the page. */
const POOL_BYTES = 8_192;
let pool: Uint8Array = new Uint8Array(0);
let used = 0;

export const systemRandom: Random = {
  next: () => randomBytes(4).readUInt32LE() / 2 ** 32,
  bytes(count) {
    if (count > POOL_BYTES) return randomBytes(count);
    if (used + count > pool.length) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  },
};

/** The same seed gives the same sequence on every machine (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)) };
}

/** A new array in an order that depends only on the seed (Fisher–Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const pick = Math.floor(random.next() * (last + 1));
    [result[last], result[pick]] = [result[pick] as T, result[last] as T];
  }
  return result;
}
