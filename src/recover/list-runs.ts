import { basename } from 'node:path';
import { type Disk, isLocked } from '../disk/index.ts';
import {
  type FoundRun,
  findRuns,
  listSegmentedRuns,
  lookAtRun,
  runLockPath,
  type UnreadableRun,
} from '../journal/index.ts';
import { planSeal } from '../seal/index.ts';
import type { Recoverable } from './list-recoverable.ts';
import type { RunPlaces } from './recover-options.ts';

/** Holdfast's own runs that did not finish: with journals here, or with segments in the bucket. Nothing is changed. */
export async function listRuns(disk: Disk, places: RunPlaces): Promise<readonly Recoverable[]> {
  const { found, unreadable } = await findRuns(disk, places.state.path);
  const rows: Recoverable[] = [];
  for (const run of found) {
    const row = await rowOf(disk, places, run);
    if (row) rows.push(row);
  }
  // One that names no run is what a process left that died at once: it holds nothing.
  const damaged = unreadable.filter(({ code }) => code !== 'E_JOURNAL_EMPTY').map(damagedRow);
  const known = new Set([...rows, ...damaged].map(({ log }) => log));
  return [...rows, ...damaged, ...(await listSegments(places, known))];
}

/** Undefined when it ended in a log while it was looked at. */
async function rowOf(
  disk: Disk,
  places: RunPlaces,
  { dir, run, liveness }: FoundRun,
): Promise<Recoverable | undefined> {
  const journals = await lookAtRun({ disk, runDir: dir });
  if (!journals) return undefined;
  try {
    const { counts, problems } = await planSeal(journals, places.logs);
    return {
      kind: 'holdfast',
      log: run.runId,
      place: dir,
      task: run.identity.eval,
      created: run.created,
      expected: run.planned,
      flushed: counts.reused,
      completed: counts.completed + counts.errored,
      inFlight: counts.interrupted,
      sources: ['journal'],
      liveness,
      problems: problems.map((message) => ({ code: 'E_JOURNAL_DAMAGED', message })),
    };
  } finally {
    journals.close();
  }
}

/** Recovery saves what can be read of it; what that is, is known only then. */
function damagedRow({ dir, reason, code }: UnreadableRun): Recoverable {
  return {
    ...UNREAD,
    log: basename(dir),
    place: dir,
    sources: ['journal'],
    liveness: isLocked(runLockPath(dir)) ? 'alive' : 'unknown',
    problems: [{ code, message: reason }],
  };
}

const UNREAD = {
  kind: 'holdfast',
  task: '',
  created: '',
  expected: undefined,
  flushed: 0,
  completed: 0,
  inFlight: 0,
} as const;

/** Runs of which only segments are here: what is in them is known when they are read. */
async function listSegments(places: RunPlaces, known: ReadonlySet<string>): Promise<Recoverable[]> {
  const { segments } = places;
  if (!segments) return [];
  const rows: Recoverable[] = [];
  for (const runId of await listSegmentedRuns(segments.bucket, segments.prefix)) {
    if (known.has(runId)) continue;
    rows.push({
      ...UNREAD,
      log: runId,
      place: `${segments.bucket.url}/${segments.prefix}${runId}`,
      sources: ['segments'],
      liveness: 'unknown',
      problems: [],
    });
  }
  return rows;
}
