import type { Disk, DiskEntry, DiskFile, DiskStat, MakeDirOptions } from '../../src/disk/index.ts';
import { explainDiskError } from '../../src/disk/index.ts';
import { FaultQueue } from './fault-queue.ts';
import { systemError } from './system-error.ts';

export type DiskFault = DiskCallFault | DiskWriteFault;

/** The call fails and does nothing. */
export interface DiskCallFault {
  readonly on: Exclude<keyof Disk, symbol> | 'fileRead' | 'truncate' | 'sync' | 'close';
  readonly errno: string;
  readonly at?: RegExp;
  readonly after?: number;
}

/** A write fails in its middle: a full disk after so many bytes on all files it matches, or a short write. */
export interface DiskWriteFault {
  readonly on: 'write';
  readonly errno: string;
  readonly at?: RegExp;
  /** How many bytes still arrive before it strikes (default 0), counted over calls. */
  readonly afterBytes?: number;
}

/**
 * A disk with faults in waiting; it fails the way `nodeDisk` does, so ENOSPC comes as E_DISK_FULL.
 * `using faulty = new FaultyDisk(disk, faults)` fails the test when one of them never struck.
 */
export class FaultyDisk implements Disk, Disposable {
  readonly #disk: Disk;
  readonly #faults: FaultQueue<DiskFault>;
  readonly #bytesWritten = new Map<DiskFault, number>();

  constructor(disk: Disk, faults: readonly DiskFault[] = []) {
    this.#disk = disk;
    this.#faults = new FaultQueue(faults);
  }

  assertAllStruck(): void {
    this.#faults.assertAllStruck();
  }

  [Symbol.dispose](): void {
    this.assertAllStruck();
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    this.#strike('read', path);
    return this.#disk.read(path);
  }

  async stat(path: string): Promise<DiskStat | undefined> {
    this.#strike('stat', path);
    return this.#disk.stat(path);
  }

  async list(dir: string): Promise<readonly DiskEntry[] | undefined> {
    this.#strike('list', dir);
    return this.#disk.list(dir);
  }

  async makeDir(dir: string, options?: MakeDirOptions): Promise<void> {
    this.#strike('makeDir', dir);
    await this.#disk.makeDir(dir, options);
  }

  async open(path: string, mode: 'read' | 'create' | 'update'): Promise<DiskFile> {
    this.#strike('open', path);
    return this.#wrap(path, await this.#disk.open(path, mode));
  }

  async rename(from: string, to: string): Promise<void> {
    this.#strike('rename', to);
    await this.#disk.rename(from, to);
  }

  async link(existing: string, name: string): Promise<void> {
    this.#strike('link', name);
    await this.#disk.link(existing, name);
  }

  async remove(path: string): Promise<void> {
    this.#strike('remove', path);
    await this.#disk.remove(path);
  }

  async removeTree(dir: string): Promise<void> {
    this.#strike('removeTree', dir);
    await this.#disk.removeTree(dir);
  }

  async syncDir(dir: string): Promise<void> {
    this.#strike('syncDir', dir);
    await this.#disk.syncDir(dir);
  }

  #wrap(path: string, file: DiskFile): DiskFile {
    const close = async () => {
      // The system frees the handle even when `close` reports a failure.
      await file.close();
      this.#strike('close', path);
    };
    return {
      read: async (into, position) => {
        this.#strike('fileRead', path);
        return file.read(into, position);
      },
      write: (bytes, position) => this.#write(path, file, { bytes, position }),
      truncate: async (sizeBytes) => {
        this.#strike('truncate', path);
        await file.truncate(sizeBytes);
      },
      sizeBytes: () => file.sizeBytes(),
      sync: async () => {
        this.#strike('sync', path);
        await file.sync();
      },
      protect: (rights) => file.protect(rights),
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  async #write(
    path: string,
    file: DiskFile,
    { bytes, position }: { readonly bytes: Uint8Array; readonly position: number },
  ): Promise<void> {
    for (const fault of this.#faults.waitingFor('write', path)) {
      const afterBytes = fault.on === 'write' ? (fault.afterBytes ?? 0) : 0;
      const before = this.#bytesWritten.get(fault) ?? 0;
      this.#bytesWritten.set(fault, before + bytes.length);
      if (before + bytes.length <= afterBytes) continue;
      this.#faults.remove(fault);
      await file.write(bytes.subarray(0, afterBytes - before), position);
      throw explainDiskError(systemError(fault.errno, path), path);
    }
    await file.write(bytes, position);
  }

  #strike(on: DiskCallFault['on'], path: string): void {
    const fault = this.#faults.take(on, path);
    if (fault) throw explainDiskError(systemError(fault.errno, path), path);
  }
}
