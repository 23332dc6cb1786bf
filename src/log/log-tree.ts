import { join } from 'node:path';
import { ActionableError } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { type DirectoryLogStore, directoryLogStore } from './directory-log-store.ts';
import type { LogReader } from './log-reader.ts';
import type { ReadableLogs, StoredLog } from './log-store.ts';
import type { VerifyReport } from './verify-log.ts';

/** What is nested deeper than this is no folder of logs. */
const DEPTH_MAX = 32;
const FOLDERS_MAX = 100_000;

/** The logs of a directory and of all folders below it, as Inspect writes them. They are only read. */
export function logTree(disk: Disk, dir: string): ReadableLogs {
  return new LogTree(disk, dir);
}

/** Names are paths below the directory, with `/` between the folders. */
class LogTree implements ReadableLogs {
  readonly place: string;
  readonly #disk: Disk;

  constructor(disk: Disk, dir: string) {
    this.#disk = disk;
    this.place = dir;
  }

  /** Links are not followed, so no folder is seen twice, and none for ever. */
  async *list(signal?: AbortSignal): AsyncGenerator<StoredLog> {
    const waiting = [''];
    for (let folder = waiting.pop(), seen = 1; folder !== undefined; folder = waiting.pop(), seen++) {
      if (seen > FOLDERS_MAX) throw tooMany(this.place);
      const prefix = folder;
      for await (const log of this.#folder(prefix).list(signal))
        yield { ...log, name: `${prefix}${log.name}` };
      if (prefix.split('/').length > DEPTH_MAX) continue;
      const entries = (await this.#disk.list(join(this.place, prefix))) ?? [];
      const folders = entries.filter(({ name, kind }) => kind === 'directory' && isWalked(name));
      for (const { name } of folders.toReversed()) waiting.push(`${prefix}${name}/`);
    }
  }

  async stat(name: string): Promise<StoredLog | undefined> {
    const found = await this.#at(name).logs.stat(this.#at(name).file);
    return found && { ...found, name };
  }

  open(name: string): Promise<LogReader | undefined> {
    const { logs, file } = this.#at(name);
    return logs.open(file);
  }

  openTorn(name: string): Promise<LogReader | undefined> {
    const { logs, file } = this.#at(name);
    return logs.openTorn(file);
  }

  verify(name: string): Promise<VerifyReport | undefined> {
    const { logs, file } = this.#at(name);
    return logs.verify(file);
  }

  placeOf(name: string): string {
    const { logs, file } = this.#at(name);
    return logs.placeOf(file);
  }

  #at(name: string): { readonly logs: DirectoryLogStore; readonly file: string } {
    const end = name.lastIndexOf('/') + 1;
    return { logs: this.#folder(name.slice(0, end)), file: name.slice(end) };
  }

  #folder(prefix: string): DirectoryLogStore {
    return directoryLogStore(this.#disk, join(this.place, prefix));
  }
}

/** Folders that begin with a dot are somebody's own affair; installed packages are nobody's results. */
function isWalked(name: string): boolean {
  return !name.startsWith('.') && name !== 'node_modules';
}

function tooMany(place: string): ActionableError {
  return new ActionableError({
    code: 'E_LOG_FOLDERS',
    message: `Below ${place} are more than ${FOLDERS_MAX} folders: not all of them were looked into.`,
    hint: 'Name the folder in which the logs are.',
  });
}
