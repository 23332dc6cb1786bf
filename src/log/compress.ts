import { pipeline } from 'node:stream/promises';
import { constants, createDeflateRaw, createZstdCompress, deflateRawSync, zstdCompressSync } from 'node:zlib';
import { METHOD_DEFLATE, METHOD_STORED, METHOD_ZSTD } from './zip-format.ts';

export type CompressionMethod = 'zstd' | 'deflate' | 'stored';

const METHODS = { zstd: METHOD_ZSTD, deflate: METHOD_DEFLATE, stored: METHOD_STORED } as const;
const DEFLATE_LEVEL = 5;
/** The browser's decoder overflows on a frame of 256 MiB, so a new one begins after this much input. */
export const FRAME_INPUT_BYTES_MAX = 200 * 1024 * 1024;
/** As Inspect writes it: level 3, neither content size nor checksum in the frame. */
const ZSTD_PARAMS = {
  [constants.ZSTD_c_compressionLevel]: 3,
  [constants.ZSTD_c_contentSizeFlag]: 0,
  [constants.ZSTD_c_checksumFlag]: 0,
};

export function methodNumber(method: CompressionMethod): number {
  return METHODS[method];
}

/**
 * Small members in one go: 45 µs for 3 KB, where a hop to the thread pool takes five times as long (measured on two
 * cores). The output is one frame, so it must be shorter than a frame may be.
 */
export function compressAtOnce(bytes: Uint8Array, method: CompressionMethod): Uint8Array {
  // The result keeps its whole output chunk alive: the default of 16 KB would be thirty times a small sample's size.
  const chunkSize = Math.min(Math.max(bytes.length >> 1, 1024), 128 * 1024);
  switch (method) {
    case 'zstd':
      return zstdCompressSync(bytes, { params: ZSTD_PARAMS, chunkSize });
    case 'deflate':
      return deflateRawSync(bytes, { level: DEFLATE_LEVEL, chunkSize });
    case 'stored':
      return bytes;
  }
}

export interface CompressStreamOptions {
  readonly method: CompressionMethod;
  readonly write: (compressed: Uint8Array) => Promise<void>;
  /** Only tests make frames shorter. */
  readonly frameInputBytesMax?: number;
}

/** Compresses what `chunks` gives, without holding it. */
export async function compressStream(
  chunks: AsyncIterable<Uint8Array>,
  options: CompressStreamOptions,
): Promise<void> {
  if (options.method === 'stored') {
    for await (const chunk of chunks) await options.write(chunk);
    return;
  }
  const source = new Cuttable(chunks);
  const frameBytes =
    options.method === 'zstd' ? (options.frameInputBytesMax ?? FRAME_INPUT_BYTES_MAX) : Infinity;
  do {
    const compressor =
      options.method === 'zstd'
        ? createZstdCompress({ params: ZSTD_PARAMS })
        : createDeflateRaw({ level: DEFLATE_LEVEL });
    await pipeline(source.take(frameBytes), compressor, async (output: AsyncIterable<Uint8Array>) => {
      for await (const chunk of output) await options.write(chunk);
    });
  } while (await source.hasMore());
}

/** A stream of chunks that can be read in portions: `take` ends after so many bytes, and the next goes on there. */
class Cuttable {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array | undefined;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async *take(sizeBytesMax: number): AsyncGenerator<Uint8Array> {
    let left = sizeBytesMax;
    while (left > 0 && (await this.hasMore())) {
      const chunk = this.#rest as Uint8Array;
      this.#rest = chunk.length > left ? chunk.subarray(left) : undefined;
      yield chunk.subarray(0, left);
      left -= Math.min(left, chunk.length);
    }
  }

  async hasMore(): Promise<boolean> {
    while (!this.#rest?.length) {
      const next = await this.#chunks.next();
      if (next.done) return false;
      this.#rest = next.value;
    }
    return true;
  }
}
