import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '../../base/index.ts';
import { type Disk, type DiskFile, tempPathFor } from '../../disk/index.ts';

/** Where spools lie: files that nobody needs after the process. */
export interface SpoolPlace {
  readonly disk: Disk;
  /** Default: where the system keeps such files. */
  readonly dir?: string | undefined;
}

const BLOCK_BYTES = 2 ** 20;
/** Whoever writes faster than the disk waits from here on. */
const UNWRITTEN_BYTES_MAX = 8 * BLOCK_BYTES;

const FREE_MAX = 4;

/** A stretch of a spool. */
export interface Stretch {
  readonly start: number;
  readonly sizeBytes: number;
}

/**
 * Bytes that are appended and read again, while they are still being appended. The first block stays in memory, so that what is
 * small never becomes a file; the file goes with the spool.
 */
export class SpoolFile implements AsyncDisposable {
  readonly #place: SpoolPlace;
  #path: string | undefined;
  #file: Promise<DiskFile> | undefined;
  #tail = Buffer.allocUnsafe(64 * 1024);
  #tailStart = 0;
  #tailUsed = 0;
  /** Blocks that were written: new ones would be cleaned up after, each of them. */
  #free: Buffer<ArrayBuffer>[] = [];
  /** Blocks that are full, and not in the file yet. */
  #waiting: { readonly start: number; readonly bytes: Buffer<ArrayBuffer> }[] = [];
  #writing: Promise<void> = Promise.resolve();
  #failure: unknown;
  #isClosed = false;

  constructor(place: SpoolPlace) {
    this.#place = place;
  }

  get sizeBytes(): number {
    return this.#tailStart + this.#tailUsed;
  }

  /** Copies the bytes; gives where they begin. */
  append(bytes: Uint8Array): number {
    const start = this.sizeBytes;
    for (let at = 0; at < bytes.length; ) {
      if (this.#tailUsed === this.#tail.length) this.#grow();
      const count = Math.min(bytes.length - at, this.#tail.length - this.#tailUsed);
      this.#tail.set(bytes.subarray(at, at + count), this.#tailUsed);
      this.#tailUsed += count;
      at += count;
    }
    return start;
  }

  /** Waits while too much is not written yet; tells of a disk that is full. */
  async settle(): Promise<void> {
    if (this.#waiting.length * BLOCK_BYTES >= UNWRITTEN_BYTES_MAX) await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** `buffer`: is read into, where it is large enough; what was read into it before is gone then. */
  async read({ start, sizeBytes }: Stretch, buffer?: Buffer): Promise<Uint8Array> {
    assert(start + sizeBytes <= this.sizeBytes, 'only what was appended is read');
    const isEnough = buffer !== undefined && buffer.length >= sizeBytes;
    const into = isEnough ? buffer.subarray(0, sizeBytes) : Buffer.allocUnsafe(sizeBytes);
    const inMemory = this.#copyFromMemory(into, start);
    if (inMemory === 0) return into;
    // What is left lies before all that is in memory: it is written, or just now.
    assert(this.#file, 'what is not in memory is in a file');
    const found = await (await this.#file).read(into.subarray(0, inMemory), start);
    assert(found === inMemory, 'a spool is as long as what was appended');
    return into;
  }

  /** A long stretch in pieces of a comfortable size. */
  async *chunks({ start, sizeBytes }: Stretch, chunkBytes = BLOCK_BYTES): AsyncGenerator<Uint8Array> {
    const end = start + sizeBytes;
    for (let at = start; at < end; at += chunkBytes)
      yield await this.read({ start: at, sizeBytes: Math.min(chunkBytes, end - at) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#tail = Buffer.alloc(0);
    this.#waiting = [];
    this.#free = [];
    await this.#writing;
    const file = this.#file;
    if (!file) return;
    try {
      await (await file).close();
      if (this.#path !== undefined) await this.#place.disk.remove(this.#path);
    } catch {
      // It could not be opened, or not be removed: whoever comes next sweeps it.
    }
  }

  /** Fills the end of `into` as far as it is in memory; gives how much at its beginning is not. */
  #copyFromMemory(into: Buffer, start: number): number {
    let end = into.length;
    const blocks = [
      { start: this.#tailStart, bytes: this.#tail.subarray(0, this.#tailUsed) },
      ...this.#waiting.toReversed(),
    ];
    for (const block of blocks) {
      if (end === 0 || block.start >= start + end) continue;
      if (block.start + block.bytes.length < start + end) break;
      const from = Math.max(start - block.start, 0);
      const count = start + end - block.start - from;
      into.set(block.bytes.subarray(from, from + count), end - count);
      end -= count;
    }
    return end;
  }

  #grow(): void {
    if (this.#tailStart === 0 && this.#tail.length < BLOCK_BYTES) {
      const larger = Buffer.allocUnsafe(Math.min(this.#tail.length * 4, BLOCK_BYTES));
      larger.set(this.#tail);
      this.#tail = larger;
      return;
    }
    const block = { start: this.#tailStart, bytes: this.#tail };
    this.#waiting.push(block);
    this.#tailStart += this.#tail.length;
    this.#tail = this.#free.pop() ?? Buffer.allocUnsafe(BLOCK_BYTES);
    this.#tailUsed = 0;
    this.#writing = this.#writing.then(() => this.#write(block));
  }

  async #write(block: { readonly start: number; readonly bytes: Buffer<ArrayBuffer> }): Promise<void> {
    if (this.#failure !== undefined || this.#isClosed) return;
    try {
      this.#file ??= this.#open();
      await (await this.#file).write(block.bytes, block.start);
      this.#waiting = this.#waiting.filter((one) => one !== block);
      if (this.#free.length < FREE_MAX && block.bytes.length === BLOCK_BYTES) this.#free.push(block.bytes);
    } catch (error) {
      this.#failure = error;
    }
  }

  #open(): Promise<DiskFile> {
    const { disk, dir = tmpdir() } = this.#place;
    this.#path = tempPathFor(join(dir, 'spool'));
    return disk.open(this.#path, 'create');
  }
}
