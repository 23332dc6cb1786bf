import { Readable, type Transform } from 'node:stream';
import { createInflateRaw, createZstdDecompress, inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { METHOD_DEFLATE, METHOD_STORED, METHOD_ZSTD } from './zip-format.ts';
import { ZstdFrameScanner } from './zstd-frames.ts';

/** The default of 16 KB costs a turn of the event loop each. */
const CHUNK_BYTES = 128 * 1024;

export function isKnownMethod(method: number): boolean {
  return method === METHOD_STORED || method === METHOD_DEFLATE || method === METHOD_ZSTD;
}

/** Decompresses without holding more than a few chunks. Errors are those of zlib, or a RangeError for foreign bytes. */
export async function* decompressStream(
  chunks: AsyncIterable<Uint8Array>,
  method: number,
): AsyncGenerator<Uint8Array> {
  if (method === METHOD_STORED) yield* chunks;
  else if (method === METHOD_DEFLATE) yield* through(chunks, createInflateRaw({ chunkSize: CHUNK_BYTES }));
  else yield* decompressFrames(chunks);
}

/** Small members in one go. More output than `sizeBytesMax` is an error, so that a bomb cannot unfold. */
export function decompressAtOnce(bytes: Uint8Array, method: number, sizeBytesMax: number): Uint8Array {
  if (method === METHOD_STORED) return bytes;
  // One output buffer of the right size: the default of 16 KB would be kept alive by a result of a few bytes.
  const chunkSize = Math.min(Math.max(sizeBytesMax, 64), CHUNK_BYTES);
  if (method === METHOD_DEFLATE) {
    return inflateRawSync(bytes, { chunkSize, maxOutputLength: Math.max(sizeBytesMax, 1) });
  }
  const frames: Uint8Array[] = [];
  const scanner = new ZstdFrameScanner();
  let left = sizeBytesMax;
  for (let at = 0; at < bytes.length; ) {
    const frameBytes = scanner.push(bytes.subarray(at));
    if (frameBytes === 'not-zstd') throw new RangeError('not a zstd frame');
    const compressed = bytes.subarray(at, at + frameBytes);
    const frame = zstdDecompressSync(compressed, { chunkSize, maxOutputLength: Math.max(left, 1) });
    frames.push(frame);
    left -= frame.length;
    if (left < 0) throw new RangeError('more than was announced');
    at += frameBytes;
  }
  return frames.length === 1 ? (frames[0] as Uint8Array) : Buffer.concat(frames);
}

async function* decompressFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  const scanner = new ZstdFrameScanner();
  let rest: Uint8Array = new Uint8Array();
  let isDone = false;

  async function fill(): Promise<boolean> {
    while (rest.length === 0 && !isDone) {
      const next = await source.next();
      if (next.done) isDone = true;
      else rest = next.value;
    }
    return rest.length > 0;
  }
  async function* frame(): AsyncGenerator<Uint8Array> {
    do {
      const taken = scanner.push(rest);
      if (taken === 'not-zstd') throw new RangeError('not a zstd frame');
      const part = rest.subarray(0, taken);
      rest = rest.subarray(taken);
      yield part;
    } while (!scanner.isBetweenFrames && (await fill()));
  }
  try {
    while (await fill()) yield* through(frame(), createZstdDecompress({ chunkSize: CHUNK_BYTES }));
  } finally {
    await source.return?.();
  }
}

async function* through(chunks: AsyncIterable<Uint8Array>, decoder: Transform): AsyncGenerator<Uint8Array> {
  const input = Readable.from(chunks, { objectMode: false });
  input.on('error', (error) => decoder.destroy(error));
  input.pipe(decoder);
  try {
    for await (const chunk of decoder) yield chunk as Uint8Array;
  } finally {
    input.destroy();
    decoder.destroy();
  }
}
