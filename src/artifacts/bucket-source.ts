import { digestOf } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { type Disk, type HashedFile, hashFile } from '../disk/index.ts';
import type { ArtifactSource, SourceRef } from './artifact-source.ts';
import { manifestKey, objectKey, parseUnitKey } from './bucket-layout.ts';
import { recipeFolder, UNITS } from './layout.ts';
import type { UnitRecipe } from './recipe.ts';

export interface BucketSourceOptions {
  readonly disk: Disk;
  readonly bucket: Bucket;
  /** Only generations of these recipes, and only these are listed. */
  readonly only?: readonly UnitRecipe[] | undefined;
}

/** Up to this size an object is one request and goes through memory. */
const SMALL_BYTES = 4 * 1024 * 1024;

/** [ART-13] What others pushed into a bucket. One that cannot be listed throws: it is never taken for an empty one. */
export function bucketSource({ disk, bucket, only }: BucketSourceOptions): ArtifactSource {
  const folders = only?.map((unit) => recipeFolder(unit).join('/')) ?? [UNITS];
  return {
    name: bucket.url,
    async list(signal) {
      const found = new Map<string, SourceRef>();
      for (const folder of new Set(folders)) {
        for await (const { key } of bucket.list(folder, signal ? { signal } : {})) {
          const ref = parseUnitKey(key);
          // One that is due and its manifest are one generation.
          if (ref) found.set(`${ref.folder}/${ref.generation}`, ref);
        }
      }
      return [...found.values()];
    },
    readManifest: (ref, signal) => bucket.read(manifestKey(ref), signal),
    async copyFile(_, { sha256, size }, { to, signal }) {
      if (size <= SMALL_BYTES) return copySmall(disk, await bucket.read(objectKey(sha256), signal), to);
      if (!(await bucket.download(objectKey(sha256), to, signal))) return undefined;
      await using file = await disk.open(to, 'read');
      return await hashFile(file, { signal });
    },
  };
}

async function copySmall(
  disk: Disk,
  bytes: Uint8Array | undefined,
  to: string,
): Promise<HashedFile | undefined> {
  if (!bytes) return undefined;
  await using file = await disk.open(to, 'create');
  await file.write(bytes, 0);
  await file.sync();
  return { size: bytes.length, sha256: digestOf(bytes) };
}
