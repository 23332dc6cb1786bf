import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { isBucketUrl, openBucket } from './open-bucket.ts';

test('a path and its file URL open the same bucket', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'with space & %');
  const byPath = await openBucket(path, { disk: nodeDisk });
  const byUrl = await openBucket(pathToFileURL(path).href, { disk: nodeDisk });
  await byPath.create('a', Uint8Array.of(1));
  expect(await byUrl.read('a')).toEqual(Uint8Array.of(1));
  expect([byPath.url, byUrl.url]).toEqual([path, path]);
});

test('opening makes nothing', async () => {
  await using dir = await makeTempDir();
  const bucket = await openBucket(join(dir.path, 'new'), { disk: nodeDisk });
  expect(await bucket.read('a')).toBeUndefined();
  expect(await nodeDisk.list(dir.path)).toEqual([]);
});

test.each(['gs://bucket', 'https://host/x'])('%s is not supported yet, and says so', async (url) => {
  await expect(openBucket(url, { disk: nodeDisk })).rejects.toMatchObject({
    code: 'E_BUCKET_UNSUPPORTED',
    message: expect.stringContaining(url),
  });
});

test('a file URL of another machine is refused', async () => {
  await expect(openBucket('file://elsewhere/x', { disk: nodeDisk })).rejects.toMatchObject({
    code: 'E_BUCKET_URL',
  });
});

test.each([
  ['s3://bucket/x', true],
  ['file:///x', true],
  ['logs', false],
  ['./logs', false],
  ['/logs', false],
  ['C:\\logs', false],
  ['c://logs', false],
  ['a:b', false],
  ['', false],
])('isBucketUrl(%j) is %s', (text, isUrl) => {
  expect(isBucketUrl(text)).toBe(isUrl);
});
