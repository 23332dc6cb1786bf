import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inOrder } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { type Disk, tempPathFor } from '../disk/index.ts';
import type { ByteSource } from './byte-source.ts';
import { isListed } from './directory-log-store.ts';
import type { LogReader, StoredLogReader } from './log-reader.ts';
import type { CreatedLog, CreateLogOptions, LogStore, StoredLog } from './log-store.ts';
import { checkLogName, filling, type LogPlace, makeLog } from './make-log.ts';
import { openSource } from './open-log.ts';
import { pagedSource } from './paged-source.ts';
import type { Scratch } from './text-store.ts';
import { openTornSource } from './torn-log.ts';
import { type VerifyReport, verifyOpening } from './verify-log.ts';

export interface BucketLogStoreOptions {
  /** Where logs are written before they are uploaded, and what does not fit in memory goes. */
  readonly disk: Disk;
  readonly scratchDir?: string;
}

/** The logs directly in a folder of a bucket ('' for the bucket itself). */
export function bucketLogStore(bucket: Bucket, folder: string, options: BucketLogStoreOptions): LogStore {
  return new BucketLogStore(bucket, folder, options);
}

/** Each is a request, which mostly waits. */
const STATS_AT_A_TIME = 32;

class BucketLogStore implements LogStore {
  readonly place: string;
  readonly #bucket: Bucket;
  readonly #prefix: string;
  readonly #options: BucketLogStoreOptions;

  constructor(bucket: Bucket, folder: string, options: BucketLogStoreOptions) {
    const trimmed = folder.replace(/\/$/, '');
    const url = bucket.url.replace(/\/$/, '');
    this.#bucket = bucket;
    this.#prefix = trimmed === '' ? '' : `${trimmed}/`;
    this.place = trimmed === '' ? url : `${url}/${trimmed}`;
    this.#options = options;
  }

  async *list(signal?: AbortSignal): AsyncGenerator<StoredLog> {
    // What lies in folders below is no log of this store, and may be much: the segments of runs.
    const names: string[] = [];
    for await (const { kind, key } of this.#bucket.listFolder(this.#prefix)) {
      signal?.throwIfAborted();
      const name = key.slice(this.#prefix.length);
      if (kind === 'object' && isListed(name)) names.push(name);
    }
    for await (const found of inOrder(names, { atATime: STATS_AT_A_TIME, work: (name) => this.stat(name) })) {
      signal?.throwIfAborted();
      if (found) yield found;
    }
  }

  async stat(name: string): Promise<StoredLog | undefined> {
    const stat = await this.#bucket.stat(this.#keyOf(name));
    return stat && { name, ...stat };
  }

  async open(name: string): Promise<LogReader | undefined> {
    const stat = await this.stat(name);
    return stat && this.#openStored(stat);
  }

  async verify(name: string): Promise<VerifyReport | undefined> {
    const stat = await this.stat(name);
    return stat && verifyOpening(this.placeOf(name), () => this.#openStored(stat));
  }

  async openTorn(name: string): Promise<LogReader | undefined> {
    const stat = await this.stat(name);
    return stat && openTornSource(this.#sourceOf(stat), this.#scratch());
  }

  #openStored(stored: StoredLog): Promise<StoredLogReader> {
    return openSource(this.#sourceOf(stored), { scratch: this.#scratch() });
  }

  #scratch(): Scratch {
    const { disk, scratchDir } = this.#options;
    return scratchDir === undefined ? { disk } : { disk, dir: scratchDir };
  }

  #sourceOf({ name, sizeBytes }: StoredLog): ByteSource {
    const key = this.#keyOf(name);
    return pagedSource({
      name: this.placeOf(name),
      sizeBytes,
      // Gone while it was read: what is missing is told as a torn file.
      readNow: async (start, length) =>
        (await this.#bucket.readRange(key, { start, length })) ?? new Uint8Array(),
    });
  }

  async create<T>(name: string, options: CreateLogOptions<T>): Promise<CreatedLog<T>> {
    checkLogName(name);
    return makeLog(this.#placeFor(name), { ...options, fill: filling(options) });
  }

  placeOf(name: string): string {
    checkLogName(name);
    return `${this.place}/${name}`;
  }

  #keyOf(name: string): string {
    checkLogName(name);
    return `${this.#prefix}${name}`;
  }

  /**
   * A bucket takes a file whole or not at all, if there is none of that name. It cannot replace one in one step: the old one
   * is removed when the new one is already beside it, so that there is a whole log at every moment.
   */
  #placeFor(name: string): LogPlace {
    const { disk, scratchDir = tmpdir() } = this.#options;
    const bucket = this.#bucket;
    const key = this.#keyOf(name);
    const tempPath = tempPathFor(join(scratchDir, name));
    const replaceAt = async (at: string) => {
      const beside = besideKey(at);
      // Where a crash left only this one, it is the only whole log there is, and stays until the new one is in place.
      if (await bucket.stat(at)) await bucket.remove(beside);
      await bucket.createFromFile(beside, tempPath);
      await bucket.remove(at);
      await bucket.createFromFile(at, tempPath);
      await bucket.remove(beside);
    };
    return {
      disk,
      place: this.placeOf(name),
      tempPath,
      tempDir: scratchDir,
      isThere: async () => (await bucket.stat(key)) !== undefined,
      async commit(replace) {
        if (!replace) return bucket.createFromFile(key, tempPath);
        await replaceAt(key);
        return true;
      },
      setAside: async () => {
        await replaceAt(`${key}.damaged`);
        return `${this.placeOf(name)}.damaged`;
      },
    };
  }
}

/** `x.eval` → `x-new.eval`: a log by its name, so that whoever looks after a crash finds it. */
function besideKey(key: string): string {
  return key.replace(/(\.[^./]*)?$/, (ending) => `-new${ending}`);
}
