import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { DamageError, type Json, NotKeptError, parseJson, type RunId, stringifyJson } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { type Disk, tempPathFor } from '../disk/index.ts';

/** Where the documents of samples are kept, which are most of what a run weighs. */
export type BodiesSetting =
  | { readonly kept: 'git' }
  /** Those of more than `limitBytes` go to the bucket. */
  | { readonly kept: 'bucket'; readonly bucket: Bucket; readonly limitBytes: number }
  /** None of them is kept: only what lists and comparisons need. */
  | { readonly kept: 'summary' };

export const BODY_LIMIT_BYTES = 2 ** 20;

/** [RES-11] What stands in git for a body that is kept elsewhere, or nowhere. */
const pointer = z.object({
  version: z.literal(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.number().int().nonnegative(),
  kept: z.enum(['bucket', 'nowhere']),
});
export type BodyPointer = z.infer<typeof pointer>;

export function pointerBytes(one: BodyPointer): Uint8Array {
  return Buffer.from(`${stringifyJson(one)}\n`, 'utf8');
}

export function readPointer(bytes: Uint8Array, place: string): BodyPointer {
  let value: Json | undefined;
  try {
    value = parseJson(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw badPointer(place, error);
  }
  const read = pointer.safeParse(value);
  if (!read.success) throw badPointer(place, read.error);
  return read.data;
}

/** By content, so that the same body is kept once, however many runs have it. */
export function bodyKey(sha256: string): string {
  return `${BODIES_FOLDER}/${sha256.slice(0, 2)}/${sha256}`;
}
export const BODIES_FOLDER = 'bodies';

/** Puts a body into the bucket, unless it is there. It is durable when this returns. Never held in memory. */
export async function storeBody(
  chunks: AsyncIterable<Uint8Array>,
  { disk, bucket }: { readonly disk: Disk; readonly bucket: Bucket },
): Promise<BodyPointer> {
  const path = tempPathFor(join(tmpdir(), 'body'));
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const file = await disk.open(path, 'create');
  try {
    for await (const chunk of chunks) {
      hash.update(chunk);
      await file.write(chunk, sizeBytes);
      sizeBytes += chunk.length;
    }
    await file.close();
    const sha256 = hash.digest('hex');
    await bucket.createFromFile(bodyKey(sha256), path);
    return { version: 1, sha256, sizeBytes, kept: 'bucket' };
  } finally {
    await disk.remove(path);
  }
}

/** What a document is known by, without keeping it. */
export async function pointerTo(chunks: AsyncIterable<Uint8Array>): Promise<BodyPointer> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { version: 1, sha256: hash.digest('hex'), sizeBytes, kept: 'nowhere' };
}

const CHUNK_BYTES = 4 * 2 ** 20;

/** The bytes that a pointer stands for, checked: who reads to the end has read what was published [RES-11]. */
export async function* readBody(
  { sha256, sizeBytes, kept }: BodyPointer,
  about: { readonly bucket: Bucket | undefined; readonly run: RunId; readonly name: string },
): AsyncGenerator<Uint8Array> {
  const { bucket, run, name } = about;
  if (kept === 'nowhere') throw leftOut(run, name);
  if (!bucket) throw noBucket(run, name);
  const hash = createHash('sha256');
  for (let start = 0; start < sizeBytes; ) {
    const length = Math.min(CHUNK_BYTES, sizeBytes - start);
    const chunk = await bucket.readRange(bodyKey(sha256), { start, length });
    if (!chunk || chunk.length === 0) throw gone(run, name, bucket.url);
    hash.update(chunk);
    start += chunk.length;
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw damaged(run, name, bucket.url);
}

/** Whether a body was looked for in its bucket and is not there. */
export function isGone(error: unknown): boolean {
  return error instanceof NotKeptError && error.code === 'E_RESULT_BODY_GONE';
}

/** Whether a body is in a bucket that nobody named. */
export function isAway(error: unknown): boolean {
  return error instanceof NotKeptError && error.code === 'E_RESULT_BODY_AWAY';
}

function leftOut(run: RunId, name: string): NotKeptError {
  return new NotKeptError({
    code: 'E_RESULT_BODY_LEFT_OUT',
    message: `Of run ${run} only the summary was published: ${name} is not kept.`,
    hint: 'The log itself has it, where the run was made. Set results.bodies to "git" or "bucket" to keep all of later runs.',
  });
}

function noBucket(run: RunId, name: string): NotKeptError {
  return new NotKeptError({
    code: 'E_RESULT_BODY_AWAY',
    message: `${name} of run ${run} is kept in a bucket, and none is named.`,
    hint: 'Name it with --bucket, or as "bucket" in holdfast.config.',
  });
}

function gone(run: RunId, name: string, url: string): NotKeptError {
  return new NotKeptError({
    code: 'E_RESULT_BODY_GONE',
    message: `${name} of run ${run} is not in the bucket ${url}.`,
    hint: 'It was dropped by "holdfast results gc", or that is another bucket. Publishing the log again brings it back.',
  });
}

function damaged(run: RunId, name: string, url: string): DamageError {
  return new DamageError({
    code: 'E_RESULT_BODY',
    message: `${name} of run ${run} is damaged in the bucket ${url}: it is not what was published.`,
    hint: 'Publish the log of that run again with "holdfast results publish": it is put there anew.',
  });
}

function badPointer(place: string, cause: unknown): DamageError {
  return new DamageError({
    code: 'E_RESULT_BODY',
    message: `The pointer ${place} cannot be read.`,
    hint: 'Publish the log of that run again with "holdfast results publish".',
    cause,
  });
}
