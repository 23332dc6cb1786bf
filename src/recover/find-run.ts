import { basename, dirname, resolve } from 'node:path';
import { isRunId } from '../base/index.ts';
import { listWriters, StateDir } from '../journal/index.ts';
import type { RecoverOptions } from './recover-options.ts';
import type { RunSite } from './recover-run.ts';

/**
 * A run of ours by its id: its journals in the state directory, what was set aside of it after its log was made, or its
 * segments in the bucket.
 */
export async function findRun({ disk, log, places }: RecoverOptions): Promise<RunSite | undefined> {
  // Anything but a run id must not be looked for below the state directory.
  if (!places || !isRunId(log)) return undefined;
  const dir = places.state.runDir(log);
  if (await disk.stat(dir)) return { runId: log, dir };
  const aside = places.state.damagedDir(log);
  if (await disk.stat(aside)) return { runId: log, dir: aside, isAside: true };
  const { segments } = places;
  const writers = segments ? await listWriters(segments.bucket, segments.prefix, log) : [];
  return writers.length > 0 ? { runId: log, dir: undefined } : undefined;
}

/** The run that a path lies in: its directory, a writer's folder, or a file in either. */
export function runAround(path: string): RunSite | undefined {
  for (let at = resolve(path), depth = 0; depth < 3; at = dirname(at), depth++) {
    const runId = StateDir.runIdOf(basename(at));
    if (runId === undefined || !StateDir.around(at)) continue;
    return StateDir.isAside(at) ? { runId, dir: at, isAside: true } : { runId, dir: at };
  }
  return undefined;
}
