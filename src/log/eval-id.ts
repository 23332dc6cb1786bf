import { base57, jsonText } from '../base/index.ts';

/** Logs of before 2025 have no eval id; Inspect derives one, so that it is the same in every tool. */
export function deriveEvalId(spec: {
  readonly run_id: string;
  readonly task_id: string;
  readonly created: string;
}): string {
  // What a foreign file holds there may be anything.
  const texts = [spec.run_id, spec.task_id, spec.created].map(jsonText);
  const bytes = Buffer.from(texts.join(''), 'utf8');
  return base57(BigInt(`0x${blake2s128(bytes).toString('hex')}`));
}

const IV = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const;
/** Which word of the message each mixing step takes, by round (RFC 7693). */
const SIGMA = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
].map((row) => [...row].map((digit) => Number.parseInt(digit, 16)));
const OUTPUT_BYTES = 16;
const BLOCK_BYTES = 64;

/** BLAKE2s with a digest of 16 bytes; Node's crypto offers only the one of 32, which is not the same cut short. */
function blake2s128(input: Buffer): Buffer {
  const h = Uint32Array.from(IV);
  h[0] = (h[0] as number) ^ 0x01010000 ^ OUTPUT_BYTES;
  const blocks = Math.max(1, Math.ceil(input.length / BLOCK_BYTES));
  for (let index = 0; index < blocks; index++) {
    const block = Buffer.alloc(BLOCK_BYTES);
    input.copy(block, 0, index * BLOCK_BYTES);
    const isLast = index === blocks - 1;
    mixBlock(h, block, { countBytes: isLast ? input.length : (index + 1) * BLOCK_BYTES, isLast });
  }
  const output = Buffer.alloc(OUTPUT_BYTES);
  for (let word = 0; word < OUTPUT_BYTES / 4; word++) output.writeUInt32LE(h[word] as number, word * 4);
  return output;
}

function mixBlock(
  h: Uint32Array,
  block: Buffer,
  end: { readonly countBytes: number; readonly isLast: boolean },
): void {
  const v = Uint32Array.from([...h, ...IV]);
  v[12] = (v[12] as number) ^ end.countBytes;
  if (end.isLast) v[14] = ~(v[14] as number);
  const word = (index: number) => block.readUInt32LE(index * 4);
  for (const row of SIGMA) {
    const mix = (step: number, lanes: readonly [number, number, number, number]) =>
      mixLanes(v, lanes, [word(row[2 * step] as number), word(row[2 * step + 1] as number)]);
    for (let column = 0; column < 4; column++) mix(column, [column, column + 4, column + 8, column + 12]);
    for (let column = 0; column < 4; column++) {
      mix(column + 4, [column, 4 + ((column + 1) % 4), 8 + ((column + 2) % 4), 12 + ((column + 3) % 4)]);
    }
  }
  for (let index = 0; index < 8; index++) {
    h[index] = (h[index] as number) ^ (v[index] as number) ^ (v[index + 8] as number);
  }
}

function mixLanes(
  v: Uint32Array,
  lanes: readonly [number, number, number, number],
  words: readonly [number, number],
): void {
  const [a, b, c, d] = lanes;
  const at = (lane: number) => v[lane] as number;
  v[a] = at(a) + at(b) + words[0];
  v[d] = rotateRight(at(d) ^ at(a), 16);
  v[c] = at(c) + at(d);
  v[b] = rotateRight(at(b) ^ at(c), 12);
  v[a] = at(a) + at(b) + words[1];
  v[d] = rotateRight(at(d) ^ at(a), 8);
  v[c] = at(c) + at(d);
  v[b] = rotateRight(at(b) ^ at(c), 7);
}

function rotateRight(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}
