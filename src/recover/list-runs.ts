import { basename } from 'node:path';
import { type Disk, isLocked } from '../disk/index.ts';
import {
  type FoundRun,
  findRuns,
  isNameless,
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
  const shipped = await segmentedRuns(places);
  const damaged = unreadable
    .filter(({ code }) => code !== 'E_JOURNAL_EMPTY')
    .map((run) => damagedRow(run, shipped));
  const known = new Set([...rows, ...damaged].map(({ log }) => log));
  const away = shipped.filter((runId) => !known.has(runId));
  return [...rows, ...damaged, ...away.map((runId) => segmentsRow(runId, places))];
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
      expected: isNameless(run) ? undefined : run.planned,
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

/** Nothing in it can be told any more. Its segments may tell what it held. */
function damagedRow({ dir, reason, code }: UnreadableRun, shipped: readonly string[]): Recoverable {
  const runId = basename(dir);
  return {
    ...UNREAD,
    log: runId,
    place: dir,
    sources: ['journal'],
    liveness: isLocked(runLockPath(dir)) ? 'alive' : 'unknown',
    problems: [{ code, message: reason }],
    ...(shipped.includes(runId) ? {} : { isHopeless: true }),
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

async function segmentedRuns({ segments }: RunPlaces): Promise<readonly string[]> {
  return segments ? listSegmentedRuns(segments.bucket, segments.prefix) : [];
}

/** A run of which only segments are here: what is in them is known when they are read. */
function segmentsRow(runId: string, { segments }: RunPlaces): Recoverable {
  return {
    ...UNREAD,
    log: runId,
    place: `${segments?.bucket.url}/${segments?.prefix}${runId}`,
    sources: ['segments'],
    liveness: 'unknown',
    problems: [],
  };
}
