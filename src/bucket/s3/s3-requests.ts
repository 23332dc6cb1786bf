import { Readable } from 'node:stream';
import type {
  GetObjectCommandInput,
  GetObjectCommandOutput,
  HeadObjectCommandOutput,
  ListObjectsV2CommandInput,
  ListObjectsV2CommandOutput,
  PutObjectCommandInput,
  PutObjectCommandOutput,
  S3Client,
} from '@aws-sdk/client-s3';
import { assert, type Clock, type Random, UsageError } from '../../base/index.ts';
import type { S3Address } from './s3-address.ts';
import { explainS3Error, isClockCorrected, meaningOf } from './s3-errors.ts';

type Sdk = typeof import('@aws-sdk/client-s3');

export interface RequestsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Another server than that of the environment. */
  readonly endpoint?: string;
  /** When an answer has not begun for so long, or no byte of it has come, the connection is given up. Each a minute. */
  readonly answerMs?: number;
  readonly silentMs?: number;
}

/** How often a transient failure is met by asking again, and how long before the first time. Ten seconds in all. */
const TRIES = 7;
const WAIT_MS = 100;
const WAIT_MS_MAX = 4_000;
const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;
const SILENT_MS = 60_000;

const nothing = () => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** A request that may be made again; told which time it is, from 1. */
export type Attempt<T> = (attempt: number) => Promise<T>;

/** One bucket of a server that speaks S3, request by request. */
export class S3Requests {
  readonly address: S3Address;
  readonly #sdk: Sdk;
  readonly #client: S3Client;
  readonly #options: RequestsOptions;

  private constructor(sdk: Sdk, address: S3Address, options: RequestsOptions) {
    this.#sdk = sdk;
    this.address = address;
    this.#options = options;
    const { env, endpoint, answerMs = ANSWER_MS } = options;
    const isOtherServer = Boolean(endpoint ?? (env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL));
    this.#client = new sdk.S3Client({
      ...(endpoint !== undefined && { endpoint }),
      // Other servers rarely care, but the SDK wants one.
      ...(isOtherServer && !env.AWS_REGION && !env.AWS_DEFAULT_REGION && { region: 'us-east-1' }),
      // Names of buckets are rarely names of hosts there.
      forcePathStyle: env.HOLDFAST_S3_PATH_STYLE ? env.HOLDFAST_S3_PATH_STYLE !== 'false' : isOtherServer,
      // A repeated request must know that it is one: the answer of a first that was made may have been lost.
      maxAttempts: 1,
      // Not every server takes checksums after the body; each body has its MD5.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // What it would say on the terminal is in the errors that we throw, or has been dealt with.
      logger: SILENT,
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: answerMs },
    });
  }

  static async open(address: S3Address, options: RequestsOptions): Promise<S3Requests> {
    return new S3Requests(await loadSdk(address.url), address, options);
  }

  get(input: Omit<GetObjectCommandInput, 'Bucket'>, signal?: AbortSignal): Promise<GetObjectCommandOutput> {
    return this.#client.send(new this.#sdk.GetObjectCommand({ ...this.#at, ...input }), until(signal));
  }

  /** All bytes of an answer. */
  async bytes({ Body }: GetObjectCommandOutput): Promise<Uint8Array> {
    const { buffer, byteOffset, length } = Buffer.concat(await Array.fromAsync(this.pieces(Body)));
    return new Uint8Array(buffer, byteOffset, length);
  }

  /**
   * The bytes of an answer as they come, however slowly. An answer that stops is given up: the client itself watches a
   * connection only until the answer begins.
   */
  async *pieces(body: GetObjectCommandOutput['Body']): AsyncGenerator<Uint8Array> {
    if (body === undefined) return;
    assert(body instanceof Readable, 'the body of an answer is a stream');
    const { clock, silentMs = SILENT_MS } = this.#options;
    const stop = () => body.destroy(silentFor(silentMs));
    const coming: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
    // Only while somebody waits for bytes: what is done with them may take as long as it takes.
    const next = async () => {
      using _watch = clock.after(silentMs, stop);
      return await coming.next();
    };
    try {
      for (let piece = await next(); !piece.done; piece = await next()) yield piece.value;
    } finally {
      body.destroy();
    }
  }

  head(key: string, signal?: AbortSignal): Promise<HeadObjectCommandOutput> {
    return this.#client.send(new this.#sdk.HeadObjectCommand({ ...this.#at, Key: key }), until(signal));
  }

  put(input: Omit<PutObjectCommandInput, 'Bucket'>, signal?: AbortSignal): Promise<PutObjectCommandOutput> {
    return this.#client.send(new this.#sdk.PutObjectCommand({ ...this.#at, ...input }), until(signal));
  }

  list(
    input: Omit<ListObjectsV2CommandInput, 'Bucket'>,
    signal?: AbortSignal,
  ): Promise<ListObjectsV2CommandOutput> {
    return this.#client.send(new this.#sdk.ListObjectsV2Command({ ...this.#at, ...input }), until(signal));
  }

  async delete(
    keys: readonly string[],
    signal?: AbortSignal,
  ): Promise<
    readonly {
      readonly Key?: string | undefined;
      readonly Code?: string | undefined;
      readonly Message?: string | undefined;
    }[]
  > {
    const Objects = keys.map((Key) => ({ Key }));
    const command = new this.#sdk.DeleteObjectsCommand({ ...this.#at, Delete: { Objects, Quiet: true } });
    return (await this.#client.send(command, until(signal))).Errors ?? [];
  }

  async beginParts(key: string, metadata: Record<string, string>, signal?: AbortSignal): Promise<string> {
    const command = new this.#sdk.CreateMultipartUploadCommand({ ...this.#at, Key: key, Metadata: metadata });
    return (await this.#client.send(command, until(signal))).UploadId ?? '';
  }

  async putPart(
    part: {
      readonly key: string;
      readonly upload: string;
      readonly number: number;
      readonly body: Uint8Array;
      readonly md5: string;
    },
    signal?: AbortSignal,
  ): Promise<string> {
    const command = new this.#sdk.UploadPartCommand({
      ...this.#at,
      Key: part.key,
      UploadId: part.upload,
      PartNumber: part.number,
      Body: part.body,
      ContentMD5: part.md5,
    });
    return (await this.#client.send(command, until(signal))).ETag ?? '';
  }

  async endParts(key: string, upload: string, etags: readonly string[], signal?: AbortSignal): Promise<void> {
    const Parts = etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
    await this.#client.send(
      new this.#sdk.CompleteMultipartUploadCommand({
        ...this.#at,
        Key: key,
        UploadId: upload,
        MultipartUpload: { Parts },
      }),
      until(signal),
    );
  }

  async dropParts(key: string, upload: string): Promise<void> {
    await this.#client.send(
      new this.#sdk.AbortMultipartUploadCommand({ ...this.#at, Key: key, UploadId: upload }),
    );
  }

  /** Makes a request, and again after a failure that may pass. What fails for good is told by the codes of a bucket. */
  async trying<T>(attempt: Attempt<T>, signal?: AbortSignal): Promise<T> {
    const { clock, random } = this.#options;
    let wasSkewed = false;
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted();
      try {
        return await attempt(tries);
      } catch (error) {
        signal?.throwIfAborted();
        // The client has learned the time of the server from this answer; a second time the clock is not to blame.
        if (isClockCorrected(error) && !wasSkewed) {
          wasSkewed = true;
          continue;
        }
        if (meaningOf(error) !== 'transient' || tries >= TRIES) throw explainS3Error(error, this.address.url);
        const longest = Math.min(WAIT_MS_MAX, WAIT_MS * 2 ** tries);
        await clock.sleep(longest / 2 + (random.next() * longest) / 2, signal);
      }
    }
  }

  get #at(): { readonly Bucket: string } {
    return { Bucket: this.address.bucket };
  }
}

function until(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal ? { abortSignal: signal } : {};
}

function silentFor(ms: number): Error {
  return Object.assign(new Error(`nothing came for ${ms / 1_000} seconds`), { name: 'TimeoutError' });
}

/** It is large, so only those have it who use such a bucket. */
async function loadSdk(url: string): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-s3');
  } catch (error) {
    throw new UsageError({
      code: 'E_BUCKET_CLIENT',
      message: `${url} needs the package @aws-sdk/client-s3, which is not installed.`,
      hint: 'Install it beside Holdfast: npm install @aws-sdk/client-s3',
      cause: error,
    });
  }
}
