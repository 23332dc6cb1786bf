import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PAGE_BYTES, pagedSource } from './paged-source.ts';

const BYTES = Uint8Array.from({ length: 3 * PAGE_BYTES + 1_000 }, (_, index) => (index * 31) % 251);

function counted(bytes: Uint8Array = BYTES) {
  const asked: { position: number; length: number }[] = [];
  const source = pagedSource({
    name: 'x',
    sizeBytes: bytes.length,
    readNow: async (position, length) => {
      asked.push({ position, length });
      return bytes.subarray(position, position + length);
    },
  });
  return { source, asked };
}

describe('pages of something far away', () => {
  test('any read gives the bytes that are there', async () => {
    const place = fc.nat({ max: BYTES.length + 10 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(place, place), { maxLength: 12 }), async (reads) => {
        const { source, asked } = counted();
        const found = await Promise.all(reads.map(([position, length]) => source.read(position, length)));
        for (const [index, [position, length]] of reads.entries())
          expect(
            Buffer.compare(found[index] ?? Buffer.of(), BYTES.subarray(position, position + length)),
          ).toBe(0);
        // Every byte came at most once, and nothing was asked for that is not there.
        const total = asked.reduce((sum, { length }) => sum + length, 0);
        expect(total).toBeLessThanOrEqual(BYTES.length);
        for (const { position, length } of asked) expect(position + length).toBeLessThanOrEqual(BYTES.length);
      }),
      { numRuns: 60 },
    );
  });

  test('what is missing comes in one request, and what is there in none', async () => {
    const { source, asked } = counted();
    await source.read(PAGE_BYTES + 5, 10);
    await source.read(0, BYTES.length);
    await source.read(7, BYTES.length);
    expect(asked).toEqual([
      { position: PAGE_BYTES, length: PAGE_BYTES },
      { position: 0, length: PAGE_BYTES },
      { position: 2 * PAGE_BYTES, length: PAGE_BYTES + 1_000 },
    ]);
  });

  test('no more is kept than eight megabytes', async () => {
    const large = new Uint8Array(40 * PAGE_BYTES);
    const { source, asked } = counted(large);
    for (let page = 0; page < 40; page++) await source.read(page * PAGE_BYTES, 10);
    await source.read(39 * PAGE_BYTES, 10);
    expect(asked).toHaveLength(40);
    await source.read(0, 10);
    expect(asked).toHaveLength(41);
    expect((await source.read(0, large.length)).length).toBe(large.length);
  });

  test('a request that failed is told to all who waited, and is made again by the next', async () => {
    let fails = true;
    const source = pagedSource({
      name: 'x',
      sizeBytes: BYTES.length,
      readNow: async (position, length) => {
        if (fails) throw new Error('away');
        return BYTES.subarray(position, position + length);
      },
    });
    const both = await Promise.allSettled([source.read(0, 10), source.read(5, PAGE_BYTES)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await source.read(0, 10)).toEqual(BYTES.subarray(0, 10));
  });

  test('of an object that became shorter there is what there is', async () => {
    const source = pagedSource({
      name: 'x',
      sizeBytes: BYTES.length,
      readNow: async (position, length) =>
        BYTES.subarray(position, Math.min(position + length, PAGE_BYTES + 7)),
    });
    expect((await source.read(0, BYTES.length)).length).toBe(PAGE_BYTES + 7);
  });
});
