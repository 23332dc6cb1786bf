import { join } from 'node:path';
import { inOrder } from '../base/index.ts';
import { commitFile, commitNewFile, type Disk, tempPathFor } from '../disk/index.ts';
import { openFileSource } from './byte-source.ts';
import { logErrors } from './log-errors.ts';
import { isLogName } from './log-name.ts';
import type { LogReader } from './log-reader.ts';
import type { CreatedLog, CreateLogOptions, LogStore, StoredLog } from './log-store.ts';
import { checkLogName, filling, type LogPlace, type Making, makeLog } from './make-log.ts';
import { type OpenLogOptions, openLog } from './open-log.ts';
import { openTornSource } from './torn-log.ts';
import { type VerifyReport, verifyLog } from './verify-log.ts';

/** Each is a trip to the system and back. */
const STATS_AT_A_TIME = 32;

export interface DirectoryLogOptions extends OpenLogOptions {
  /** Runs what makes a log, and makes the directory before: for one that is not ours to make anew. */
  readonly keeping?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A directory of logs. It is made when the first log is. */
export function directoryLogStore(
  disk: Disk,
  dir: string,
  options: DirectoryLogOptions = {},
): DirectoryLogStore {
  return new DirectoryLogStore(disk, dir, options);
}

export class DirectoryLogStore implements LogStore {
  readonly place: string;
  readonly #disk: Disk;
  readonly #options: DirectoryLogOptions;

  constructor(disk: Disk, dir: string, options: DirectoryLogOptions) {
    this.#disk = disk;
    this.place = dir;
    this.#options = options;
  }

  async *list(signal?: AbortSignal): AsyncGenerator<StoredLog> {
    const entries = (await this.#disk.list(this.place)) ?? [];
    const logs = entries.filter(({ name, kind }) => kind === 'file' && isListed(name));
    const work = ({ name }: { readonly name: string }) => this.stat(name);
    for await (const found of inOrder(logs, { atATime: STATS_AT_A_TIME, work })) {
      signal?.throwIfAborted();
      // What is removed meanwhile is not there.
      if (found) yield found;
    }
  }

  async stat(name: string): Promise<StoredLog | undefined> {
    const stat = await this.#disk.stat(this.placeOf(name));
    if (stat?.kind !== 'file') return undefined;
    return { name, sizeBytes: stat.sizeBytes, modifiedMs: stat.modifiedMs };
  }

  async open(name: string): Promise<LogReader | undefined> {
    if (!(await this.stat(name))) return undefined;
    try {
      return await openLog(this.#disk, this.placeOf(name), this.#options);
    } catch (error) {
      if (logErrors.isNotFound(error)) return undefined;
      throw error;
    }
  }

  async openTorn(name: string): Promise<LogReader | undefined> {
    if (!(await this.stat(name))) return undefined;
    const disk = this.#disk;
    const { scratchDir } = this.#options;
    const source = await openFileSource(disk, this.placeOf(name));
    return openTornSource(source, scratchDir === undefined ? { disk } : { disk, dir: scratchDir });
  }

  async verify(name: string): Promise<VerifyReport | undefined> {
    if (!(await this.stat(name))) return undefined;
    try {
      return await verifyLog(this.#disk, this.placeOf(name), this.#options);
    } catch (error) {
      if (logErrors.isNotFound(error)) return undefined;
      throw error;
    }
  }

  create<T>(name: string, options: CreateLogOptions<T>): Promise<CreatedLog<T>> {
    return this.make(name, { ...options, fill: filling(options) });
  }

  /** Like `create`, for a log of any form. */
  make<T>(name: string, making: Making<T>): Promise<CreatedLog<T>> {
    checkLogName(name);
    const { keeping = (work) => work() } = this.#options;
    return keeping(() => makeLog(this.#placeFor(name), making));
  }

  placeOf(name: string): string {
    checkLogName(name);
    return join(this.place, name);
  }

  #placeFor(name: string): LogPlace {
    const disk = this.#disk;
    const path = this.placeOf(name);
    const tempPath = tempPathFor(path);
    return {
      disk,
      place: path,
      tempPath,
      tempDir: this.place,
      isKept: this.#options.keeping !== undefined,
      isThere: async () => (await disk.stat(path)) !== undefined,
      async commit(replace) {
        if (!replace) return (await commitNewFile(disk, tempPath, path)) === 'committed';
        await commitFile(disk, tempPath, path);
        return true;
      },
      async setAside() {
        await commitFile(disk, tempPath, `${path}.damaged`);
        return `${path}.damaged`;
      },
    };
  }
}

/** Names that begin with a dot are somebody's own affair, ours or the system's. */
export function isListed(name: string): boolean {
  return isLogName(name) && !name.startsWith('.');
}
