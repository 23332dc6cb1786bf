import type { FolderEntry, ListedObject, ListOptions } from '../bucket.ts';
import { folderOf, isKey } from '../key.ts';
import type { S3Requests } from './s3-requests.ts';

/** From here on the order of UTF-8, which servers list in, is not that of UTF-16. */
const OUT_OF_ORDER = /[\ud800-\uffff]/;

/** What lies in a bucket, in code-unit order [BUCKET-4]. */
export class S3Listing {
  readonly #requests: S3Requests;
  /** '' or with a slash at its end. */
  readonly #root: string;

  constructor(requests: S3Requests) {
    this.#requests = requests;
    const { prefix } = requests.address;
    this.#root = prefix === '' ? '' : `${prefix}/`;
  }

  async *all(folder: string, options: ListOptions = {}): AsyncGenerator<ListedObject> {
    for await (const entry of this.#entries(folderOf(folder), undefined, options))
      if (entry.kind === 'object') yield { key: entry.key, sizeBytes: entry.sizeBytes };
  }

  folder(folder: string, options: ListOptions = {}): AsyncGenerator<FolderEntry> {
    return this.#entries(folderOf(folder), '/', options);
  }

  async *#entries(
    folder: string,
    delimiter: '/' | undefined,
    { startAfter, signal }: ListOptions,
  ): AsyncGenerator<FolderEntry> {
    signal?.throwIfAborted();
    let held: FolderEntry[] = [];
    for await (const entry of this.#pages(folder, delimiter, startAfter, signal)) {
      // Our own large objects, and what others put there: an empty object where they see a folder, for instance.
      if (!isKey(entry.kind === 'folder' ? entry.key.slice(0, -1) : entry.key)) continue;
      if (startAfter !== undefined && entry.key <= startAfter) continue;
      // Only such keys may stand in another order than ours, and only among each other.
      if (OUT_OF_ORDER.test(entry.key)) {
        held.push(entry);
        continue;
      }
      yield* held.sort(byKey);
      held = [];
      signal?.throwIfAborted();
      yield entry;
    }
    yield* held.sort(byKey);
  }

  /** In the order of the server. */
  async *#pages(
    folder: string,
    delimiter: '/' | undefined,
    startAfter: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<FolderEntry> {
    const from = startAfter === undefined ? undefined : earlierOf(startAfter);
    let token: string | undefined;
    do {
      const page = await this.#requests.trying(
        () =>
          this.#requests.list(
            {
              Prefix: this.#root + folder,
              ...(delimiter !== undefined && { Delimiter: delimiter }),
              ...(token !== undefined
                ? { ContinuationToken: token }
                : from !== undefined && from !== '' && { StartAfter: this.#root + from }),
            },
            signal,
          ),
        signal,
      );
      const objects = (page.Contents ?? []).map(
        ({ Key = '', Size = 0 }): FolderEntry => ({ kind: 'object', key: this.#own(Key), sizeBytes: Size }),
      );
      const folders = (page.CommonPrefixes ?? []).map(
        ({ Prefix = '' }): FolderEntry => ({ kind: 'folder', key: this.#own(Prefix) }),
      );
      yield* folders.length === 0 ? objects : [...objects, ...folders].sort(byBytes);
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  #own(key: string): string {
    return key.slice(this.#root.length);
  }
}

/** A key from which on the server lists all that comes after `key` by code units, and perhaps a little more. */
function earlierOf(key: string): string {
  const at = key.search(OUT_OF_ORDER);
  return at < 0 ? key : key.slice(0, at);
}

function byKey(one: FolderEntry, other: FolderEntry): number {
  return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}

function byBytes(one: FolderEntry, other: FolderEntry): number {
  return Buffer.compare(Buffer.from(one.key), Buffer.from(other.key));
}
