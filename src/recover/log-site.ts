import { basename, dirname, resolve } from 'node:path';
import { type Bucket, directoryBucket } from '../bucket/index.ts';
import type { Disk } from '../disk/index.ts';
import { bucketLogStore, directoryLogStore, type LogStore } from '../log/index.ts';

/** Where a log is, or was: a name in a directory or a bucket. Both are read through the same port. */
export interface LogSite {
  readonly bucket: Bucket;
  /** The key of the log in its bucket. */
  readonly key: string;
  /** How people name it. */
  readonly place: string;
  /** What Inspect calls the directory that it is in. */
  readonly logDir: string;
  /** The file on this machine, if it is one. */
  readonly path: string | undefined;
  /** The names of everything that stands directly beside it. */
  names(): Promise<readonly string[]>;
}

export function siteOfPath(disk: Disk, path: string): LogSite {
  const full = resolve(path);
  const dir = dirname(full);
  return {
    bucket: directoryBucket(disk, dir),
    key: basename(full),
    place: full,
    logDir: dir,
    path: full,
    names: async () => ((await disk.list(dir)) ?? []).map(({ name }) => name),
  };
}

export function siteInBucket(bucket: Bucket, key: string): LogSite {
  const url = bucket.url.replace(/\/$/, '');
  const slash = key.lastIndexOf('/');
  const logDir = slash < 0 ? url : `${url}/${key.slice(0, slash)}`;
  const folder = key.slice(0, slash + 1);
  const names = async () => {
    const found: string[] = [];
    for await (const object of bucket.list(folder)) {
      const name = object.key.slice(folder.length);
      if (!name.includes('/')) found.push(name);
    }
    return found;
  };
  return { bucket, key, place: `${url}/${key}`, logDir, path: undefined, names };
}

/** The store in which a log has its place. */
export function storeOf(
  site: LogSite,
  { disk, scratchDir }: { readonly disk: Disk; readonly scratchDir: string },
): LogStore {
  if (site.path !== undefined) return directoryLogStore(disk, site.logDir, { scratchDir });
  return bucketLogStore(site.bucket, besideLog(site, ''), { disk, scratchDir });
}

/** The key of something that stands beside the log. */
export function besideLog(site: LogSite, name: string): string {
  const slash = site.key.lastIndexOf('/');
  return `${site.key.slice(0, slash + 1)}${name}`;
}

export function logNameOf(site: LogSite): string {
  return site.key.slice(site.key.lastIndexOf('/') + 1);
}

/** The folder in which Inspect shares what is under way, ending in a slash. */
export function filestorePrefix(site: LogSite): string {
  return besideLog(site, `.buffer/${logNameOf(site).replace(/\.[^.]+$/, '')}/`);
}

/** `x.eval` → `x-recovered.eval`. */
export function recoveredName(name: string): string {
  return `${name.replace(/\.(eval|json)$/, '')}-recovered.eval`;
}
