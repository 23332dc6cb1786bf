import { ActionableError } from '../base/index.ts';
import { type CatFile, missingObject } from '../git/index.ts';
import { openMembers } from '../log/index.ts';
import { LOG_FOLDER } from './layout.ts';
import type { Revision } from './results-tree.ts';
import { mayLackTags } from './run-row.ts';
import { readTree } from './tree-union.ts';

const HEADER = 'header.json';

/** The tags of the log itself. Where the row had no room for all of them, the header of the log has. */
export async function wholeTags(revision: Revision, objects: CatFile): Promise<readonly string[]> {
  if (!mayLackTags(revision.row)) return revision.row.tags;
  try {
    return await tagsOfHeader(revision, objects);
  } catch (error) {
    // Whoever opens the run is told: what its row has is there all the same.
    if (!(error instanceof ActionableError)) throw error;
    return revision.row.tags;
  }
}

async function tagsOfHeader(revision: Revision, objects: CatFile): Promise<readonly string[]> {
  const folder = (await readTree(objects, revision.tree)).find(({ name }) => name === LOG_FOLDER);
  const file = folder && (await readTree(objects, folder.id)).find(({ name }) => name === HEADER);
  const blob = file && (await objects.object(file.id));
  if (!blob) throw missingObject(file?.id ?? revision.tree);
  const { bytes } = blob;
  const about = { name: HEADER, sizeBytes: bytes.length, compressedBytes: bytes.length };
  const log = await openMembers({
    source: { name: revision.run, sizeBytes: bytes.length, close: async () => undefined },
    entries: new Map([[HEADER, { ...about, method: 0, crc: 0, headerOffset: 0 }]]),
    readMember: async function* () {
      yield bytes;
    },
  });
  return (await log.header()).tags;
}
