import { DamageError } from '../base/index.ts';
import type { CatFile, Git, ObjectId } from '../git/index.ts';
import { type Members, openMembers, type Scratch, type StoredLogReader } from '../log/index.ts';
import { LOG_FOLDER, memberOfPath } from './layout.ts';
import type { Revision } from './results-tree.ts';

export interface PublishedPorts {
  readonly git: Git;
  readonly objects: CatFile;
  readonly scratch?: Scratch;
}

/** Larger documents come through a process of their own, so that they are never held whole. */
const HELD_BYTES_MAX = 8 * 2 ** 20;

/** A published run as a log: whatever reads logs reads it. Nothing is written anywhere, and no file is made of it. */
export async function openPublished(revision: Revision, ports: PublishedPorts): Promise<StoredLogReader> {
  const blobs = new Map<string, ObjectId>();
  const entries = new Map<string, ReturnType<typeof entryOf>>();
  for (const { path, id, sizeBytes } of await listBlobs(ports.git, revision.tree)) {
    if (!path.startsWith(`${LOG_FOLDER}/`)) continue;
    const name = memberOfPath(path.slice(LOG_FOLDER.length + 1));
    blobs.set(name, id);
    entries.set(name, entryOf({ name, id, sizeBytes }));
  }
  const members: Members = {
    source: { name: revision.run, sizeBytes: revision.row.log.sizeBytes, close: async () => undefined },
    entries,
    readMember: ({ name, sizeBytes }) => readBlob(blobs.get(name), sizeBytes, ports),
  };
  return openMembers(members, ports.scratch);
}

/** git keeps no such checksum: the beginning of the object's id takes its place, and tells contents apart as one does. */
function entryOf({ name, id, sizeBytes }: { name: string; id: ObjectId; sizeBytes: number }) {
  const crc = Number.parseInt(id.slice(0, 8), 16);
  return { name, sizeBytes, compressedBytes: sizeBytes, method: 0, crc, headerOffset: 0 };
}

interface ListedBlob {
  readonly path: string;
  readonly id: ObjectId;
  readonly sizeBytes: number;
}

/**
 * `<mode> <type> <id> <size, padded>\t<path>\0`, all of them in one process. An object that is missing has no size: it is a document all
 * the same, and whoever reads it is told.
 */
async function listBlobs(git: Git, tree: ObjectId): Promise<readonly ListedBlob[]> {
  const { stdout } = await git.run(['ls-tree', '-r', '-l', '-z', tree]);
  return stdout
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      const [, id, size, path] = /^\d+ blob ([0-9a-f]+) +(\d+|BAD|-)\t(.*)$/s.exec(line) ?? [];
      if (id === undefined || path === undefined) return [];
      return [{ path, id: id as ObjectId, sizeBytes: Number(size) || 0 }];
    });
}

async function* readBlob(
  id: ObjectId | undefined,
  sizeBytes: number,
  { git, objects }: PublishedPorts,
): AsyncGenerator<Uint8Array> {
  if (id === undefined) return;
  if (sizeBytes > HELD_BYTES_MAX) {
    await using process = await git.start(['cat-file', 'blob', id]);
    yield* process.stdout;
    const { exitCode } = await process.end;
    if (exitCode !== 0) throw missingBlob(id);
    return;
  }
  const blob = await objects.object(id);
  if (!blob) throw missingBlob(id);
  yield blob.bytes;
}

function missingBlob(id: ObjectId): DamageError {
  return new DamageError({
    code: 'E_GIT_OBJECT',
    message: `The object ${id} is missing in the repository of the results.`,
    hint: 'Run "git fsck" there. A fetch from a remote that has it, or publishing the log again, brings it back.',
  });
}
