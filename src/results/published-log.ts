import { type CatFile, type Git, listBlobs, type ObjectId, readBlob } from '../git/index.ts';
import { type LogReader, type Members, openMembers, type Scratch } from '../log/index.ts';
import { LOG_FOLDER, memberOfPath } from './layout.ts';
import type { Revision } from './results-tree.ts';

export interface PublishedPorts {
  readonly git: Git;
  readonly objects: CatFile;
  readonly scratch?: Scratch;
}

/** A published run as a log: whatever reads logs reads it. Nothing is written anywhere, and no file is made of it. */
export async function openPublished(revision: Revision, ports: PublishedPorts): Promise<LogReader> {
  const blobs = new Map<string, ObjectId>();
  const entries = new Map<string, ReturnType<typeof entryOf>>();
  for (const { path, id, sizeBytes } of await listBlobs(ports.git, revision.tree)) {
    if (!path.startsWith(`${LOG_FOLDER}/`)) continue;
    const name = memberOfPath(path.slice(LOG_FOLDER.length + 1));
    blobs.set(name, id);
    entries.set(name, entryOf(name, sizeBytes));
  }
  const members: Members = {
    source: { name: revision.run, sizeBytes: revision.row.log.sizeBytes, close: async () => undefined },
    entries,
    readMember: ({ name, sizeBytes }) => readBlob(blobs.get(name), sizeBytes, ports),
  };
  return openMembers(members, ports.scratch);
}

function entryOf(name: string, sizeBytes: number) {
  return { name, sizeBytes, compressedBytes: sizeBytes, method: 0, crc: 0, headerOffset: 0 };
}
