import { digestOf } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { type Disk, type HashedFile, hashFile } from '../disk/index.ts';
import type { ArtifactSource, SourceRef } from './artifact-source.ts';
import { manifestKey, objectKey, parseUnitKey } from './bucket-layout.ts';
import { recipeFolder, UNITS } from './layout.ts';
import type { ArtifactFile } from './manifest.ts';
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
    damages: async () => [],
    isNamedFirst: true,
    readManifest: (ref, signal) => bucket.read(manifestKey(ref), signal),
    async copyFile(_, promised, { to, signal }) {
      const key = objectKey(promised.sha256);
      if (promised.size <= SMALL_BYTES) {
        const bytes = await bucket.read(key, signal);
        return bytes && copySmall(disk, bytes, { to, promised });
      }
      if (!(await bucket.download(key, to, signal))) return undefined;
      await using file = await disk.open(to, 'read');
      const hashed = await hashFile(file, { signal });
      await file.protect(promised);
      await file.sync();
      return hashed;
    },
  };
}

async function copySmall(
  disk: Disk,
  bytes: Uint8Array,
  { to, promised }: { readonly to: string; readonly promised: ArtifactFile },
): Promise<HashedFile> {
  await using file = await disk.open(to, 'create');
  await file.write(bytes, 0);
  await file.protect(promised);
  await file.sync();
  return { size: bytes.length, sha256: digestOf(bytes) };
}
