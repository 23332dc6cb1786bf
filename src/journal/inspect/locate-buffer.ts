import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { digestOf } from '../../base/index.ts';
import { isBucketUrl } from '../../bucket/index.ts';
import type { Disk } from '../../disk/index.ts';

/** A buffer database that Inspect left, by its name alone. */
export interface FoundBufferDatabase {
  readonly path: string;
  /** The name of the log that it belongs to, with its ending. */
  readonly logName: string;
  /** The process that wrote it. */
  readonly pid: number;
}

/** The directories for applications' data in which Inspect makes its own, on each system. */
export function platformDataDirs(system: {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly xdgDataHome?: string;
  readonly localAppData?: string;
}): readonly string[] {
  const { platform, home, xdgDataHome, localAppData } = system;
  if (platform === 'darwin') return [join(home, 'Library/Application Support')];
  if (platform === 'win32') return [localAppData || join(home, 'AppData/Local')];
  return [xdgDataHome || join(home, '.local/share')];
}

/** The buffer databases of all logs in a log directory, which is a path or an address such as `s3://bucket/logs`. */
export async function findBufferDatabases(
  disk: Disk,
  options: { readonly logDir: string; readonly dataDirs: readonly string[] },
): Promise<readonly FoundBufferDatabase[]> {
  const found = new Map<string, FoundBufferDatabase>();
  for (const dir of bufferDirs(options.logDir, options.dataDirs)) {
    for (const { name, kind } of (await disk.list(dir).catch(notADirectory)) ?? []) {
      const path = join(dir, name);
      const database = kind === 'file' ? parseBufferPath(path) : undefined;
      // A write-ahead log stands for its database, also when that is gone.
      const isThere = database && (database.path === path || (await disk.stat(path))?.sizeBytes !== 0);
      if (isThere) found.set(database.path, database);
    }
  }
  return [...found.values()];
}

/** `<log>.<pid>.db`, or the write-ahead log beside it; undefined for any other name. */
export function parseBufferPath(path: string): FoundBufferDatabase | undefined {
  const [, logName, pid] = /^(.+)\.(\d+)\.db(?:-wal)?$/.exec(basename(path)) ?? [];
  return logName === undefined ? undefined : { path: path.replace(/-wal$/, ''), logName, pid: Number(pid) };
}

/** Inspect's folder is named by the hash of the log directory's address. */
function* bufferDirs(logDir: string, dataDirs: readonly string[]): Iterable<string> {
  for (const address of addressesOf(logDir)) {
    for (const dataDir of dataDirs) {
      for (const root of ['inspect_ai/samplebuffer', 'inspect_ai/inspect_ai/samplebuffer', '.']) {
        yield join(dataDir, root, digestOf(address));
      }
    }
  }
}

/** Releases differ in which characters of a path they escape, so each way of writing it is looked for. */
function addressesOf(logDir: string): Set<string> {
  if (isBucketUrl(logDir) && !logDir.startsWith('file://')) return new Set([logDir.replace(/\/+$/, '')]);
  const path = logDir.startsWith('file://') ? decodeURI(logDir.slice('file://'.length)) : resolve(logDir);
  const plain = path.length > 1 ? path.replace(/\/+$/, '') : path;
  const escaped = pathToFileURL(plain).href;
  return new Set([`file://${plain}`, escaped, escaped.replaceAll('@', '%40')]);
}

/** Where a file stands in the place of a directory, there are no databases. */
function notADirectory(error: unknown): undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (code === 'ENOTDIR') return undefined;
  throw error;
}
