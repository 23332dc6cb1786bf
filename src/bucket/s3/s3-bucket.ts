import process from 'node:process';
import { assert, systemClock, systemRandom } from '../../base/index.ts';
import { createFileWith, type Disk, type DiskFile } from '../../disk/index.ts';
import type {
  Bucket,
  ByteRange,
  FolderEntry,
  ListedObject,
  ListOptions,
  ObjectStat,
  Replacement,
  TaggedObject,
} from '../bucket.ts';
import { bucketErrors } from '../bucket-errors.ts';
import { checkKey } from '../key.ts';
import { parseS3Address } from './s3-address.ts';
import { type Body, bodyOf, bodyOfFile } from './s3-bodies.ts';
import { meaningOf, statusOf } from './s3-errors.ts';
import { LargeObjects, POINTER_BYTES } from './s3-large.ts';
import { S3Listing } from './s3-listing.ts';
import { type RequestsOptions, S3Requests } from './s3-requests.ts';

export interface S3BucketOptions extends Partial<RequestsOptions> {
  readonly disk: Disk;
  /** What is larger goes up in parts. By default the most that servers take at once. */
  readonly largeBytes?: number;
}

/** Amazon's limit for one request. */
const LARGE_BYTES = 5 * 1000 ** 3;
const REMOVED_AT_A_TIME = 1_000;
/** Who created an object, so that a writer whose answer was lost knows its own. */
const WRITER = 'holdfast-writer';

export async function openS3Bucket(url: string, options: S3BucketOptions): Promise<Bucket> {
  const ports = { clock: systemClock, random: systemRandom, env: process.env, ...options };
  return new S3Bucket(await S3Requests.open(parseS3Address(url), ports), ports);
}

/**
 * ### Ordering
 * A single PUT makes an object whole and durable, or not at all, and with `If-None-Match: *` only where there is none. When its answer is lost it is made
 * again; what stands in its way then may be its own, which carries the mark of its writer. An object that is too large for one request is uploaded in parts under a name
 * that nobody looks at, and becomes real by a pointer that is created like any other object: servers do not look at conditions when parts are put together.
 */
class S3Bucket implements Bucket {
  readonly url: string;
  readonly #requests: S3Requests;
  readonly #options: S3BucketOptions & RequestsOptions;
  readonly #listing: S3Listing;
  readonly #large: LargeObjects;
  /** How this server wants to be told an ETag, as far as that is known. */
  #isQuoted: boolean | undefined;

  constructor(requests: S3Requests, options: S3BucketOptions & RequestsOptions) {
    this.#requests = requests;
    this.#options = options;
    this.url = requests.address.url;
    this.#large = new LargeObjects(requests, options);
    this.#listing = new S3Listing(requests);
  }

  async create(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<boolean> {
    checkKey(key);
    signal?.throwIfAborted();
    return this.#create(key, bodyOf(bytes), {}, signal);
  }

  async createFromFile(key: string, path: string, signal?: AbortSignal): Promise<boolean> {
    checkKey(key);
    signal?.throwIfAborted();
    const { disk, largeBytes = LARGE_BYTES } = this.#options;
    const body = await bodyOfFile(disk, path, signal);
    if (body.sizeBytes <= largeBytes) return this.#create(key, body, {}, signal);
    if (await this.stat(key, signal)) return false;
    const pointer = await this.#large.upload(key, { disk, path, body }, signal);
    const isMade = await this.#create(key, bodyOf(pointer.bytes), pointer.metadata, signal);
    if (!isMade) await this.#large.drop(pointer.place);
    return isMade;
  }

  /** [BUCKET-1] */
  async #create(
    key: string,
    body: Body,
    metadata: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const writer = Buffer.from(this.#options.random.bytes(12)).toString('hex');
    const Metadata = { ...metadata, [WRITER]: writer };
    return this.#requests.trying(async (attempt) => {
      await using opened = await body.open();
      try {
        await this.#requests.put(
          {
            Key: this.#at(key),
            Body: opened.content,
            ContentLength: body.sizeBytes,
            ContentMD5: body.md5,
            IfNoneMatch: '*',
            Metadata,
          },
          signal,
        );
        return true;
      } catch (error) {
        if (meaningOf(error) !== 'conflict') throw error;
        // Two at once: Amazon asks the later one to look again.
        if (statusOf(error) === 409) throw asTransient(error);
        return attempt > 1 && (await this.#writerOf(key, signal)) === writer;
      }
    }, signal);
  }

  async #writerOf(key: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    return (await this.#requests.head(this.#at(key), signal)).Metadata?.[WRITER];
  }

  /** [BUCKET-5] Some servers take an ETag only without its quotes, and answer those who come second with 500. */
  async replaceIf(
    key: string,
    { bytes, etag }: Replacement,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    checkKey(key);
    signal?.throwIfAborted();
    const writer = Buffer.from(this.#options.random.bytes(12)).toString('hex');
    const put = (isQuoted: boolean) =>
      this.#requests.put(
        { ...this.#marked(key, bytes, writer), IfMatch: isQuoted ? `"${etag}"` : etag },
        signal,
      );
    return this.#requests.trying(async () => {
      for (const isQuoted of this.#isQuoted === undefined ? [true, false] : [this.#isQuoted]) {
        try {
          const { ETag } = await put(isQuoted);
          this.#isQuoted = isQuoted;
          return plain(ETag) ?? (await this.#tagOf(key, signal));
        } catch (error) {
          const meaning = meaningOf(error);
          if (meaning === 'missing') return undefined;
          if (meaning !== 'conflict' && meaning !== 'transient') throw error;
          // What the server says of a race is not to be trusted: what is there now is.
          const now = await this.#look(key, signal);
          if (now?.writer === writer) return now.etag;
          if (now?.etag !== etag) return undefined;
          if (meaning === 'transient') throw error;
        }
      }
      return undefined;
    }, signal);
  }

  #marked(key: string, bytes: Uint8Array, writer: string) {
    return {
      Key: this.#at(key),
      Body: bytes,
      ContentLength: bytes.length,
      ContentMD5: bodyOf(bytes).md5,
      Metadata: { [WRITER]: writer },
    };
  }

  async #look(
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly etag: string | undefined; readonly writer: string | undefined } | undefined> {
    const found = await orMissing(() => this.#requests.head(this.#at(key), signal));
    return found && { etag: plain(found.ETag), writer: found.Metadata?.[WRITER] };
  }

  async #tagOf(key: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    return (await this.#look(key, signal))?.etag;
  }

  async read(key: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    return (await this.readTagged(key, signal))?.bytes;
  }

  async readTagged(key: string, signal?: AbortSignal): Promise<TaggedObject | undefined> {
    checkKey(key);
    signal?.throwIfAborted();
    return this.#requests.trying(async () => {
      const found = await orMissing(() => this.#requests.get({ Key: this.#at(key) }, signal));
      if (!found?.Body) return undefined;
      const bytes = await this.#requests.bytes(found);
      const large = this.#large.placeIn(found.Metadata);
      if (large) return { bytes: await this.#large.read(large, signal), etag: plain(found.ETag) ?? '' };
      return { bytes, etag: plain(found.ETag) ?? '' };
    }, signal);
  }

  async readRange(key: string, range: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const { start, length } = range;
    assert(start >= 0 && length >= 0, `a range starts at ${start} and has ${length} bytes`);
    checkKey(key);
    signal?.throwIfAborted();
    // Nothing cannot be asked for as a range.
    if (length === 0) return (await this.stat(key, signal)) && new Uint8Array();
    return this.#requests.trying(async () => {
      try {
        const found = await orMissing(() =>
          this.#requests.get({ Key: this.#at(key), Range: `bytes=${start}-${start + length - 1}` }, signal),
        );
        if (!found?.Body) return undefined;
        const large = this.#large.placeIn(found.Metadata);
        if (large) return await this.#large.readRange(large, range, signal);
        return await this.#requests.bytes(found);
      } catch (error) {
        // Past the end there is nothing; of a pointer, that does not say where the end is.
        if (statusOf(error) !== 416) throw error;
        const large = this.#large.placeIn((await this.#requests.head(this.#at(key), signal)).Metadata);
        return large ? await this.#large.readRange(large, range, signal) : new Uint8Array();
      }
    }, signal);
  }

  async download(
    key: string,
    target: string,
    signal?: AbortSignal,
  ): Promise<{ readonly sizeBytes: number } | undefined> {
    checkKey(key);
    signal?.throwIfAborted();
    const found = await this.#headOf(key, signal);
    if (!found) return undefined;
    const large = this.#large.placeIn(found.Metadata);
    const source = large
      ? { key: large.key, sizeBytes: large.sizeBytes, etag: undefined }
      : { key: this.#at(key), sizeBytes: found.ContentLength ?? 0, etag: found.ETag };
    const isNew = await createFileWith(this.#options.disk, target, (file) =>
      this.#fill(file, source, signal),
    );
    if (!isNew) throw bucketErrors.fileExists(key, target);
    return { sizeBytes: source.sizeBytes };
  }

  /** Where a connection ends in the middle, what is left is asked for: of the same object, or not at all. */
  async #fill(
    file: DiskFile,
    {
      key,
      sizeBytes,
      etag,
    }: { readonly key: string; readonly sizeBytes: number; readonly etag: string | undefined },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    let position = 0;
    while (position < sizeBytes) {
      const before = position;
      position = await this.#requests.trying(async () => {
        const { Body: body } = await this.#requests.get(
          { Key: key, Range: `bytes=${position}-`, ...(etag !== undefined && { IfMatch: etag }) },
          signal,
        );
        let at = position;
        try {
          for await (const chunk of this.#requests.pieces(body)) {
            signal?.throwIfAborted();
            await file.write(chunk, at);
            at += chunk.length;
          }
        } catch (error) {
          signal?.throwIfAborted();
          if (at === position) throw error;
        }
        return at;
      }, signal);
      assert(position > before, 'a download goes on');
    }
  }

  async stat(key: string, signal?: AbortSignal): Promise<ObjectStat | undefined> {
    checkKey(key);
    signal?.throwIfAborted();
    const found = await this.#headOf(key, signal);
    if (!found) return undefined;
    const large = this.#large.placeIn(found.Metadata);
    return {
      sizeBytes: large?.sizeBytes ?? found.ContentLength ?? 0,
      modifiedMs: found.LastModified?.getTime() ?? 0,
    };
  }

  #headOf(key: string, signal: AbortSignal | undefined) {
    return this.#requests.trying(() => orMissing(() => this.#requests.head(this.#at(key), signal)), signal);
  }

  async *list(folder: string, options?: ListOptions): AsyncGenerator<ListedObject> {
    for await (const { key, sizeBytes } of this.#listing.all(folder, options))
      yield { key, sizeBytes: await this.#sizeOf(key, sizeBytes, options?.signal) };
  }

  async *listFolder(folder: string, options?: ListOptions): AsyncGenerator<FolderEntry> {
    for await (const entry of this.#listing.folder(folder, options))
      yield entry.kind === 'folder'
        ? entry
        : { ...entry, sizeBytes: await this.#sizeOf(entry.key, entry.sizeBytes, options?.signal) };
  }

  /** A list tells the size of the pointer; all of them have the same, which others rarely have. */
  async #sizeOf(key: string, listed: number, signal: AbortSignal | undefined): Promise<number> {
    if (listed !== POINTER_BYTES) return listed;
    return (await this.stat(key, signal))?.sizeBytes ?? listed;
  }

  remove(key: string, signal?: AbortSignal): Promise<void> {
    return this.removeAll([key], signal);
  }

  async removeAll(keys: Iterable<string>, signal?: AbortSignal): Promise<void> {
    const all = [...keys];
    for (const key of all) checkKey(key);
    signal?.throwIfAborted();
    const failures: unknown[] = [];
    for (let from = 0; from < all.length; from += REMOVED_AT_A_TIME) {
      const some = all.slice(from, from + REMOVED_AT_A_TIME);
      const keysThere = some.map((key) => this.#at(key));
      const failed = await this.#requests.trying(() => this.#requests.delete(keysThere, signal), signal);
      failures.push(
        ...failed.map(({ Key, Code, Message }) =>
          bucketErrors.denied(`${this.url}: ${Key}`, `${Code} ${Message}`),
        ),
      );
      await this.#large.dropOf(some, signal);
    }
    if (failures.length > 0) throw failures[0];
  }

  #at(key: string): string {
    const { prefix } = this.#requests.address;
    return prefix === '' ? key : `${prefix}/${key}`;
  }
}

/** Undefined where there is no such object; other failures are failures. */
async function orMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (meaningOf(error) === 'missing') return undefined;
    throw error;
  }
}

/** Without quotes, as it is compared. */
function plain(etag: string | undefined): string | undefined {
  const text = etag?.replace(/^"|"$/g, '');
  return text === '' ? undefined : text;
}

function asTransient(error: unknown): Error {
  return Object.assign(new Error('another writer was at it', { cause: error }), { name: 'OperationAborted' });
}
