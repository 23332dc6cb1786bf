import { join } from 'node:path';
import { type Digest, digestOf, inOrder, messageOf, toJson } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import type { Disk } from '../disk/index.ts';
import { dueKey, manifestKey, OBJECTS, objectKey, refOf } from './bucket-layout.ts';
import { canonicalJson } from './canonical-json.ts';
import { type ArtifactFile, encodeManifest } from './manifest.ts';
import { unitText } from './recipe.ts';
import type { OnProgress } from './seal-folder.ts';
import type { StoredGeneration } from './stored-generation.ts';
import { problemsOfFiles, problemsText } from './verify-files.ts';

/**
 * What became of a generation that was pushed:
 * - `pushed`: it is in the bucket now; `already-there`: it was;
 * - `damaged`: it is not what its manifest promises, and was not sent;
 * - `conflicting`: the bucket has another one of that id, which stays;
 * - `failed`: the reason says why; it can be pushed again.
 */
export type PushState = 'pushed' | 'already-there' | 'damaged' | 'conflicting' | 'failed';

export interface PushEntry {
  readonly unit: string;
  readonly generation: string;
  readonly digest: Digest;
  readonly state: PushState;
  /** Objects and bytes that were sent: what the bucket had is not sent again. */
  readonly files: number;
  readonly bytes: number;
  readonly reason?: string;
}

export interface PushOptions {
  readonly disk: Disk;
  readonly bucket: Bucket;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Ends it before the next generation: what was not reached is `failed` and says so. `signal` alone throws. */
  readonly stop?: AbortSignal | undefined;
}

const UPLOADS_AT_A_TIME = 8;
/** Up to this size a file is read whole, and sent as the very bytes that were hashed. */
const SMALL_BYTES = 16 * 1024 * 1024;

/**
 * Sends generations to a bucket; one that fails does not stop the others.
 *
 * ### Ordering
 * For each: a word that it is due, then its content by digest, each created if absent, and its manifest last [ART-13]. So whoever finds
 * a manifest finds all that it names; an upload that died is told by the word that is due, and pushing again completes it.
 */
export async function pushGenerations(
  generations: readonly StoredGeneration[],
  options: PushOptions,
): Promise<readonly PushEntry[]> {
  const { signal, stop, onProgress } = options;
  const store = new Store(options);
  await store.listContent();
  const filesTotal = generations.reduce((sum, { manifest }) => sum + manifest.files.length, 0);
  let [filesDone, bytes] = [0, 0];
  const onFile = ({ size }: ArtifactFile) => {
    filesDone++;
    bytes += size;
    onProgress?.({ filesDone, filesTotal, bytes });
  };
  const entries: PushEntry[] = [];
  for (const stored of generations) {
    if (!stop?.aborted) signal?.throwIfAborted();
    entries.push(stop?.aborted ? notReached(stored) : await store.push(stored, onFile));
  }
  return entries;
}

type Pushed = Pick<PushEntry, 'state' | 'files' | 'bytes' | 'reason'>;

class Store {
  readonly #options: PushOptions;
  /** Keys of content that the bucket has, as far as is known: only who is sure skips an upload. */
  readonly #known = new Set<string>();

  constructor(options: PushOptions) {
    this.#options = options;
  }

  /** Once for all. When it fails, more is sent, never less. */
  async listContent(): Promise<void> {
    const { bucket, signal, stop } = this.#options;
    try {
      for await (const { key } of bucket.list(OBJECTS, signal ? { signal } : {})) this.#known.add(key);
    } catch {
      // Whether the bucket answers at all is told by the uploads, which are created if absent.
      if (!stop?.aborted) signal?.throwIfAborted();
    }
  }

  async push(stored: StoredGeneration, onFile: (file: ArtifactFile) => void): Promise<PushEntry> {
    const { generation, digest } = stored.manifest;
    const about = { unit: unitText(stored.manifest), generation, digest };
    try {
      return { ...about, ...(await this.#send(stored, onFile)) };
    } catch (error) {
      const { signal, stop } = this.#options;
      const isGivenUp = stop?.aborted && signal?.aborted;
      if (!isGivenUp) signal?.throwIfAborted();
      const reason = isGivenUp ? 'it was stopped before it was sent' : messageOf(error);
      return { ...about, state: 'failed', files: 0, bytes: 0, reason };
    }
  }

  async #send(stored: StoredGeneration, onFile: (file: ArtifactFile) => void): Promise<Pushed> {
    const { bucket, disk, signal } = this.#options;
    const { manifest, filesDir } = stored;
    const ref = refOf(manifest);
    const bytes = encodeManifest(manifest);
    const there = await bucket.read(manifestKey(ref), signal);
    if (there && Buffer.compare(there, bytes) !== 0) return conflict();
    const missing = manifest.files.filter(({ sha256 }) => !this.#known.has(objectKey(sha256)));
    if (there && missing.length === 0) {
      manifest.files.forEach(onFile);
      return { state: 'already-there', files: 0, bytes: 0 };
    }
    const problems = await problemsOfFiles(disk, { filesDir, files: manifest.files }, { signal });
    if (problems.length > 0) return { state: 'damaged', files: 0, bytes: 0, reason: problemsText(problems) };
    const due = { unit: unitText(manifest), recipe: manifest.recipe, producer: manifest.producer };
    if (!there) await bucket.create(dueKey(ref), Buffer.from(canonicalJson(toJson(due))), signal);
    const sent = await this.#sendContent(stored, onFile);
    if (!there && !(await bucket.create(manifestKey(ref), bytes, signal))) {
      const winner = await bucket.read(manifestKey(ref), signal);
      if (!winner || Buffer.compare(winner, bytes) !== 0) return conflict();
    }
    await this.#tryForgetDue(dueKey(ref));
    return { state: 'pushed', ...sent };
  }

  /** Identical content is one object, and is sent once. */
  async #sendContent({ manifest, filesDir }: StoredGeneration, onFile: (file: ArtifactFile) => void) {
    let [files, bytes] = [0, 0];
    const work = async (file: ArtifactFile) => {
      const key = objectKey(file.sha256);
      if (this.#known.has(key)) return { file, isSent: false };
      this.#known.add(key);
      try {
        return { file, isSent: await this.#create(key, join(filesDir, file.path), file) };
      } catch (error) {
        this.#known.delete(key);
        throw error;
      }
    };
    for await (const { file, isSent } of inOrder(manifest.files, { atATime: UPLOADS_AT_A_TIME, work })) {
      if (isSent) [files, bytes] = [files + 1, bytes + file.size];
      onFile(file);
    }
    return { files, bytes };
  }

  /** What lies under a digest must have it for ever: a file that changed since it was verified is not sent. */
  async #create(key: string, path: string, { size, sha256 }: ArtifactFile): Promise<boolean> {
    const { bucket, disk, signal } = this.#options;
    if (size > SMALL_BYTES) return bucket.createFromFile(key, path, signal);
    const bytes = await disk.read(path);
    if (!bytes || digestOf(bytes) !== sha256) throw new Error(`${path} changed while it was sent`);
    return bucket.create(key, bytes, signal);
  }

  async #tryForgetDue(key: string): Promise<void> {
    try {
      await this.#options.bucket.remove(key, this.#options.signal);
    } catch {
      // Best effort: beside a manifest it says nothing.
    }
  }
}

function notReached({ manifest }: StoredGeneration): PushEntry {
  const { generation, digest } = manifest;
  const reason = 'not reached: it was stopped before';
  return { unit: unitText(manifest), generation, digest, state: 'failed', files: 0, bytes: 0, reason };
}

function conflict(): Pushed {
  const reason = 'the bucket has another generation of this id; it stays';
  return { state: 'conflicting', files: 0, bytes: 0, reason };
}
