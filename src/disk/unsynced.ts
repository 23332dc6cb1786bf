import type { Disk, DiskFile } from './disk.ts';

/**
 * The same disk for what can be made again at any time: nothing that goes through it is synced, so that all of it may be gone, or
 * torn, after a power loss. Only for folders that the next process removes before it makes anything in them.
 */
export function unsynced(disk: Disk): Disk {
  return {
    read: (path) => disk.read(path),
    stat: (path) => disk.stat(path),
    list: (dir) => disk.list(dir),
    makeDir: (dir) => disk.makeDir(dir, { isSynced: false }),
    open: async (path, mode) => withoutSync(await disk.open(path, mode)),
    rename: (from, to) => disk.rename(from, to),
    link: (existing, name) => disk.link(existing, name),
    remove: (path) => disk.remove(path),
    removeTree: (dir) => disk.removeTree(dir),
    syncDir: async () => undefined,
  };
}

function withoutSync(file: DiskFile): DiskFile {
  return {
    read: (into, position) => file.read(into, position),
    write: (bytes, position) => file.write(bytes, position),
    truncate: (sizeBytes) => file.truncate(sizeBytes),
    sizeBytes: () => file.sizeBytes(),
    sync: async () => undefined,
    protect: (rights) => file.protect(rights),
    close: () => file.close(),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}
