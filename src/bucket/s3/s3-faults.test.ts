import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../../../test/sim/s3/fault-proxy.ts';
import { BUCKET } from '../../../test/sim/s3/s3-server.ts';
import { isVersitygw, obstacle, onServer, useS3 } from '../../../test/sim/s3/use-s3.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { systemClock } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { Bucket } from '../bucket.ts';
import { openS3Bucket } from './s3-bucket.ts';

const s3 = useS3();
const dir = useTempDir();
let proxy: FaultProxy;
let bucket: Bucket;
let url: string;

/** Waits are part of asking again; nobody has to sit through them. */
const quick = { ...systemClock, sleep: (_: number, signal?: AbortSignal) => systemClock.sleep(1, signal) };

beforeEach(async () => {
  if (obstacle !== undefined) return;
  proxy = await startFaultProxy(s3.server.endpoint);
  url = `s3://tests/${randomUUID()}`;
  bucket = await openS3Bucket(url, { disk: nodeDisk, clock: quick, endpoint: proxy.endpoint });
});

afterEach(async () => {
  if (obstacle === undefined) await proxy[Symbol.asyncDispose]();
});

const text = (words: string) => new TextEncoder().encode(words);
const puts = () => proxy.seen.filter(({ method }) => method === 'PUT').length;

describe.skipIf(obstacle !== undefined)(onServer('faults between us and a server'), () => {
  test.each([
    ['500 InternalError', { kind: 'status', status: 500, code: 'InternalError' }],
    ['503 SlowDown', { kind: 'status', status: 503, code: 'SlowDown' }],
    ['a reset', { kind: 'reset' }],
    ['a digest that does not fit', { kind: 'status', status: 400, code: 'BadDigest' }],
  ] as const)('[BUCKET-10] after %s it asks again, and it is done once', async (_, fault) => {
    proxy.fault = (__, count) => (count <= 2 ? fault : undefined);
    expect(await bucket.create('a', text('one'))).toBe(true);
    expect(puts()).toBe(3);
    expect(await bucket.create('a', text('two'))).toBe(false);
    expect(await bucket.read('a')).toEqual(text('one'));
  });

  test('[BUCKET-1] a writer whose answer was lost is not told that somebody else was quicker', async () => {
    proxy.fault = ({ method }, count) =>
      method === 'PUT' && count === 1 ? { kind: 'lost answer' } : undefined;
    expect(await bucket.create('a', text('one'))).toBe(true);
    expect(puts()).toBe(2);
  });

  test('[BUCKET-1] but another writer of the very same bytes is', async () => {
    expect(await bucket.create('a', text('one'))).toBe(true);
    proxy.fault = ({ method }, count) => (method === 'PUT' && count === 2 ? { kind: 'reset' } : undefined);
    expect(await bucket.create('a', text('one'))).toBe(false);
  });

  test('[BUCKET-5] a lease whose answer was lost is held, by nobody else', async () => {
    await bucket.create('lease', text('free'));
    const first = (await bucket.readTagged('lease'))?.etag ?? '';
    // From here on it knows how this server wants to be told an ETag.
    const etag = (await bucket.replaceIf('lease', { bytes: text('taken'), etag: first })) ?? '';
    const from = proxy.seen.length;
    let isLost = false;
    proxy.fault = ({ method }, count) => {
      if (method !== 'PUT' || isLost || count <= from) return undefined;
      isLost = true;
      return { kind: 'lost answer' };
    };
    const mine = await bucket.replaceIf('lease', { bytes: text('mine'), etag });
    expect(mine).toBe((await bucket.readTagged('lease'))?.etag);
    expect(await bucket.replaceIf('lease', { bytes: text('theirs'), etag })).toBe(undefined);
  });

  test('[BUCKET-4] keys that servers list in the order of UTF-8 come in that of code units', async () => {
    const keys = ['a/\u{1f600}', 'a/\uffee', 'a/b', 'a/\ue000x', 'a/\u{10000}/x', 'z', 'é'];
    for (const key of keys) await bucket.create(key, text(key));
    const sorted = keys.toSorted();
    const listed = async (options = {}) =>
      (await Array.fromAsync(bucket.list('', options))).map(({ key }) => key);
    expect(await listed()).toEqual(sorted);
    for (const [index, key] of sorted.entries())
      expect(await listed({ startAfter: key })).toEqual(sorted.slice(index + 1));
  });

  test('[BUCKET-4] what others put there under names that no method takes is not listed', async () => {
    await bucket.create('a/b', text('ours'));
    const client = new S3Client({ region: 'us-east-1', forcePathStyle: true });
    // Consoles put an empty object where they see a folder. Where keys are paths, the others are other keys.
    const prefix = url.slice(`s3://${BUCKET}/`.length);
    const put = (key: string) =>
      client.send(new PutObjectCommand({ Bucket: BUCKET, Key: `${prefix}/${key}`, Body: new Uint8Array() }));
    await put('a/');
    if (!isVersitygw) for (const key of ['a//c', 'd/', 'a/../e']) await put(key);
    client.destroy();
    expect(await Array.fromAsync(bucket.list(''))).toEqual([{ key: 'a/b', sizeBytes: 4 }]);
    expect(await Array.fromAsync(bucket.listFolder('a'))).toEqual([
      { kind: 'object', key: 'a/b', sizeBytes: 4 },
    ]);
  });

  test('[BUCKET-7] a download whose connections end in the middle goes on where it was, and is whole', async () => {
    const large = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 31) % 251);
    await bucket.create('large', large);
    let cuts = 0;
    proxy.fault = ({ method }) =>
      method === 'GET' && cuts++ < 3 ? { kind: 'cut', bytes: 700_000 } : undefined;
    const target = join(dir.path, 'large');
    expect(await bucket.download('large', target)).toEqual({ sizeBytes: large.length });
    expect(Buffer.compare((await nodeDisk.read(target)) ?? Buffer.of(), large)).toBe(0);
    expect(cuts).toBeGreaterThanOrEqual(4);
  });

  test('[BUCKET-3] a body that is cut off is never taken for all of it', async () => {
    await bucket.create('a', text('0123456789'.repeat(1_000)));
    let cuts = 0;
    proxy.fault = ({ method }) =>
      method === 'GET' && cuts++ < 2 ? { kind: 'cut', bytes: 5_000 } : undefined;
    expect((await bucket.read('a'))?.length).toBe(10_000);
  });

  test.each([
    ['AccessDenied', 403, 'E_BUCKET_DENIED', /credentials may do/],
    ['ExpiredToken', 400, 'E_BUCKET_DENIED', /have expired/],
    ['TokenRefreshRequired', 400, 'E_BUCKET_DENIED', /have expired/],
    ['InvalidToken', 400, 'E_BUCKET_DENIED', /AWS_SESSION_TOKEN/],
    ['RequestTimeTooSkewed', 403, 'E_BUCKET_DENIED', /clock/],
    ['NoSuchBucket', 404, 'E_BUCKET_NONE', /name/],
    ['InvalidArgument', 400, 'E_BUCKET_REFUSED', /doctor/],
    ['PermanentRedirect', 301, 'E_BUCKET_REFUSED', /AWS_REGION/],
  ] as const)('[BUCKET-10] %s is told at once, with what to do', async (code, status, told, hint) => {
    proxy.fault = () => ({ kind: 'status', status, code });
    await expect(bucket.create('a', text('x'))).rejects.toMatchObject({
      code: told,
      hint: expect.stringMatching(hint),
    });
    expect(proxy.seen).toHaveLength(1);
  });

  test('[BUCKET-10] a server that stays away is away, after some tries', async () => {
    proxy.fault = () => ({ kind: 'status', status: 503, code: 'ServiceUnavailable' });
    await expect(bucket.read('a')).rejects.toMatchObject({ code: 'E_BUCKET_AWAY', retryable: true });
    expect(proxy.seen.length).toBeGreaterThan(3);
  });

  test('a file that is there already is told by the answer, and by nothing on the terminal', async () => {
    const warned = vi.spyOn(console, 'warn');
    const path = join(dir.path, 'file');
    writeFileSync(path, 'one');
    expect(await bucket.createFromFile('a', path)).toBe(true);
    expect(await bucket.createFromFile('a', path)).toBe(false);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  test('where there are no large objects they are looked for once, not at each removal', async () => {
    const options = { disk: nodeDisk, clock: quick, endpoint: proxy.endpoint, largeBytes: 1_000 };
    const own = await openS3Bucket(url, options);
    for (const key of ['a', 'b', 'c']) await own.create(key, text(key));
    const from = proxy.seen.length;
    for (const key of ['a', 'b', 'c']) await own.remove(key);
    expect(proxy.seen.slice(from).map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'POST']);
    // Whoever uploads one knows of it.
    const path = join(dir.path, 'file');
    writeFileSync(path, 'x'.repeat(2_000));
    await own.createFromFile('large', path);
    await own.remove('large');
    const all = await openS3Bucket(`${url}/.holdfast-large`, options);
    expect(await Array.fromAsync(all.list(''))).toEqual([]);
  });

  test('no secret is in an error, nor in the name of the bucket', async () => {
    proxy.fault = () => ({ kind: 'status', status: 403, code: 'SignatureDoesNotMatch' });
    const error = await bucket.read('a').catch((one: Error) => one);
    expect(JSON.stringify([error, String(error), bucket.url])).not.toContain(s3.server.secretKey);
  });

  test('[BUCKET-1] an object too large for one request goes up in parts, and is there whole or not at all', async () => {
    const options = { disk: nodeDisk, clock: quick, endpoint: proxy.endpoint, largeBytes: 1_000_000 };
    const parts = await openS3Bucket(url, options);
    const large = Buffer.alloc(6_000_000, 'abcdefg');
    const path = join(dir.path, 'file');
    writeFileSync(path, large);
    const made = await Promise.all([
      parts.createFromFile('x/large', path),
      parts.createFromFile('x/large', path),
    ]);
    expect(made.toSorted()).toEqual([false, true]);
    expect(await bucket.stat('x/large')).toMatchObject({ sizeBytes: large.length });
    expect(await Array.fromAsync(bucket.list(''))).toEqual([{ key: 'x/large', sizeBytes: large.length }]);
    expect(Buffer.compare((await bucket.read('x/large')) ?? Buffer.of(), large)).toBe(0);
    const range = await bucket.readRange('x/large', { start: 5_999_990, length: 100 });
    expect(range).toEqual(new Uint8Array(large.subarray(5_999_990)));
    const target = join(dir.path, 'again');
    expect(await bucket.download('x/large', target)).toEqual({ sizeBytes: large.length });
    await bucket.remove('x/large');
    expect(await bucket.stat('x/large')).toBe(undefined);
    const left = await openS3Bucket(`${url}/.holdfast-large`, options).then((all) =>
      Array.fromAsync(all.list('')),
    );
    expect(left).toEqual([]);
  });
});
