import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/index.ts';
import type { Bucket } from '../../src/bucket/index.ts';

export interface BucketUnderTest extends AsyncDisposable {
  /** Empty. */
  readonly bucket: Bucket;
  /** Writes a file where `createFromFile` can read it, and gives its path. */
  readonly writeLocal: (bytes: Uint8Array) => Promise<string>;
}

/** What every Bucket must do. */
export function bucketContract(name: string, make: () => Promise<BucketUnderTest>): void {
  const withBucket = (run: (bucket: Bucket, made: BucketUnderTest) => Promise<void>) => async () => {
    await using made = await make();
    await run(made.bucket, made);
  };

  describe(`${name} keeps the contract of a bucket`, () => {
    test(
      '[BUCKET-1] create makes an object once, and never changes it',
      withBucket(async (bucket) => {
        expect(await bucket.create('a/b', text('one'))).toBe(true);
        expect(await bucket.create('a/b', text('two'))).toBe(false);
        expect(await readText(bucket, 'a/b')).toBe('one');
      }),
    );

    test(
      '[BUCKET-1] of many writers of one key exactly one gets true, and its bytes are there',
      withBucket(async (bucket) => {
        const words = Array.from({ length: 12 }, (_, index) => `writer ${index}`);
        const results = await Promise.all(words.map((word) => bucket.create('k', text(word))));
        const winners = words.filter((_, index) => results[index]);
        expect(winners).toHaveLength(1);
        expect(await readText(bucket, 'k')).toBe(winners[0]);
        expect(await keysOf(bucket, '')).toEqual(['k']);
      }),
    );

    test(
      '[BUCKET-1] an object may be empty, which is not missing',
      withBucket(async (bucket) => {
        expect(await bucket.create('empty', new Uint8Array())).toBe(true);
        expect(await bucket.create('empty', text('x'))).toBe(false);
        expect(await bucket.read('empty')).toEqual(new Uint8Array());
        expect(await bucket.stat('empty')).toMatchObject({ sizeBytes: 0 });
      }),
    );

    test(
      '[BUCKET-1] createFromFile takes a whole file, once',
      withBucket(async (bucket, { writeLocal }) => {
        const large = Uint8Array.from({ length: 3 * 1024 * 1024 + 17 }, (_, index) => (index * 31) % 251);
        const path = await writeLocal(large);
        expect(await bucket.createFromFile('logs/a', path)).toBe(true);
        const found = await bucket.read('logs/a');
        expect(found && digestOf(found)).toBe(digestOf(large));
        expect(await bucket.createFromFile('logs/a', await writeLocal(text('other')))).toBe(false);
        expect(await bucket.stat('logs/a')).toMatchObject({ sizeBytes: large.length });
        expect(await keysOf(bucket, '')).toEqual(['logs/a']);
      }),
    );

    test(
      '[BUCKET-1] createFromFile of a missing file throws and makes nothing',
      withBucket(async (bucket, { writeLocal }) => {
        const missing = `${await writeLocal(text('x'))}-missing`;
        await expect(bucket.createFromFile('a', missing)).rejects.toMatchObject({ code: 'ENOENT' });
        expect(await keysOf(bucket, '')).toEqual([]);
      }),
    );

    test.each([
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      '../x',
      'a/../b',
      'a/./b',
      'a/..',
      'a\\b',
      'a\0b',
      'a\nb',
      'a\ud800b',
      'x'.repeat(256),
      'é'.repeat(128),
      `${'a/'.repeat(600)}b`,
      `a/.holdfast-${'A'.repeat(22)}.tmp`,
    ])('[BUCKET-2] the key %j is refused by every verb', async (key) => {
      await using made = await make();
      const { bucket } = made;
      const local = await made.writeLocal(text('x'));
      const refused = { code: 'E_BUCKET_KEY' };
      await expect(bucket.create(key, text('x'))).rejects.toMatchObject(refused);
      await expect(bucket.put(key, text('x'))).rejects.toMatchObject(refused);
      await expect(bucket.createFromFile(key, local)).rejects.toMatchObject(refused);
      await expect(bucket.read(key)).rejects.toMatchObject(refused);
      await expect(bucket.readRange(key, 0, 1)).rejects.toMatchObject(refused);
      await expect(bucket.stat(key)).rejects.toMatchObject(refused);
      await expect(bucket.remove(key)).rejects.toMatchObject(refused);
      expect(await keysOf(bucket, '')).toEqual([]);
    });

    test.each(['a', 'a/b/c', '...', '.hidden', 'a b', 'ä/日本', 'a+b=c,d@e~f%2f', "it's", 'x'.repeat(255)])(
      '[BUCKET-2] the key %j is kept as it is',
      async (key) => {
        await using made = await make();
        expect(await made.bucket.create(key, text(key))).toBe(true);
        expect(await readText(made.bucket, key)).toBe(key);
        expect(await keysOf(made.bucket, '')).toEqual([key]);
      },
    );

    test(
      '[BUCKET-3] a missing object is undefined, also where a folder is or below another object',
      withBucket(async (bucket) => {
        await bucket.create('a/b', text('x'));
        for (const key of ['none', 'none/below', 'a', 'a/b/c']) {
          expect(await bucket.read(key)).toBeUndefined();
          expect(await bucket.readRange(key, 0, 1)).toBeUndefined();
          expect(await bucket.stat(key)).toBeUndefined();
          await bucket.remove(key);
        }
        expect(await keysOf(bucket, '')).toEqual(['a/b']);
      }),
    );

    test(
      '[BUCKET-3] a removed object is missing, and can be created again',
      withBucket(async (bucket) => {
        await bucket.create('a/b', text('one'));
        await bucket.remove('a/b');
        expect(await bucket.read('a/b')).toBeUndefined();
        expect(await keysOf(bucket, '')).toEqual([]);
        expect(await bucket.create('a/b', text('two'))).toBe(true);
      }),
    );

    test(
      '[BUCKET-3] a range gives the bytes that there are',
      withBucket(async (bucket) => {
        await bucket.create('a', text('0123456789'));
        const range = async (start: number, length: number) =>
          decode(await bucket.readRange('a', start, length));
        expect(await range(0, 3)).toBe('012');
        expect(await range(7, 100)).toBe('789');
        expect(await range(4, 0)).toBe('');
        expect(await range(10, 5)).toBe('');
        expect(await range(1_000, 5)).toBe('');
      }),
    );

    test(
      '[BUCKET-4] list gives every key below a folder, in code-unit order',
      withBucket(async (bucket) => {
        const keys = [
          'a',
          'a-b',
          'a.b',
          'a0',
          'b/c/d',
          'b/c-d',
          'b/c0',
          'b.c/d',
          'b0/x',
          'B',
          'é',
          'z/1/2/3/4',
        ];
        for (const key of keys) await bucket.create(key, text(key));
        expect(await keysOf(bucket, '')).toEqual([...keys].sort());
        expect(await keysOf(bucket, 'b')).toEqual(['b/c-d', 'b/c/d', 'b/c0']);
        expect(await keysOf(bucket, 'b/')).toEqual(['b/c-d', 'b/c/d', 'b/c0']);
        expect(await keysOf(bucket, 'b/c')).toEqual(['b/c/d']);
        expect(await keysOf(bucket, 'a')).toEqual([]);
        expect(await keysOf(bucket, 'none')).toEqual([]);
        for await (const { key, sizeBytes } of bucket.list('')) expect(sizeBytes).toBe(text(key).length);
      }),
    );

    test.each(['..', '../x', '/', 'a//', 'a\0'])('[BUCKET-4] the prefix %j is refused', async (prefix) => {
      await using made = await make();
      await expect(keysOf(made.bucket, prefix)).rejects.toMatchObject({ code: 'E_BUCKET_KEY' });
    });

    test(
      '[BUCKET-4] a listing goes on while others write and remove',
      withBucket(async (bucket) => {
        const kept = Array.from({ length: 20 }, (_, index) => `k/${String(index).padStart(2, '0')}/x`);
        for (const key of kept) await bucket.create(key, text(key));
        await bucket.create('k/19/gone', text('x'));
        const seen: string[] = [];
        for await (const { key } of bucket.list('k')) {
          seen.push(key);
          await bucket.create(`k/00/new-${seen.length}`, text('x'));
          if (seen.length === 3) await bucket.remove('k/19/gone');
          expect(seen.length).toBeLessThan(100);
        }
        expect(seen.filter((key) => key.endsWith('/x'))).toEqual(kept);
        expect(seen).toEqual([...seen].sort());
      }),
    );

    test(
      '[BUCKET-5] put replaces whole: readers see the old bytes or the new ones',
      withBucket(async (bucket) => {
        await bucket.put('lease', text('turn 0'));
        const seen: Promise<string>[] = [];
        for (let turn = 1; turn <= 20; turn++) {
          seen.push(bucket.read('lease').then(decode));
          await bucket.put('lease', text(`turn ${turn}`));
        }
        for (const value of await Promise.all(seen)) expect(value).toMatch(/^turn \d+$/);
        expect(await readText(bucket, 'lease')).toBe('turn 20');
        expect(await keysOf(bucket, '')).toEqual(['lease']);
      }),
    );

    test(
      '[BUCKET-5] stat tells size and time',
      withBucket(async (bucket) => {
        await bucket.put('a', text('12345'));
        expect(await bucket.stat('a')).toEqual({ sizeBytes: 5, modifiedMs: expect.any(Number) });
      }),
    );
  });
}

async function keysOf(bucket: Bucket, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list(prefix)) keys.push(key);
  return keys;
}

async function readText(bucket: Bucket, key: string): Promise<string> {
  return decode(await bucket.read(key));
}

function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

function decode(content: Uint8Array | undefined): string {
  return content ? new TextDecoder().decode(content) : 'missing';
}
