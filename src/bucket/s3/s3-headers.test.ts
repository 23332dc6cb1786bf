import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../../../test/sim/s3/fault-proxy.ts';
import { obstacle, onServer, useS3 } from '../../../test/sim/s3/use-s3.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { systemClock } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { Bucket } from '../bucket.ts';
import { openS3Bucket } from './s3-bucket.ts';

const s3 = useS3();
const dir = useTempDir();
let proxy: FaultProxy;
let bucket: Bucket;

beforeEach(async () => {
  if (obstacle !== undefined) return;
  proxy = await startFaultProxy(s3.server.endpoint);
  bucket = await openS3Bucket(`s3://tests/${randomUUID()}`, {
    ...{ disk: nodeDisk, clock: systemClock, endpoint: proxy.endpoint },
    // So that a few megabytes are large.
    largeBytes: 1_000_000,
  });
});

afterEach(async () => {
  if (obstacle === undefined) await proxy[Symbol.asyncDispose]();
});

const text = (words: string) => new TextEncoder().encode(words);
const sent = (method: string) => proxy.seen.filter((seen) => seen.method === method);

describe.skipIf(obstacle !== undefined)(onServer('what we say to a server'), () => {
  test('every body that is stored has its MD5, whether small, replaced, from a file or in parts', async () => {
    await bucket.create('small', text('one'));
    const etag = (await bucket.readTagged('small'))?.etag ?? '';
    await bucket.replaceIf('small', { bytes: text('two'), etag });
    const path = join(dir.path, 'file');
    writeFileSync(path, 'some bytes');
    await bucket.createFromFile('file', path);
    writeFileSync(path, Buffer.alloc(6_000_000, 'x'));
    await bucket.createFromFile('large', path);
    const puts = sent('PUT');
    expect(puts.length).toBeGreaterThan(4);
    expect(puts.filter(({ headers }) => headers['content-md5'] === undefined)).toEqual([]);
    const md5 = createHash('md5').update('some bytes').digest('base64');
    expect(puts.map(({ headers }) => headers['content-md5'])).toContain(md5);
  });

  test('no removal has a condition: servers differ in what they make of one', async () => {
    for (const key of ['a', 'b', 'c']) await bucket.create(key, text(key));
    proxy.seen.length = 0;
    await bucket.remove('a');
    await bucket.removeAll(['b', 'c', 'never there']);
    const removals = [...sent('DELETE'), ...sent('POST')];
    expect(removals.length).toBeGreaterThan(0);
    for (const { headers } of removals)
      expect(Object.keys(headers).filter((name) => name.startsWith('if-'))).toEqual([]);
    expect(await Array.fromAsync(bucket.list(''))).toEqual([]);
  });

  test('a server that is named by its address is asked by path, not by a name for each bucket', async () => {
    // A name: for a number the client would do so by itself.
    const endpoint = proxy.endpoint.replace('127.0.0.1', 'localhost');
    const named = await openS3Bucket('s3://tests/by-name', { disk: nodeDisk, clock: systemClock, endpoint });
    await named.create(randomUUID(), text('one'));
    expect(proxy.seen.length).toBeGreaterThan(0);
    for (const { path, headers } of proxy.seen) {
      expect(path.startsWith('/tests/')).toBe(true);
      expect(headers.host).toBe(new URL(endpoint).host);
    }
  });
});
