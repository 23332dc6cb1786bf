import { posix } from 'node:path';
import { type Random, seededRandom } from '../../src/base/index.ts';
import {
  type DirectoryCalls,
  type Disk,
  type DiskEntry,
  type DiskFile,
  type DiskStat,
  type MakeDirOptions,
  makeDirWith,
} from '../../src/disk/index.ts';
import { SimulatedDirectory, type SimulatedNode } from './simulated-directory.ts';
import { SimulatedFile } from './simulated-file.ts';
import { systemError } from './system-error.ts';

/** Thrown by every call from the moment the power is gone. */
export class SimulatedCrash extends Error {
  override readonly name = 'SimulatedCrash';

  constructor(step: number) {
    super(`the power went at step ${step}`);
  }
}

/** For `promise.then(() => true, mustBeCrash)`: false after a simulated crash; any other failure is a real one. */
export function mustBeCrash(error: unknown): false {
  if (error instanceof SimulatedCrash) return false;
  throw error;
}

export interface SimulatedDiskOptions {
  /** Decides what survives; the same seed and the same calls give the same disk. */
  readonly seed?: number;
  /** The power goes during this step (the first is 1). Without it, it never goes. */
  readonly crashAt?: number;
  /** The time that files get. By default every step is a millisecond after the one before. */
  readonly nowMs?: () => number;
}

/**
 * A disk in memory that can lose power. Every call that changes or syncs something is one step or more. The step at
 * which the power goes may have happened or not: its change is unsynced, so `powerCycle` decides.
 *
 * It is crueller than most file systems: unsynced changes survive independently of each other and of their order.
 */
export class SimulatedDisk implements Disk {
  readonly #random: Random;
  readonly #crashAt: number;
  readonly #nowMs: () => number;
  #root = new SimulatedDirectory(0);
  #steps = 0;
  #isDown = false;

  constructor(options: SimulatedDiskOptions = {}) {
    this.#random = seededRandom(options.seed ?? 0);
    this.#crashAt = options.crashAt ?? Number.POSITIVE_INFINITY;
    this.#nowMs = options.nowMs ?? (() => this.#steps);
  }

  /** How many steps were taken: run once without a crash, and this is the last step worth crashing at. */
  get steps(): number {
    return this.#steps;
  }

  /** The disk after power loss and restart: each unsynced change kept, dropped or torn. This one is dead from now on. */
  powerCycle(options: SimulatedDiskOptions = {}): SimulatedDisk {
    return this.#successor(options, this.#root.afterPowerLoss(this.#random));
  }

  /** The disk after all its processes died, but not the machine: nothing is lost, and nothing is more durable either. */
  restart(options: SimulatedDiskOptions = {}): SimulatedDisk {
    return this.#successor(options, this.#root);
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    const node = this.#find(path);
    if (node?.kind === 'directory') throw systemError('EISDIR', path);
    return node?.bytes.slice();
  }

  async stat(path: string): Promise<DiskStat | undefined> {
    const node = this.#find(path);
    if (!node) return undefined;
    const sizeBytes = node.kind === 'file' ? node.bytes.length : 0;
    return { kind: node.kind, sizeBytes, modifiedMs: node.modifiedMs, identity: node.identity };
  }

  async list(dir: string): Promise<readonly DiskEntry[] | undefined> {
    const node = this.#find(dir);
    if (!node) return undefined;
    if (node.kind !== 'directory') throw systemError('ENOTDIR', dir);
    const names = [...node.names.keys()].sort();
    return names.map((name) => ({ name, kind: node.names.get(name)?.kind ?? 'other' }));
  }

  /** The algorithm is the real one, so that its order is tested too. */
  makeDir(dir: string, options?: MakeDirOptions): Promise<void> {
    const calls: DirectoryCalls = {
      isDirectory: async (path) => this.#find(path)?.kind === 'directory',
      makeOne: async (path) => this.#makeOne(path),
      sync: (path) => this.syncDir(path),
    };
    return makeDirWith(calls, resolve(dir), options);
  }

  async open(path: string, mode: 'read' | 'create' | 'update'): Promise<DiskFile> {
    const found = this.#find(path);
    if (mode === 'create') {
      if (found) throw systemError('EEXIST', path);
      return this.#handle(this.#create(path));
    }
    if (!found) throw systemError('ENOENT', path);
    if (found.kind === 'directory') throw systemError('EISDIR', path);
    return this.#handle(found, mode === 'update');
  }

  async rename(from: string, to: string): Promise<void> {
    const moved = this.#get(from);
    const replaced = this.#find(to);
    refuseBadRename(moved, replaced, to);
    if (moved === replaced) return; // Two names of one file: POSIX does nothing.
    const [source, target] = [split(from), split(to)];
    const sourceDir = this.#directory(source.parent, from);
    const targetDir = this.#directory(target.parent, to);
    this.#step(() => {
      if (sourceDir === targetDir) {
        sourceDir.change([
          [source.name, undefined],
          [target.name, moved],
        ]);
        return;
      }
      targetDir.change([[target.name, moved]]);
      sourceDir.change([[source.name, undefined]]);
    });
  }

  async link(existing: string, name: string): Promise<void> {
    const node = this.#get(existing);
    if (node.kind === 'directory') throw systemError('EPERM', existing);
    if (this.#find(name)) throw systemError('EEXIST', name);
    const target = split(name);
    const dir = this.#directory(target.parent, name);
    this.#step(() => dir.change([[target.name, node]]));
  }

  async remove(path: string): Promise<void> {
    const node = this.#find(path);
    if (!node) return;
    if (node.kind === 'directory') throw systemError('EISDIR', path);
    this.#unlink(path);
  }

  async removeTree(dir: string): Promise<void> {
    const node = this.#find(dir);
    if (!node) return;
    if (node.kind === 'directory') {
      for (const name of [...node.names.keys()]) await this.removeTree(posix.join(dir, name));
    }
    if (resolve(dir) !== '/') this.#unlink(dir);
  }

  async syncDir(dir: string): Promise<void> {
    const node = this.#get(dir);
    if (node.kind !== 'directory') throw systemError('ENOTDIR', dir);
    this.#step(() => node.sync(), 'sync');
  }

  #successor(options: SimulatedDiskOptions, root: SimulatedDirectory): SimulatedDisk {
    const seed = options.seed ?? Math.floor(this.#random.next() * 2 ** 32);
    const next = new SimulatedDisk({ ...options, seed });
    next.#root = root;
    this.#isDown = true;
    return next;
  }

  /** A change that meets the power loss is in flight: done, but unsynced. A sync that meets it did not happen. */
  #step(run: () => void, kind: 'change' | 'sync' = 'change'): void {
    this.#refuseWhenDown();
    this.#steps++;
    this.#isDown = this.#steps >= this.#crashAt;
    if (kind === 'change' || !this.#isDown) run();
    this.#refuseWhenDown();
  }

  #refuseWhenDown(): void {
    if (this.#isDown) throw new SimulatedCrash(this.#steps);
  }

  #create(path: string): SimulatedFile {
    const { parent, name } = split(path);
    const dir = this.#directory(parent, path);
    const file = new SimulatedFile(this.#nowMs());
    this.#step(() => dir.change([[name, file]]));
    return file;
  }

  #makeOne(path: string): void {
    if (this.#find(path)) throw systemError('EEXIST', path);
    const { parent, name } = split(path);
    const dir = this.#directory(parent, path);
    this.#step(() => dir.change([[name, new SimulatedDirectory(this.#nowMs())]]));
  }

  #unlink(path: string): void {
    const { parent, name } = split(path);
    const dir = this.#directory(parent, path);
    this.#step(() => dir.change([[name, undefined]]));
  }

  #find(path: string): SimulatedNode | undefined {
    this.#refuseWhenDown();
    let node: SimulatedNode | undefined = this.#root;
    for (const name of resolve(path).split('/').filter(Boolean)) {
      if (!node) return undefined;
      if (node.kind !== 'directory') throw systemError('ENOTDIR', path);
      node = node.names.get(name);
    }
    return node;
  }

  #get(path: string): SimulatedNode {
    const node = this.#find(path);
    if (!node) throw systemError('ENOENT', path);
    return node;
  }

  #directory(dir: string, path: string): SimulatedDirectory {
    const node = this.#find(dir);
    if (!node) throw systemError('ENOENT', path);
    if (node.kind !== 'directory') throw systemError('ENOTDIR', path);
    return node;
  }

  #handle(file: SimulatedFile, isWritable = true): DiskFile {
    let isOpen = true;
    const check = () => {
      this.#refuseWhenDown();
      if (!isOpen) throw systemError('EBADF', 'a closed file');
    };
    const change = (run: () => void) => {
      check();
      if (!isWritable) throw systemError('EBADF', 'a file opened to be read');
      this.#step(run);
      file.modifiedMs = this.#nowMs();
    };
    const close = async () => {
      isOpen = false;
    };
    return {
      async read(into, position) {
        check();
        const found = file.bytes.subarray(position, position + into.length);
        into.set(found);
        return found.length;
      },
      write: async (bytes, position) => change(() => file.write(bytes, position)),
      truncate: async (sizeBytes) => change(() => file.truncate(sizeBytes)),
      async sizeBytes() {
        check();
        return file.bytes.length;
      },
      sync: async () => {
        check();
        this.#step(() => file.sync(), 'sync');
      },
      // It has no rights, and one user.
      protect: async () => check(),
      close,
      [Symbol.asyncDispose]: close,
    };
  }
}

function resolve(path: string): string {
  return posix.resolve('/', path);
}

function split(path: string): { readonly parent: string; readonly name: string } {
  const full = resolve(path);
  return { parent: posix.dirname(full), name: posix.basename(full) };
}

function refuseBadRename(moved: SimulatedNode, replaced: SimulatedNode | undefined, to: string): void {
  if (!replaced || moved === replaced) return;
  if (replaced.kind === 'directory') {
    if (moved.kind === 'file') throw systemError('EISDIR', to);
    if (replaced.names.size > 0) throw systemError('ENOTEMPTY', to);
  } else if (moved.kind === 'directory') throw systemError('ENOTDIR', to);
}
