import { type BundlePlace, manifestKey } from './bundle.ts';
import { bundleErrors } from './bundle-errors.ts';
import { type BundleManifest, decodeManifest } from './manifest.ts';

/** The manifest of a bundle in a bucket. Refuses what is not there, and what does not have its digest. */
export async function readBundleManifest(
  place: BundlePlace,
  digest: string,
  signal?: AbortSignal,
): Promise<BundleManifest> {
  const { url } = place.bucket;
  if (!/^[0-9a-f]{64}$/.test(digest)) throw bundleErrors.missing(url, `The bundle "${digest}"`);
  const key = manifestKey(place, digest);
  const bytes = await place.bucket.read(key, signal);
  if (!bytes) throw bundleErrors.missing(url, `The bundle ${digest.slice(0, 12)} (${key})`);
  return decodeManifest(bytes, digest, `${key} in ${url}`);
}
