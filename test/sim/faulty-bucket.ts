import { ActionableError } from '../../src/base/index.ts';
import type { Bucket } from '../../src/bucket/index.ts';
import { FaultQueue } from './fault-queue.ts';

export interface BucketFault {
  readonly on: 'create' | 'put' | 'createFromFile' | 'read' | 'readRange' | 'stat' | 'list' | 'remove';
  /**
   * - `timeout`: the request never arrived, and an error came back;
   * - `lostAcknowledgement`: the request was carried out, and an error came back;
   * - `duplicate`: the network delivered the request twice, and the second answer came back: a create that made the
   *   object says false.
   */
  readonly kind: 'timeout' | 'lostAcknowledgement' | 'duplicate';
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

  create(key: string, bytes: Uint8Array): Promise<boolean> {
    return this.#send('create', key, () => this.#bucket.create(key, bytes));
  }

  put(key: string, bytes: Uint8Array): Promise<void> {
    return this.#send('put', key, () => this.#bucket.put(key, bytes));
  }

  createFromFile(key: string, path: string): Promise<boolean> {
    return this.#send('createFromFile', key, () => this.#bucket.createFromFile(key, path));
  }

  read(key: string): Promise<Uint8Array | undefined> {
    return this.#send('read', key, () => this.#bucket.read(key));
  }

  readRange(key: string, start: number, length: number): Promise<Uint8Array | undefined> {
    return this.#send('readRange', key, () => this.#bucket.readRange(key, start, length));
  }

  stat(key: string): Promise<{ readonly sizeBytes: number; readonly modifiedMs: number } | undefined> {
    return this.#send('stat', key, () => this.#bucket.stat(key));
  }

  async *list(prefix: string): AsyncIterable<{ readonly key: string; readonly sizeBytes: number }> {
    await this.#send('list', prefix, async () => undefined);
    yield* this.#bucket.list(prefix);
  }

  remove(key: string): Promise<void> {
    return this.#send('remove', key, () => this.#bucket.remove(key));
  }

  async #send<T>(on: BucketFault['on'], key: string, request: () => Promise<T>): Promise<T> {
    const fault = this.#faults.take(on, key);
    if (fault?.kind === 'timeout') throw unavailable(on, key);
    const answer = await request();
    if (fault?.kind === 'lostAcknowledgement') throw unavailable(on, key);
    return fault?.kind === 'duplicate' ? request() : answer;
  }
}

function unavailable(on: string, key: string): ActionableError {
  return new ActionableError({
    code: 'E_BUCKET_UNAVAILABLE',
    message: `No answer came to ${on} of ${JSON.stringify(key)}.`,
    hint: 'Try again.',
    retryable: true,
  });
}
