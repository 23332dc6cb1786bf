import { join } from 'node:path';
import { listWriters } from '../journal/index.ts';
import type { RecoverOptions } from './recover-options.ts';
import type { RunSite } from './recover-run.ts';

/** A run of ours by its id: its journal in the state directory, or its segments in the bucket. */
export async function findRun({ disk, log, places }: RecoverOptions): Promise<RunSite | undefined> {
  // A run id is one word; anything else must not be looked for below the state directory.
  if (!places || !/^[0-9A-Za-z-]+$/.test(log)) return undefined;
  const dir = join(places.stateDir, log);
  if (await disk.stat(dir)) return { runId: log, dir };
  if (!places.segments) return undefined;
  const { bucket, prefix } = places.segments;
  const writers = await listWriters(bucket, prefix, log);
  return writers.length > 0 ? { runId: log, dir: undefined } : undefined;
}
