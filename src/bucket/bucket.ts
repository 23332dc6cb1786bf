/**
 * Bucket: an object store. Every implementation passes `test/contract/bucket.ts`:
 *
 * - [BUCKET-1] `create` makes the object whole and durable, or not at all; of many writers of one key exactly one
 *   gets `true`, the others get `false` and change nothing. After either answer the object is there for good.
 * - [BUCKET-2] Keys are `/`-separated, non-empty parts of at most 255 bytes, 1024 in all; a part is never `.`, `..` or
 *   a temporary name of ours; backslashes, control characters and lone surrogates are out. Any other key is refused
 *   with E_BUCKET_KEY before anything is touched.
 * - [BUCKET-3] A missing object is `undefined` from `read`, `readRange` and `stat`, and fine to `remove`.
 * - [BUCKET-4] `list` gives every key below a folder ('' for all; `a/b` and `a/b/` are the same and never take in
 *   `a/bc`), in code-unit order, also while others write.
 * - [BUCKET-5] `put` replaces whole: a reader sees the old bytes or the new ones. Only leases use it.
 */
export interface Bucket {
  /** How people name it: a path or `s3://…`. */
  readonly url: string;
  create(key: string, bytes: Uint8Array): Promise<boolean>;
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Uploads a whole local file (logs can be large); create-if-absent like `create`. */
  createFromFile(key: string, path: string): Promise<boolean>;
  read(key: string): Promise<Uint8Array | undefined>;
  readRange(key: string, start: number, length: number): Promise<Uint8Array | undefined>;
  stat(key: string): Promise<{ readonly sizeBytes: number; readonly modifiedMs: number } | undefined>;
  list(prefix: string): AsyncIterable<{ readonly key: string; readonly sizeBytes: number }>;
  remove(key: string): Promise<void>;
}
