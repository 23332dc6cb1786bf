import {
  type Bucket,
  type ByteRange,
  bucketErrors,
  type FolderEntry,
  type ListedObject,
  type ListOptions,
  type ObjectStat,
  type Replacement,
  type TaggedObject,
} from '../../src/bucket/index.ts';
import { FaultQueue } from './fault-queue.ts';

export interface BucketFault {
  readonly on: Exclude<keyof Bucket, 'url'>;
  /**
   * - `timeout`: the request never arrived, and an error came back;
   * - `lostAcknowledgement`: the request was carried out, and an error came back;
   * - `duplicate`: the network delivered the request twice, and the second answer came back: a create that made the
   *   object says false;
   * - `denied`: the bucket does not allow it.
   */
  readonly kind: 'timeout' | 'lostAcknowledgement' | 'duplicate' | 'denied';
  readonly at?: RegExp;
  readonly after?: number;
}

/**
 * A bucket behind a bad network. `using faulty = new FaultyBucket(bucket, faults)` fails the test when a fault never
 * struck.
 */
export class FaultyBucket implements Bucket, Disposable {
  readonly url: string;
  readonly #bucket: Bucket;
  readonly #faults: FaultQueue<BucketFault>;

  constructor(bucket: Bucket, faults: readonly BucketFault[] = []) {
    this.url = bucket.url;
    this.#bucket = bucket;
    this.#faults = new FaultQueue(faults);
  }

  assertAllStruck(): void {
    this.#faults.assertAllStruck();
  }

  [Symbol.dispose](): void {
    this.assertAllStruck();
  }

  create(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<boolean> {
    return this.#send('create', key, () => this.#bucket.create(key, bytes, signal));
  }

  replaceIf(key: string, replacement: Replacement, signal?: AbortSignal): Promise<string | undefined> {
    return this.#send('replaceIf', key, () => this.#bucket.replaceIf(key, replacement, signal));
  }

  createFromFile(key: string, path: string, signal?: AbortSignal): Promise<boolean> {
    return this.#send('createFromFile', key, () => this.#bucket.createFromFile(key, path, signal));
  }

  read(key: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    return this.#send('read', key, () => this.#bucket.read(key, signal));
  }

  readTagged(key: string, signal?: AbortSignal): Promise<TaggedObject | undefined> {
    return this.#send('readTagged', key, () => this.#bucket.readTagged(key, signal));
  }

  readRange(key: string, range: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    return this.#send('readRange', key, () => this.#bucket.readRange(key, range, signal));
  }

  download(
    key: string,
    path: string,
    signal?: AbortSignal,
  ): Promise<{ readonly sizeBytes: number } | undefined> {
    return this.#send('download', key, () => this.#bucket.download(key, path, signal));
  }

  stat(key: string, signal?: AbortSignal): Promise<ObjectStat | undefined> {
    return this.#send('stat', key, () => this.#bucket.stat(key, signal));
  }

  async *list(folder: string, options?: ListOptions): AsyncIterable<ListedObject> {
    await this.#send('list', folder, async () => undefined);
    yield* this.#bucket.list(folder, options);
  }

  async *listFolder(folder: string, options?: ListOptions): AsyncIterable<FolderEntry> {
    await this.#send('listFolder', folder, async () => undefined);
    yield* this.#bucket.listFolder(folder, options);
  }

  remove(key: string, signal?: AbortSignal): Promise<void> {
    return this.#send('remove', key, () => this.#bucket.remove(key, signal));
  }

  removeAll(keys: Iterable<string>, signal?: AbortSignal): Promise<void> {
    const all = [...keys];
    return this.#send('removeAll', all.join('\n'), () => this.#bucket.removeAll(all, signal));
  }

  async #send<T>(on: BucketFault['on'], key: string, request: () => Promise<T>): Promise<T> {
    const fault = this.#faults.take(on, key);
    const noAnswer = () => bucketErrors.away(this.url, new Error(`no answer came to ${on} of ${key}`));
    if (fault?.kind === 'denied') throw bucketErrors.denied(this.url, new Error(`${on} of ${key}`));
    if (fault?.kind === 'timeout') throw noAnswer();
    const answer = await request();
    if (fault?.kind === 'lostAcknowledgement') throw noAnswer();
    return fault?.kind === 'duplicate' ? request() : answer;
  }
}
