import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definedOf, digestOf, inOrder } from '../base/index.ts';
import { type Disk, hashFile, tempPathFor } from '../disk/index.ts';
import { type Bundle, type BundlePlace, manifestKey, objectKey, objectsFolder } from './bundle.ts';
import { bundleErrors } from './bundle-errors.ts';
import { contentsOf, decodeManifest, encodeManifest, type PlainFile } from './manifest.ts';

export interface UploadProgress {
  readonly filesDone: number;
  readonly filesTotal: number;
  /** Of the files that are done. */
  readonly bytes: number;
}

export interface UploadOptions {
  readonly disk: Disk;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Where large files are copied to before they are sent. Default: the machine's own folder for such things. */
  readonly scratchDir?: string | undefined;
}

/** What an upload did. Files of the same content are one. */
export interface UploadReport {
  readonly files: number;
  readonly uploaded: number;
  readonly present: number;
  /** That were sent. */
  readonly bytes: number;
}

const UPLOADS_AT_A_TIME = 8;
/** Up to this size a file is read whole, and sent as the very bytes that were hashed. */
const SMALL_BYTES = 16 * 1024 * 1024;

/**
 * Puts a bundle into a bucket, each content once.
 *
 * ### Ordering
 * Contents by their digests first, each created if absent, and the manifest last [BUN-7]: whoever finds a manifest finds all that it names. An
 * upload that died left contents that nobody looks at, and doing it again completes it. Only bytes that have a digest are ever put under it
 * [BUN-8].
 */
export async function uploadBundle(
  place: BundlePlace,
  bundle: Bundle,
  options: UploadOptions,
): Promise<UploadReport> {
  const { signal } = options;
  const known = await sizesIn(place, signal);
  const contents = [...new Map(contentsOf(bundle.manifest).map((file) => [file.sha256, file])).values()];
  const isLarge = ({ size }: PlainFile) => size > SMALL_BYTES;
  let report: UploadReport = { files: contents.length, uploaded: 0, present: 0, bytes: 0 };
  let doneBytes = 0;
  const send = async (file: PlainFile) => ({
    file,
    isSent: await sendOne(place, bundle, { file, known, options }),
  });
  // Large ones are copied before they are sent, so one at a time.
  for (const [files, atATime] of [
    [contents.filter((file) => !isLarge(file)), UPLOADS_AT_A_TIME],
    [contents.filter(isLarge), 1],
  ] as const)
    for await (const { file, isSent } of inOrder(files, { atATime, work: send })) {
      const { uploaded, present, bytes } = report;
      report = isSent
        ? { ...report, uploaded: uploaded + 1, bytes: bytes + file.size }
        : { ...report, present: present + 1 };
      doneBytes += file.size;
      const filesDone = report.uploaded + report.present;
      options.onProgress?.({ filesDone, filesTotal: contents.length, bytes: doneBytes });
    }
  await commitManifest(place, bundle, signal);
  return report;
}

async function sizesIn(
  place: BundlePlace,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, number>> {
  const known = new Map<string, number>();
  for await (const { key, sizeBytes } of place.bucket.list(objectsFolder(place), definedOf({ signal })))
    known.set(key, sizeBytes);
  return known;
}

interface Sending {
  readonly file: PlainFile;
  /** Contents that the bucket had before, with their sizes. */
  readonly known: ReadonlyMap<string, number>;
  readonly options: UploadOptions;
}

/** False when the bucket has it. */
async function sendOne(
  place: BundlePlace,
  bundle: Bundle,
  { file, known, options }: Sending,
): Promise<boolean> {
  const { signal } = options;
  const key = objectKey(place, file.sha256);
  const isSent = known.has(key) ? false : await createOne(place, bundle, { key, file, options });
  if (isSent) return true;
  const sizeBytes = known.get(key) ?? (await place.bucket.stat(key, signal))?.sizeBytes;
  if (sizeBytes === file.size) return false;
  throw bundleErrors.damaged(`${key} in ${place.bucket.url}`, 'it is not as large as its digest promises');
}

/** [BUN-8] A file that is not any more what it was when the digest was made is not sent. */
async function createOne(
  { bucket }: BundlePlace,
  bundle: Bundle,
  { key, file, options }: { readonly key: string; readonly file: PlainFile; readonly options: UploadOptions },
): Promise<boolean> {
  const { disk, signal, scratchDir = tmpdir() } = options;
  const path = bundle.filesFrom(file.path);
  if (file.size <= SMALL_BYTES) {
    const bytes = await disk.read(path);
    if (!bytes || digestOf(bytes) !== file.sha256) throw bundleErrors.changed(path);
    return bucket.create(key, bytes, signal);
  }
  // What is sent file by file is read by the bucket itself: a copy of our own nobody changes meanwhile.
  const temp = tempPathFor(join(scratchDir, file.sha256));
  try {
    if ((await copyHashed(disk, path, { temp, signal })) !== file.sha256) throw bundleErrors.changed(path);
    return await bucket.createFromFile(key, temp, signal);
  } finally {
    await disk.remove(temp);
  }
}

async function copyHashed(
  disk: Disk,
  path: string,
  { temp, signal }: { readonly temp: string; readonly signal: AbortSignal | undefined },
): Promise<string> {
  if (!(await disk.stat(path))) throw bundleErrors.changed(path);
  await using from = await disk.open(path, 'read');
  await using to = await disk.open(temp, 'create');
  const onChunk = (chunk: Uint8Array, position: number) => to.write(chunk, position);
  return (await hashFile(from, { onChunk, signal })).sha256;
}

async function commitManifest(
  place: BundlePlace,
  { digest, manifest }: Bundle,
  signal: AbortSignal | undefined,
): Promise<void> {
  const key = manifestKey(place, digest);
  if (await place.bucket.create(key, encodeManifest(manifest), signal)) return;
  const there = await place.bucket.read(key, signal);
  decodeManifest(there ?? new Uint8Array(), digest, `${key} in ${place.bucket.url}`);
}
