import { fileURLToPath } from 'node:url';
import { UsageError } from '../base/index.ts';
import { type Bucket, isBucketUrl, openBucket } from '../bucket/index.ts';
import type { Disk } from '../disk/index.ts';

/**
 * Opens what machines share artifacts by. A folder must be there, unless somebody makes a new store of it: one that is not may be a share that is not mounted, and what it holds
 * would be paid for once more.
 */
export async function openStore(
  place: string,
  { disk, isNew = false }: { readonly disk: Disk; readonly isNew?: boolean },
): Promise<Bucket> {
  const folder = folderOf(place);
  if (!isNew && folder !== undefined && (await kindAt(disk, folder)) !== 'directory')
    throw new UsageError({
      code: 'E_ARTIFACT_STORE',
      message: `The store of artifacts ${folder} is no folder.`,
      hint: 'Mount it, or make the folder when it shall be a new store; --no-store goes on without.',
    });
  return openBucket(place, { disk });
}

function folderOf(place: string): string | undefined {
  if (/^file:/i.test(place)) return fileURLToPath(place);
  return isBucketUrl(place) ? undefined : place;
}

async function kindAt(disk: Disk, path: string): Promise<string | undefined> {
  try {
    return (await disk.stat(path))?.kind;
  } catch {
    return undefined; // Whatever is in its way, it is no folder.
  }
}
