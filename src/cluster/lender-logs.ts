import type { Disk } from '../disk/index.ts';
import { bucketLogStore, type LogStore } from '../log/index.ts';
import type { SharedPlace } from './shared-keys.ts';

function folderOf({ prefix }: SharedPlace, run: string): string {
  return `${prefix}${run}/lenders`;
}

/** Puts logs that lend samples beside a run: whoever brings it home may not have them. Those that are no files here are left out. */
export async function uploadLenders(
  place: SharedPlace,
  {
    run,
    logs,
    pathOf,
    disk,
  }: {
    readonly run: string;
    readonly logs: readonly string[];
    readonly pathOf: (log: string) => string;
    readonly disk: Disk;
  },
): Promise<void> {
  for (const log of logs)
    if ((await disk.stat(pathOf(log)))?.kind === 'file')
      await place.bucket.createFromFile(`${folderOf(place, run)}/${log}`, pathOf(log));
}

/** The logs of this machine, and those that were put beside the run. */
export function withLenders(
  logs: LogStore,
  place: SharedPlace,
  { run, disk, scratchDir }: { readonly run: string; readonly disk: Disk; readonly scratchDir: string },
): LogStore {
  const away = bucketLogStore(place.bucket, folderOf(place, run), { disk, scratchDir });
  return {
    place: logs.place,
    list: (signal) => logs.list(signal),
    stat: async (name) => (await logs.stat(name)) ?? away.stat(name),
    open: async (name) => (await logs.open(name)) ?? away.open(name),
    openTorn: async (name) => (await logs.openTorn(name)) ?? away.openTorn(name),
    verify: async (name) => (await logs.verify(name)) ?? away.verify(name),
    placeOf: (name) => logs.placeOf(name),
    create: (name, options) => logs.create(name, options),
  };
}
