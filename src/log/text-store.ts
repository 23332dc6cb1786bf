import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '../base/index.ts';
import { type Disk, type DiskFile, sweepTemps, tempPathFor } from '../disk/index.ts';

/** Up to here everything stays in memory. */
const MEMORY_BYTES_MAX = 8 * 2 ** 20;
const BLOCK_BYTES = 512 * 1024;

/** Where a reader may put what does not fit in memory. */
export interface Scratch {
  readonly disk: Disk;
  readonly dir?: string;
}

/**
 * Byte strings by key, first written, then read: the attachments and pools of a sample, which come after the events
 * that need them. Beyond 8 MiB they go to a temporary file. Texts that were written together are read together,
 * so one block of the file is kept.
 */
export class TextStore {
  readonly #scratch: Scratch | undefined;
  readonly #memory = new Map<string, Uint8Array>();
  #memoryBytes = 0;
  readonly #index = new Map<string, number>();
  readonly #starts: number[] = [];
  #file: DiskFile | undefined;
  #path = '';
  #fileBytes = 0;
  #unwritten: Uint8Array[] = [];
  #unwrittenBytes = 0;
  #block: Uint8Array = new Uint8Array();
  #blockStart = 0;

  constructor(scratch: Scratch | undefined) {
    this.#scratch = scratch;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    if (!this.#scratch || this.#memoryBytes + bytes.length <= MEMORY_BYTES_MAX) {
      this.#memory.set(key, Buffer.from(bytes));
      this.#memoryBytes += bytes.length;
      return;
    }
    this.#index.set(key, this.#starts.length);
    this.#starts.push(this.#fileBytes + this.#unwrittenBytes);
    this.#unwritten.push(Buffer.from(bytes));
    this.#unwrittenBytes += bytes.length;
    if (this.#unwrittenBytes >= BLOCK_BYTES) await this.#flush();
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const inMemory = this.#memory.get(key);
    if (inMemory) return inMemory;
    const index = this.#index.get(key);
    if (index === undefined) return undefined;
    await this.#flush();
    const start = this.#starts[index] as number;
    const end = this.#starts[index + 1] ?? this.#fileBytes;
    if (start < this.#blockStart || end > this.#blockStart + this.#block.length) await this.#load(start, end);
    return this.#block.subarray(start - this.#blockStart, end - this.#blockStart);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#memory.clear();
    if (!file) return;
    await file.close();
    await this.#scratch?.disk.remove(this.#path);
  }

  async #load(start: number, end: number): Promise<void> {
    assert(this.#file, 'a text was spilled, so there is a file');
    const block = Buffer.allocUnsafe(Math.max(end - start, BLOCK_BYTES));
    const found = await this.#file.read(block, start);
    this.#block = block.subarray(0, found);
    this.#blockStart = start;
  }

  async #flush(): Promise<void> {
    if (this.#unwrittenBytes === 0) return;
    const file = await this.#openFile();
    await file.write(Buffer.concat(this.#unwritten), this.#fileBytes);
    this.#fileBytes += this.#unwrittenBytes;
    this.#unwritten = [];
    this.#unwrittenBytes = 0;
  }

  async #openFile(): Promise<DiskFile> {
    if (this.#file) return this.#file;
    assert(this.#scratch, 'without scratch space everything stays in memory');
    const dir = this.#scratch.dir ?? tmpdir();
    await sweepOnce(this.#scratch.disk, dir);
    this.#path = tempPathFor(join(dir, 'texts'));
    this.#file = await this.#scratch.disk.open(this.#path, 'create');
    return this.#file;
  }
}

/** Directories in which this process has removed what dead ones left. */
const swept = new WeakMap<Disk, Set<string>>();

async function sweepOnce(disk: Disk, dir: string): Promise<void> {
  const dirs = swept.get(disk) ?? new Set();
  swept.set(disk, dirs);
  if (dirs.has(dir)) return;
  dirs.add(dir);
  await sweepTemps(disk, dir);
}
