import { definedOf } from '../../base/index.ts';
import type { CreateStudioOptions } from '../../server/index.ts';
import type { SharedFlags } from '../shared/shared-options.ts';
import { bucketUrl, openShared, openSharedQueue } from '../shared/shared-place.ts';
import type { Terminal } from '../terminal.ts';

/** What the Studio shows of shared runs: those of the bucket that is named, or of the project. Neither it nor the queue is opened yet. */
export function sharedOf(flags: SharedFlags, terminal: Terminal): CreateStudioOptions['shared'] {
  const { bucket, queue } = flags;
  if (bucket === undefined) return undefined;
  const open = () => openShared(flags, terminal);
  const openQueue = async () => openSharedQueue(flags, await open());
  return {
    url: bucketUrl(bucket, terminal),
    open,
    ...definedOf({ openQueue: queue === undefined ? undefined : openQueue }),
  };
}
