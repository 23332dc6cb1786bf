import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundleOf, makeProject, writeFiles } from '../../test/sim/bundle-fixture.ts';
import { type BucketFault, FaultyBucket } from '../../test/sim/faulty-bucket.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { digestOf } from '../base/index.ts';
import { type Bucket, directoryBucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { type Bundle, manifestKey, objectKey } from './bundle.ts';
import { contentsOf } from './manifest.ts';
import { readBundleManifest } from './read-manifest.ts';
import { uploadBundle } from './upload-bundle.ts';

const temp = useTempDir();
const upload = (bucket: Bucket, bundle: Bundle) =>
  uploadBundle({ bucket, prefix: 'p/' }, bundle, { disk: nodeDisk, scratchDir: temp.path });
const project = (more: Readonly<Record<string, string>> = {}) =>
  makeProject(join(temp.path, 'project'), more);

test('[BUN-8] each content is sent once, whatever files and bundles have it', async () => {
  const dir = project({ 'lib/copy.ts': 'export const add = 1;\n' });
  const inner = directoryBucket(nodeDisk, join(temp.path, 'bucket'));
  let sentBytes = 0;
  const bucket = withMethods(inner, {
    create: (key, bytes, signal) => {
      if (key.includes('/objects/')) sentBytes += bytes.length;
      return inner.create(key, bytes, signal);
    },
  });
  const seen: number[] = [];
  const first = await bundleOf(dir, { data: ['ignored/cache.bin'] });
  const report = await uploadBundle({ bucket, prefix: '' }, first, {
    disk: nodeDisk,
    onProgress: ({ filesDone, filesTotal }) => seen.push(filesDone / filesTotal),
  });
  const bytes = [...new Map(contentsOf(first.manifest).map((file) => [file.sha256, file.size])).values()];
  expect(report).toEqual({ files: 5, uploaded: 5, present: 0, bytes: bytes.reduce((a, b) => a + b) });
  expect(seen.at(-1)).toBe(1);
  expect(sentBytes).toBe(report.bytes);
  expect(await uploadBundle({ bucket, prefix: '' }, first, { disk: nodeDisk })).toEqual({
    ...{ files: 5, uploaded: 0, present: 5, bytes: 0 },
  });
  writeFiles(dir, { 'lib/copy.ts': 'other' });
  const second = await bundleOf(dir);
  expect(await uploadBundle({ bucket, prefix: '' }, second, { disk: nodeDisk })).toEqual({
    ...{ files: 5, uploaded: 1, present: 4, bytes: 5 },
  });
  expect(sentBytes).toBe(report.bytes + 5);
  for (const { digest, manifest } of [first, second])
    expect(await readBundleManifest({ bucket, prefix: '' }, digest)).toEqual(manifest);
});

test('[BUN-7] an upload that dies at any request leaves no manifest without its contents, and the next one completes it', async () => {
  const bundle = await bundleOf(project(), { data: ['ignored/cache.bin'] });
  const faults: BucketFault[] = [{ on: 'list', kind: 'timeout' }];
  for (const kind of ['timeout', 'lostAcknowledgement'] as const)
    for (let after = 0; after <= 5; after++) faults.push({ on: 'create', kind, after });
  for (const fault of faults) {
    const inner = memoryBucket();
    using bucket = new FaultyBucket(inner, [fault]);
    await expect(upload(bucket, bundle)).rejects.toMatchObject({ code: 'E_BUCKET_AWAY' });
    await expectWhole(inner, bundle);
    expect(await upload(inner, bundle)).toMatchObject({ files: 5 });
    expect(await expectWhole(inner, bundle)).toBe(true);
  }
});

test('[BUN-7] contents that are gone are sent again, although the manifest is there', async () => {
  const bundle = await bundleOf(project());
  const bucket = memoryBucket();
  await upload(bucket, bundle);
  await bucket.remove(objectKey({ bucket, prefix: 'p/' }, digestOf('export default 1;\n')));
  expect(await upload(bucket, bundle)).toMatchObject({ uploaded: 1, present: 3 });
  expect(await expectWhole(bucket, bundle)).toBe(true);
});

test('[BUN-8] of two uploads at once both succeed, and all is there', async () => {
  const bundle = await bundleOf(project());
  const bucket = memoryBucket();
  const reports = await Promise.all([upload(bucket, bundle), upload(bucket, bundle)]);
  expect(reports.reduce((sum, { uploaded }) => sum + uploaded, 0)).toBe(4);
  expect(await expectWhole(bucket, bundle)).toBe(true);
});

describe('[BUN-8] a file that changed since it was digested is not sent', () => {
  test.each([
    ['small', 'changed'],
    ['large', 'x'.repeat(17 << 20)],
  ])('%s', async (_, text) => {
    const dir = project({ 'big.txt': text });
    const bundle = await bundleOf(dir);
    writeFileSync(join(dir, 'big.txt'), `${text.slice(1)}y`);
    const bucket = memoryBucket();
    const changed = { code: 'E_BUNDLE_CHANGED', message: expect.stringContaining(join(dir, 'big.txt')) };
    await expect(upload(bucket, bundle)).rejects.toMatchObject(changed);
    expect(await bucket.read(objectKey({ bucket, prefix: 'p/' }, digestOf(text)))).toBeUndefined();
    expect(await bucket.read(manifestKey({ bucket, prefix: 'p/' }, bundle.digest))).toBeUndefined();
    expect(readdirSync(temp.path)).toEqual(['project']);
  });
});

test('[BUN-8] a large file is sent as it was, also when it changes under the upload', async () => {
  const text = 'x'.repeat(17 << 20);
  const dir = project({ 'big.txt': text });
  const bundle = await bundleOf(dir);
  const inner = memoryBucket();
  const bucket: Bucket = {
    ...inner,
    createFromFile(key, path, signal) {
      chmodSync(join(dir, 'big.txt'), 0o644);
      writeFileSync(join(dir, 'big.txt'), 'changed meanwhile');
      return inner.createFromFile(key, path, signal);
    },
  };
  await upload(bucket, bundle);
  expect(await expectWhole(inner, bundle)).toBe(true);
});

test('what lies under a digest and is not as large as it should be is damage; so is another manifest', async () => {
  const bundle = await bundleOf(project());
  const place = { bucket: memoryBucket(), prefix: 'p/' };
  await place.bucket.create(objectKey(place, digestOf('export default 1;\n')), Buffer.from('x'));
  await expect(upload(place.bucket, bundle)).rejects.toMatchObject({ code: 'E_BUNDLE_DAMAGED' });
  const other = { bucket: memoryBucket(), prefix: 'p/' };
  await other.bucket.create(manifestKey(other, bundle.digest), Buffer.from('{}'));
  await expect(upload(other.bucket, bundle)).rejects.toMatchObject({ code: 'E_BUNDLE_DAMAGED' });
});

/** False when there is no manifest; where there is one, everything that it names is there and right. */
async function expectWhole(bucket: Bucket, bundle: Bundle): Promise<boolean> {
  const place = { bucket, prefix: 'p/' };
  if (!(await bucket.read(manifestKey(place, bundle.digest)))) return false;
  const manifest = await readBundleManifest(place, bundle.digest);
  for (const { sha256 } of contentsOf(manifest)) {
    const bytes = await bucket.read(objectKey(place, sha256));
    expect(bytes && digestOf(bytes)).toBe(sha256);
  }
  return true;
}
