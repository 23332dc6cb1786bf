import { inOrder, isRunId, type RunId } from '../base/index.ts';
import { changedFiles, type ObjectId } from '../git/index.ts';
import type { ResultsPorts } from './change-results.ts';
import { ROW_FILE } from './layout.ts';
import { type ListedRun, readListed } from './list-runs.ts';
import type { ResultsStore } from './results-store.ts';
import type { ResultsTree, RunPlace } from './results-tree.ts';
import { knownCommits, runOfPath } from './rows-since.ts';

/** What the list of runs says otherwise than it did. */
export interface ListedChanges {
  /** Given back, it is asked what changed since. */
  readonly position: string;
  /** True when the moment that was asked for is not known any more: then `runs` is all that there is. */
  readonly isAll: boolean;
  /** Newest first. */
  readonly runs: AsyncIterable<ListedRun>;
  readonly gone: readonly RunId[];
}

/** Rows are read so many at a time: enough to keep git busy. */
const ROWS_AT_A_TIME = 128;
/** Rows that have to be fetched come in so large parts. */
const FETCHED_AT_A_TIME = 512;

/**
 * The runs of the newest branch whose rows or notes came, went or changed since a position. Only what differs between two commits is looked
 * into.
 */
export async function listedSince(store: ResultsStore, position: string | undefined): Promise<ListedChanges> {
  await store.refresh();
  const ports = await store.ports();
  const tree = await store.tree();
  const now = tree.commits.join(' ');
  const known = now === position ? tree.commits : await knownCommits(ports, position);
  if (!known) return { position: now, isAll: true, runs: readAll(ports, tree, allPlaces(tree)), gone: [] };
  const touched = now === position ? [] : await touchedRuns(ports, known, tree.commits);
  const places = await Promise.all(touched.map((run) => tree.place(run)));
  const there = places.filter((place) => place !== undefined);
  return {
    position: now,
    isAll: false,
    runs: readAll(ports, tree, there),
    gone: touched.filter((_, at) => places[at] === undefined),
  };
}

async function* allPlaces(tree: ResultsTree): AsyncGenerator<RunPlace> {
  for (const day of await tree.days()) yield* await tree.runsOf(day);
}

async function* readAll(
  ports: ResultsPorts,
  tree: ResultsTree,
  places: AsyncIterable<RunPlace> | Iterable<RunPlace>,
): AsyncGenerator<ListedRun> {
  for await (const some of inParts(places, FETCHED_AT_A_TIME)) {
    await tree.prefetchRows(some);
    yield* inOrder(some, { atATime: ROWS_AT_A_TIME, work: (place) => readListed(ports, tree, place) });
  }
}

async function* inParts<T>(
  items: AsyncIterable<T> | Iterable<T>,
  count: number,
): AsyncGenerator<readonly T[]> {
  let part: T[] = [];
  for await (const item of items) {
    part.push(item);
    if (part.length < count) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** Newest first. A commit that is not among those of now is compared with the first: what only it had is gone. */
async function touchedRuns(
  { git }: ResultsPorts,
  known: readonly ObjectId[],
  now: readonly [ObjectId, ...ObjectId[]],
): Promise<readonly RunId[]> {
  const pairs = [
    ...now.map((to, at) => ({ from: known[at] ?? known[0], to })),
    ...known.slice(now.length).map((from) => ({ from, to: now[0] })),
  ];
  const runs = new Set<RunId>();
  for (const pair of pairs) {
    for (const { path } of await changedFiles(git, { ...pair, glob: `runs/**/${ROW_FILE}` })) {
      const run = runOfPath(path.slice(0, -ROW_FILE.length - 1));
      if (run !== undefined) runs.add(run);
    }
    for (const { path } of await changedFiles(git, { ...pair, glob: 'notes/**' })) {
      const run = runOfNote(path);
      if (run !== undefined) runs.add(run);
    }
  }
  return [...runs].sort().reverse();
}

/** `notes/<day>/<fan>/<run>/<note>`. */
function runOfNote(path: string): RunId | undefined {
  const run = path.split('/').at(-2) ?? '';
  return isRunId(run) ? run : undefined;
}
