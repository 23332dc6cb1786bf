import { basename, dirname } from 'node:path';
import type { Disk } from '../disk/index.ts';
import { logTree, type ReadableLogs } from '../log/index.ts';

/** One log of a folder, as if nothing else were there. */
export function oneLog(disk: Disk, path: string): ReadableLogs {
  const folder = logTree(disk, dirname(path));
  const name = basename(path);
  return {
    place: path,
    async *list(signal) {
      signal?.throwIfAborted();
      const found = await folder.stat(name);
      if (found) yield found;
    },
    stat: (asked) => folder.stat(asked),
    open: (asked) => folder.open(asked),
    openTorn: (asked) => folder.openTorn(asked),
    verify: (asked) => folder.verify(asked),
    placeOf: (asked) => folder.placeOf(asked),
  };
}
