import { join } from 'node:path';
import { errnoOf } from '../base/index.ts';
import { isBucketUrl, openBucket } from '../bucket/index.ts';
import type { Disk } from '../disk/index.ts';
import { type ArtifactSource, folderSource } from './artifact-source.ts';
import { OBJECTS } from './bucket-layout.ts';
import { bucketSource } from './bucket-source.ts';
import { UNITS } from './layout.ts';

/**
 * What artifacts can come from at a place, the URL of a bucket or a folder: that may be a bucket as well, whose content lies by digest, or
 * have the layout of a cache. Undefined when it is neither.
 */
export async function sourceAt(disk: Disk, place: string): Promise<ArtifactSource | undefined> {
  if (isBucketUrl(place) || (await isFolder(disk, join(place, OBJECTS))))
    return bucketSource({ disk, bucket: await openBucket(place, { disk }) });
  return (await isFolder(disk, join(place, UNITS))) ? folderSource(disk, place) : undefined;
}

async function isFolder(disk: Disk, path: string): Promise<boolean> {
  try {
    return (await disk.stat(path))?.kind === 'directory';
  } catch (error) {
    // Below a file there is nothing.
    if (errnoOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}
