import type { Bucket, FolderEntry, ListedObject, ListOptions } from './bucket.ts';
import { checkKey, folderOf } from './key.ts';

/** A folder of a bucket as a bucket of its own: whoever has it sees nothing else, and writes nowhere else. */
export function bucketFolder(bucket: Bucket, name: string): Bucket {
  const folder = folderOf(name);
  const full = (key: string) => {
    checkKey(key);
    return folder + key;
  };
  const below = (inner: string) => folder + folderOf(inner);
  const own = <Entry extends ListedObject | FolderEntry>(entry: Entry): Entry => ({
    ...entry,
    key: entry.key.slice(folder.length),
  });
  return {
    url: `${bucket.url.replace(/\/+$/, '')}/${folder.slice(0, -1)}`,
    create: async (key, bytes, signal) => bucket.create(full(key), bytes, signal),
    replaceIf: async (key, replacement, signal) => bucket.replaceIf(full(key), replacement, signal),
    createFromFile: async (key, path, signal) => bucket.createFromFile(full(key), path, signal),
    read: async (key, signal) => bucket.read(full(key), signal),
    readTagged: async (key, signal) => bucket.readTagged(full(key), signal),
    readRange: async (key, range, signal) => bucket.readRange(full(key), range, signal),
    download: async (key, path, signal) => bucket.download(full(key), path, signal),
    stat: async (key, signal) => bucket.stat(full(key), signal),
    async *list(inner, options) {
      for await (const entry of bucket.list(below(inner), startingIn(folder, options))) yield own(entry);
    },
    async *listFolder(inner, options) {
      for await (const entry of bucket.listFolder(below(inner), startingIn(folder, options)))
        yield own(entry);
    },
    remove: async (key, signal) => bucket.remove(full(key), signal),
    removeAll: async (keys, signal) => bucket.removeAll([...keys].map(full), signal),
  };
}

function startingIn(folder: string, options: ListOptions = {}): ListOptions {
  const { startAfter } = options;
  return startAfter === undefined ? options : { ...options, startAfter: folder + startAfter };
}
