import { basename, dirname, resolve } from 'node:path';
import { isRunId } from '../base/index.ts';
import { listWriters, StateDir } from '../journal/index.ts';
import type { RecoverOptions } from './recover-options.ts';
import type { RunSite } from './recover-run.ts';

/** A run of ours by its id: its journals in the state directory, or its segments in the bucket. */
export async function findRun({ disk, log, places }: RecoverOptions): Promise<RunSite | undefined> {
  // Anything but a run id must not be looked for below the state directory.
  if (!places || !isRunId(log)) return undefined;
  const dir = places.state.runDir(log);
  if (await disk.stat(dir)) return { runId: log, dir };
  if (!places.segments) return undefined;
  const { bucket, prefix } = places.segments;
  const writers = await listWriters(bucket, prefix, log);
  return writers.length > 0 ? { runId: log, dir: undefined } : undefined;
}

/** The run that a path lies in: its directory, a writer's folder, or a file in either. */
export function runAround(path: string): RunSite | undefined {
  for (let at = resolve(path), depth = 0; depth < 3; at = dirname(at), depth++) {
    if (isRunId(basename(at)) && StateDir.around(at)) return { runId: basename(at), dir: at };
  }
  return undefined;
}
