import { dirname, join } from 'node:path';
import { definedOf, digestOf } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { type Disk, tempPathFor } from '../disk/index.ts';

const DIGEST_DIGITS = 64;

export interface RememberingOptions {
  readonly disk: Disk;
  readonly dir: string;
  readonly isLasting: (key: string) => boolean;
  /** Once it is aborted nothing more is read. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A bucket of which objects that never change are read over the network once: whoever fetches again downloads what is new. What
 * lies here is believed only if it has its digest.
 */
export function rememberingBucket(
  bucket: Bucket,
  { disk, dir, isLasting, signal: stop }: RememberingOptions,
): Bucket {
  const placeOf = (key: string) => join(dir, digestOf(key).slice(0, 2), digestOf(key));
  return {
    url: bucket.url,
    create: (...args) => bucket.create(...args),
    replaceIf: (...args) => bucket.replaceIf(...args),
    createFromFile: (...args) => bucket.createFromFile(...args),
    readTagged: (key, signal = stop) => bucket.readTagged(key, signal),
    readRange: (key, range, signal = stop) => bucket.readRange(key, range, signal),
    download: (key, path, signal = stop) => bucket.download(key, path, signal),
    stat: (key, signal = stop) => bucket.stat(key, signal),
    list: (folder, options) => bucket.list(folder, { ...definedOf({ signal: stop }), ...options }),
    listFolder: (folder, options) =>
      bucket.listFolder(folder, { ...definedOf({ signal: stop }), ...options }),
    remove: (...args) => bucket.remove(...args),
    removeAll: (...args) => bucket.removeAll(...args),
    async read(key, signal = stop) {
      signal?.throwIfAborted();
      if (!isLasting(key)) return bucket.read(key, signal);
      const here = withDigest(await disk.read(placeOf(key)));
      if (here) return here;
      const bytes = await bucket.read(key, signal);
      if (!bytes) return undefined;
      await remember(disk, placeOf(key), bytes);
      return bytes;
    },
  };
}

/** Not synced: what a power loss takes or tears has another digest, and is read once more. */
async function remember(disk: Disk, place: string, bytes: Uint8Array): Promise<void> {
  await disk.makeDir(dirname(place), { isSynced: false });
  const temp = tempPathFor(place);
  await using file = await disk.open(temp, 'create');
  await file.write(Buffer.concat([Buffer.from(digestOf(bytes)), bytes]), 0);
  await disk.rename(temp, place);
}

function withDigest(stored: Uint8Array | undefined): Uint8Array | undefined {
  if (!stored) return undefined;
  const bytes = stored.subarray(DIGEST_DIGITS);
  return Buffer.from(stored.subarray(0, DIGEST_DIGITS)).toString() === digestOf(bytes) ? bytes : undefined;
}
