/**
 * Bucket: an object store. Every implementation passes `test/contract/bucket.ts`:
 *
 * - [BUCKET-1] `create` makes the object whole and durable, or not at all; of many writers of one key exactly one
 *   gets `true`, the others get `false` and change nothing. After either answer the object is there for good.
 * - [BUCKET-2] Keys are `/`-separated, non-empty parts of at most 255 bytes, 1024 in all; a part is never `.`, `..` or
 *   a name that we keep for temporary files, locks, ids and large objects; backslashes, control characters and lone surrogates are out. Any
 *   other key is refused with E_BUCKET_KEY before anything is touched.
 * - [BUCKET-3] A missing object is `undefined` from `read`, `readRange`, `readTagged`, `stat`, `download` and
 *   `replaceIf`, and fine to `remove`.
 * - [BUCKET-4] `list` gives every key below a folder ('' for all; `a/b` and `a/b/` are the same and never take in
 *   `a/bc`), in code-unit order, also while others write; `startAfter` leaves out that key and all before it.
 * - [BUCKET-5] `replaceIf` replaces whole, durably, and only what still has the given etag: of many who replace one object
 *   by bytes of their own exactly one gets its new etag, the others get undefined and change nothing. Only leases use it.
 * - [BUCKET-6] `listFolder` gives what lies directly below a folder, in code-unit order: objects, and folders that hold
 *   an object, once each, however many they hold; it reads no more than it gives.
 * - [BUCKET-7] `download` puts an object into a new local file, whole and synced or not at all; a file that is there
 *   already is left alone (E_FILE_EXISTS).
 * - [BUCKET-8] `removeAll` removes many objects; what is missing is fine; one that fails does not keep the others, and
 *   is told when all were tried.
 * - [BUCKET-9] Every method stops soon after its signal is aborted, with the signal's reason, and leaves nothing half
 *   made; with a signal that is aborted already it does nothing.
 * - [BUCKET-10] Errors are told apart by their code: E_BUCKET_AWAY (transient: `retryable`, worth asking again),
 *   E_BUCKET_DENIED (forbidden: ask a person), any other is permanent. None of them means that an object is missing.
 * - [BUCKET-11] A bucket that is a folder is that one folder for all of a process, from when it was first seen: while it is gone, or another
 *   folder is in its place, every method fails with E_BUCKET_AWAY, and nothing is made there. What is told was so in that folder.
 */
export interface Bucket {
  /** How people name it: a path or `s3://…`. */
  readonly url: string;
  create(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<boolean>;
  /** Replaces the object if it has this etag; gives the new one, or undefined when somebody else was quicker or it is gone. */
  replaceIf(key: string, replacement: Replacement, signal?: AbortSignal): Promise<string | undefined>;
  /** Uploads a whole local file (logs can be large); create-if-absent like `create`. */
  createFromFile(key: string, path: string, signal?: AbortSignal): Promise<boolean>;
  read(key: string, signal?: AbortSignal): Promise<Uint8Array | undefined>;
  /** Bytes and etag of one moment: a stat after a read could give the etag of bytes that were never seen. */
  readTagged(key: string, signal?: AbortSignal): Promise<TaggedObject | undefined>;
  readRange(key: string, range: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined>;
  /** Downloads to a new file at `path`; undefined when there is no such object. */
  download(
    key: string,
    path: string,
    signal?: AbortSignal,
  ): Promise<{ readonly sizeBytes: number } | undefined>;
  stat(key: string, signal?: AbortSignal): Promise<ObjectStat | undefined>;
  list(folder: string, options?: ListOptions): AsyncIterable<ListedObject>;
  listFolder(folder: string, options?: ListOptions): AsyncIterable<FolderEntry>;
  remove(key: string, signal?: AbortSignal): Promise<void>;
  removeAll(keys: Iterable<string>, signal?: AbortSignal): Promise<void>;
}

export interface Replacement {
  readonly bytes: Uint8Array;
  /** What the object must have: from `readTagged` or an earlier `replaceIf`. */
  readonly etag: string;
}

export interface TaggedObject {
  readonly bytes: Uint8Array;
  /**
   * Changes whenever the bytes do; compared, never read. Equal bytes may have equal etags, so what must not be mistaken
   * for what was there before carries something of its own, as a lease does.
   */
  readonly etag: string;
}

export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

export interface ObjectStat {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

export interface ListOptions {
  readonly startAfter?: string;
  readonly signal?: AbortSignal;
}

export interface ListedObject {
  readonly key: string;
  readonly sizeBytes: number;
}

export type FolderEntry =
  | { readonly kind: 'object'; readonly key: string; readonly sizeBytes: number }
  /** Its key ends with a slash. */
  | { readonly kind: 'folder'; readonly key: string };
