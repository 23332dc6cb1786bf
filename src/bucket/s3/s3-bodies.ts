import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Disk } from '../../disk/index.ts';

/** What is sent: bytes, or a file that is read anew for each try. */
export interface Body {
  readonly sizeBytes: number;
  /** In base64, for the server to check what arrived. */
  readonly md5: string;
  open(): Promise<{ readonly content: Uint8Array | Readable } & AsyncDisposable>;
}

const CHUNK_BYTES = 1024 * 1024;

export function bodyOf(bytes: Uint8Array): Body {
  return {
    sizeBytes: bytes.length,
    md5: createHash('md5').update(bytes).digest('base64'),
    open: async () => ({ content: bytes, [Symbol.asyncDispose]: async () => undefined }),
  };
}

/** Read twice: a server wants to know the digest of a body before it comes. */
export async function bodyOfFile(disk: Disk, path: string, signal?: AbortSignal): Promise<Body> {
  const md5 = createHash('md5');
  let sizeBytes = 0;
  for await (const chunk of chunksOf(disk, path)) {
    signal?.throwIfAborted();
    md5.update(chunk);
    sizeBytes += chunk.length;
  }
  return {
    sizeBytes,
    md5: md5.digest('base64'),
    open: async () => {
      const content = Readable.from(chunksOf(disk, path), { objectMode: false });
      return { content, [Symbol.asyncDispose]: async () => void content.destroy() };
    },
  };
}

/** Each chunk has its own bytes: whoever sends one may still hold it when the next is read. */
async function* chunksOf(disk: Disk, path: string): AsyncGenerator<Uint8Array> {
  await using file = await disk.open(path, 'read');
  for (let position = 0; ; ) {
    const chunk = new Uint8Array(CHUNK_BYTES);
    const found = await file.read(chunk, position);
    if (found === 0) return;
    yield chunk.subarray(0, found);
    position += found;
  }
}
