import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/index.ts';
import type { Bucket } from '../../src/bucket/index.ts';

export interface BucketUnderTest extends AsyncDisposable {
  /** Empty. */
  readonly bucket: Bucket;
  /** Writes a file where `createFromFile` can read it, and gives its path. */
  readonly writeLocal: (bytes: Uint8Array) => Promise<string>;
  /** Reads what `download` wrote. */
  readonly readLocal: (path: string) => Promise<Uint8Array | undefined>;
  /** The same bucket, but every call of it fails so. Not all implementations can be made to. */
  readonly failing?: (how: BucketFailure) => Bucket;
}

/** How a bucket can fail [BUCKET-10]. */
export type BucketFailure = 'away' | 'denied' | 'broken';

/** What every Bucket must do. */
export function bucketContract(
  name: string,
  make: () => Promise<BucketUnderTest>,
  { canFail = false }: { readonly canFail?: boolean } = {},
): void {
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
      'a/.holdfast-bucket.lock',
      '.holdfast-large/x',
    ])('[BUCKET-2] the key %j is refused by every verb', async (key) => {
      await using made = await make();
      const { bucket } = made;
      const local = await made.writeLocal(text('x'));
      const refused = { code: 'E_BUCKET_KEY' };
      await expect(bucket.create(key, text('x'))).rejects.toMatchObject(refused);
      await expect(bucket.replaceIf(key, { bytes: text('x'), etag: 'x' })).rejects.toMatchObject(refused);
      await expect(bucket.readTagged(key)).rejects.toMatchObject(refused);
      await expect(bucket.download(key, `${local}-new`)).rejects.toMatchObject(refused);
      await expect(bucket.removeAll(['fine', key])).rejects.toMatchObject(refused);
      await expect(bucket.createFromFile(key, local)).rejects.toMatchObject(refused);
      await expect(bucket.read(key)).rejects.toMatchObject(refused);
      await expect(bucket.readRange(key, { start: 0, length: 1 })).rejects.toMatchObject(refused);
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
      withBucket(async (bucket, { writeLocal, readLocal }) => {
        const local = await writeLocal(text('x'));
        await bucket.create('a/b', text('x'));
        for (const key of ['none', 'none/below', 'a', 'a/b/c']) {
          expect(await bucket.read(key)).toBeUndefined();
          expect(await bucket.readRange(key, { start: 0, length: 1 })).toBeUndefined();
          expect(await bucket.readTagged(key)).toBeUndefined();
          expect(await bucket.replaceIf(key, { bytes: text('y'), etag: 'none' })).toBeUndefined();
          expect(await bucket.download(key, `${local}-new`)).toBeUndefined();
          expect(await readLocal(`${local}-new`)).toBeUndefined();
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
          decode(await bucket.readRange('a', { start, length }));
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
      '[BUCKET-4] startAfter leaves out that key and all before it, whether or not it is there',
      withBucket(async (bucket) => {
        const keys = ['a!', 'a-b', 'a/b', 'a/c/d', 'a/c/e', 'a0', 'b/x', 'c'];
        for (const key of keys) await bucket.create(key, text(key));
        const all = await keysOf(bucket, '');
        for (const startAfter of [...all, '', 'a/', 'a/c', 'a/c/', 'a/c/dd', 'zzz', '0']) {
          const rest = all.filter((key) => key > startAfter);
          expect(await keysOf(bucket, '', startAfter), startAfter).toEqual(rest);
          const below = rest.filter((key) => key.startsWith('a/'));
          expect(await keysOf(bucket, 'a', startAfter), startAfter).toEqual(below);
        }
      }),
    );

    test(
      '[BUCKET-5] replaceIf replaces what has the etag, and gives the next one',
      withBucket(async (bucket) => {
        await bucket.create('lease', text('turn 0'));
        const first = await bucket.readTagged('lease');
        expect(decode(first?.bytes)).toBe('turn 0');
        let etag = first?.etag ?? 'none';
        for (let turn = 1; turn <= 5; turn++) {
          const next = await bucket.replaceIf('lease', { bytes: text(`turn ${turn}`), etag });
          expect(next).toEqual(expect.any(String));
          expect(next).not.toBe(etag);
          expect(await bucket.replaceIf('lease', { bytes: text('late'), etag })).toBeUndefined();
          expect(await bucket.readTagged('lease')).toEqual({ bytes: text(`turn ${turn}`), etag: next });
          etag = next ?? 'none';
        }
        expect(await keysOf(bucket, '')).toEqual(['lease']);
      }),
    );

    test(
      '[BUCKET-5] of many who replace one object exactly one succeeds, and readers see whole bytes',
      withBucket(async (bucket) => {
        await bucket.create('lease', text('turn 0'));
        const seen: Promise<string>[] = [];
        for (let turn = 1; turn <= 10; turn++) {
          const etag = (await bucket.readTagged('lease'))?.etag ?? 'none';
          seen.push(bucket.read('lease').then(decode));
          const words = ['a', 'b', 'c', 'd'].map((name) => `turn ${turn} of ${name}`);
          const etags = await Promise.all(
            words.map((word) => bucket.replaceIf('lease', { bytes: text(word), etag })),
          );
          const winners = words.filter((_, index) => etags[index] !== undefined);
          expect(winners).toHaveLength(1);
          expect(await bucket.readTagged('lease')).toEqual({
            bytes: text(winners[0] ?? ''),
            etag: etags.find((found) => found !== undefined),
          });
        }
        for (const value of await Promise.all(seen)) expect(value).toMatch(/^turn \d+( of [a-d])?$/);
      }),
    );

    test(
      '[BUCKET-5] what was removed does not come back by replaceIf, also when both happen at once',
      withBucket(async (bucket) => {
        for (let round = 0; round < 10; round++) {
          await bucket.create('lease', text(`round ${round}`));
          const etag = (await bucket.readTagged('lease'))?.etag ?? 'none';
          await Promise.all([
            bucket.replaceIf('lease', { bytes: text('mine'), etag }),
            bucket.remove('lease'),
            bucket.replaceIf('lease', { bytes: text('yours'), etag }),
          ]);
          expect(await bucket.read('lease')).toBeUndefined();
          expect(await bucket.replaceIf('lease', { bytes: text('mine'), etag })).toBeUndefined();
        }
      }),
    );

    test(
      '[BUCKET-3] stat tells size and time',
      withBucket(async (bucket) => {
        await bucket.create('a', text('12345'));
        expect(await bucket.stat('a')).toEqual({ sizeBytes: 5, modifiedMs: expect.any(Number) });
      }),
    );

    test(
      '[BUCKET-6] listFolder gives objects, and folders once each',
      withBucket(async (bucket) => {
        for (const key of ['a/1', 'a/b/1', 'a/b/2', 'a/b/c/1', 'a/b-c', 'a/d/x', 'ab/1', 'z'])
          await bucket.create(key, text(key));
        await bucket.create('a/gone/1', text('x'));
        await bucket.remove('a/gone/1');
        const entriesOf = (folder: string, startAfter?: string) =>
          Array.fromAsync(
            bucket.listFolder(folder, startAfter === undefined ? {} : { startAfter }),
            (entry) => (entry.kind === 'folder' ? entry.key : `${entry.key} (${entry.sizeBytes})`),
          );
        expect(await entriesOf('')).toEqual(['a/', 'ab/', 'z (1)']);
        expect(await entriesOf('a')).toEqual(['a/1 (3)', 'a/b-c (5)', 'a/b/', 'a/d/']);
        expect(await entriesOf('a/')).toEqual(await entriesOf('a'));
        expect(await entriesOf('a/b')).toEqual(['a/b/1 (5)', 'a/b/2 (5)', 'a/b/c/']);
        expect(await entriesOf('none')).toEqual([]);
        expect(await entriesOf('z')).toEqual([]);
        expect(await entriesOf('a', 'a/b-c')).toEqual(['a/b/', 'a/d/']);
        expect(await entriesOf('a', 'a/b/')).toEqual(['a/d/']);
        expect(await entriesOf('a', 'a/b/1')).toEqual(['a/d/']);
        await expect(entriesOf('..')).rejects.toMatchObject({ code: 'E_BUCKET_KEY' });
      }),
    );

    test(
      '[BUCKET-7] download gives a whole new file, and never replaces one',
      withBucket(async (bucket, { writeLocal, readLocal }) => {
        const large = Uint8Array.from({ length: 2 * 1024 * 1024 + 5 }, (_, index) => (index * 17) % 253);
        await bucket.create('logs/a', large);
        const taken = await writeLocal(text('mine'));
        expect(await bucket.download('logs/a', `${taken}-new`)).toEqual({ sizeBytes: large.length });
        const found = await readLocal(`${taken}-new`);
        expect(found && digestOf(found)).toBe(digestOf(large));
        await expect(bucket.download('logs/a', taken)).rejects.toMatchObject({ code: 'E_FILE_EXISTS' });
        expect(decode(await readLocal(taken))).toBe('mine');
      }),
    );

    test(
      '[BUCKET-8] removeAll removes many; what is missing is fine',
      withBucket(async (bucket) => {
        const keys = Array.from({ length: 30 }, (_, index) => `k/${index % 3}/${index}`);
        for (const key of [...keys, 'kept']) await bucket.create(key, text(key));
        await bucket.removeAll(['none', ...keys, 'k/none/x', 'k']);
        expect(await keysOf(bucket, '')).toEqual(['kept']);
        await bucket.removeAll([]);
        await bucket.removeAll(new Set(['kept']));
        expect(await keysOf(bucket, '')).toEqual([]);
      }),
    );

    test(
      '[BUCKET-9] with an aborted signal nothing is done, and its reason is thrown',
      withBucket(async (bucket, { writeLocal, readLocal }) => {
        await bucket.create('a', text('x'));
        const local = await writeLocal(text('y'));
        const { etag = 'none' } = (await bucket.readTagged('a')) ?? {};
        const reason = new Error('enough');
        const signal = AbortSignal.abort(reason);
        const calls = [
          bucket.create('b', text('x'), signal),
          bucket.createFromFile('b', local, signal),
          bucket.replaceIf('a', { bytes: text('z'), etag }, signal),
          bucket.read('a', signal),
          bucket.readTagged('a', signal),
          bucket.readRange('a', { start: 0, length: 1 }, signal),
          bucket.download('a', `${local}-new`, signal),
          bucket.stat('a', signal),
          bucket.remove('a', signal),
          bucket.removeAll(['a'], signal),
          Array.fromAsync(bucket.list('', { signal })),
          Array.fromAsync(bucket.listFolder('', { signal })),
        ];
        for (const call of calls) await expect(call).rejects.toBe(reason);
        expect(await keysOf(bucket, '')).toEqual(['a']);
        expect(await readText(bucket, 'a')).toBe('x');
        expect(await readLocal(`${local}-new`)).toBeUndefined();
      }),
    );

    test(
      '[BUCKET-9] a listing ends when its signal is aborted in its middle',
      withBucket(async (bucket) => {
        for (const key of ['a', 'b', 'c']) await bucket.create(key, text(key));
        for (const verb of ['list', 'listFolder'] as const) {
          const stop = new AbortController();
          const seen: string[] = [];
          const listing = async () => {
            for await (const { key } of bucket[verb]('', { signal: stop.signal })) {
              seen.push(key);
              if (key === 'b') stop.abort(new Error('enough'));
            }
          };
          await expect(listing()).rejects.toThrow('enough');
          expect(seen).toEqual(['a', 'b']);
        }
      }),
    );

    test.skipIf(!canFail).each([
      ['away', { code: 'E_BUCKET_AWAY', retryable: true }],
      ['denied', { code: 'E_BUCKET_DENIED', retryable: false }],
      ['broken', { retryable: false }],
    ] as const)('[BUCKET-10] a bucket that is %s says so, by every verb', async (how, expected) => {
      await using made = await make();
      await made.bucket.create('a', text('x'));
      const local = await made.writeLocal(text('y'));
      if (!made.failing) throw new Error('It is said to fail, and cannot.');
      const bucket = made.failing(how);
      const calls = [
        bucket.create('b', text('x')),
        bucket.createFromFile('b', local),
        bucket.replaceIf('a', { bytes: text('z'), etag: 'x' }),
        bucket.read('a'),
        bucket.readTagged('a'),
        bucket.readRange('a', { start: 0, length: 1 }),
        bucket.download('a', `${local}-new`),
        bucket.stat('a'),
        bucket.remove('a'),
        bucket.removeAll(['a']),
        Array.fromAsync(bucket.list('')),
        Array.fromAsync(bucket.listFolder('')),
      ];
      for (const call of calls) await expect(call).rejects.toMatchObject(expected);
      expect(await readText(made.bucket, 'a')).toBe('x');
    });
  });
}

async function keysOf(bucket: Bucket, folder: string, startAfter?: string): Promise<readonly string[]> {
  const options = startAfter === undefined ? {} : { startAfter };
  return Array.fromAsync(bucket.list(folder, options), ({ key }) => key);
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
