import { createHash } from 'node:crypto';
import { digestOf } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';
import type { ByteRange } from '../bucket.ts';
import { LARGE_NAME } from '../key.ts';
import type { Body } from './s3-bodies.ts';
import type { RequestsOptions, S3Requests } from './s3-requests.ts';

/** All pointers are so long. */
export const POINTER_BYTES = 251;
const POINTER = 'holdfast-large';
const SIZE = 'holdfast-size';
const PART_BYTES = 64 * 1024 * 1024;
/** So many are allowed. */
const PARTS_MAX = 10_000;

export interface LargePlace {
  readonly key: string;
  readonly sizeBytes: number;
}

export interface Pointer {
  readonly place: LargePlace;
  readonly bytes: Uint8Array;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Objects that are too large for one request. */
export class LargeObjects {
  readonly #requests: S3Requests;
  readonly #options: RequestsOptions;
  /** Nothing was left to be removed when it was last looked for, and nothing was uploaded since. */
  #isNone = false;

  constructor(requests: S3Requests, options: RequestsOptions) {
    this.#requests = requests;
    this.#options = options;
  }

  /** Uploads the content under a name of its own. Nobody sees it before its pointer is there. */
  async upload(
    key: string,
    { disk, path, body }: { readonly disk: Disk; readonly path: string; readonly body: Body },
    signal?: AbortSignal,
  ): Promise<Pointer> {
    this.#isNone = false;
    const own = Buffer.from(this.#options.random.bytes(9)).toString('base64url');
    const place = { key: `${this.#dirOf(key)}/${own}`, sizeBytes: body.sizeBytes };
    const upload = await this.#requests.trying(
      () => this.#requests.beginParts(place.key, {}, signal),
      signal,
    );
    try {
      const etags = await this.#putParts({ disk, path, upload, place }, signal);
      await this.#requests.trying(() => this.#requests.endParts(place.key, upload, etags, signal), signal);
    } catch (error) {
      // Whatever went wrong is told; parts that cannot be dropped either are swept by the bucket's own rules.
      await this.#requests.dropParts(place.key, upload).catch(() => undefined);
      throw error;
    }
    const name = place.key.slice(this.#root.length);
    const text = JSON.stringify({
      format: 'holdfast-large',
      version: 1,
      at: name,
      sizeBytes: body.sizeBytes,
    });
    return {
      place,
      bytes: Buffer.from(text.padEnd(POINTER_BYTES)),
      metadata: { [POINTER]: name, [SIZE]: String(body.sizeBytes) },
    };
  }

  placeIn(metadata: Readonly<Record<string, string>> | undefined): LargePlace | undefined {
    const name = metadata?.[POINTER];
    if (name === undefined || !name.startsWith(`${LARGE_NAME}/`)) return undefined;
    return { key: this.#root + name, sizeBytes: Number(metadata?.[SIZE] ?? 0) };
  }

  async read(place: LargePlace, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#requests.bytes(await this.#requests.get({ Key: place.key }, signal));
  }

  async readRange(
    place: LargePlace,
    { start, length }: ByteRange,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const end = Math.min(start + length, place.sizeBytes);
    if (start >= end) return new Uint8Array();
    const Range = `bytes=${start}-${end - 1}`;
    return this.#requests.bytes(await this.#requests.get({ Key: place.key, Range }, signal));
  }

  async drop(place: LargePlace): Promise<void> {
    await this.#requests.trying(() => this.#requests.delete([place.key]));
  }

  /**
   * What removed objects leave behind. A removal does not say whether what it removed was a pointer, so large objects are looked for; but
   * where there were none they are not looked for again. One that another process uploads meanwhile, and whose pointer this
   * one then removes, stays as an orphan: a run removes what it has shipped itself, which is small.
   */
  async dropOf(keys: readonly string[], signal?: AbortSignal): Promise<void> {
    if (this.#isNone) return;
    let isNone = true;
    const dirs = new Set(keys.map((key) => `${this.#dirOf(key)}/`));
    const left: string[] = [];
    let token: string | undefined;
    do {
      const page = await this.#requests.trying(
        () =>
          this.#requests.list(
            {
              Prefix: `${this.#root}${LARGE_NAME}/`,
              ...(token !== undefined && { ContinuationToken: token }),
            },
            signal,
          ),
        signal,
      );
      if ((page.Contents ?? []).length > 0) isNone = false;
      for (const { Key = '' } of page.Contents ?? [])
        if (dirs.has(Key.slice(0, Key.lastIndexOf('/') + 1))) left.push(Key);
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
    this.#isNone = isNone;
    if (left.length > 0) await this.#requests.trying(() => this.#requests.delete(left, signal), signal);
  }

  async #putParts(
    {
      disk,
      path,
      upload,
      place,
    }: { readonly disk: Disk; readonly path: string; readonly upload: string; readonly place: LargePlace },
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const partBytes = Math.max(PART_BYTES, Math.ceil(place.sizeBytes / PARTS_MAX));
    const etags: string[] = [];
    await using file = await disk.open(path, 'read');
    const buffer = new Uint8Array(partBytes);
    for (let position = 0; position < place.sizeBytes; ) {
      const found = await file.read(buffer, position);
      const body = buffer.subarray(0, found);
      const md5 = createHash('md5').update(body).digest('base64');
      const part = { key: place.key, upload, number: etags.length + 1, body, md5 };
      etags.push(await this.#requests.trying(() => this.#requests.putPart(part, signal), signal));
      position += found;
    }
    return etags;
  }

  #dirOf(key: string): string {
    return `${this.#root}${LARGE_NAME}/${digestOf(key).slice(0, 32)}`;
  }

  get #root(): string {
    const { prefix } = this.#requests.address;
    return prefix === '' ? '' : `${prefix}/`;
  }
}
