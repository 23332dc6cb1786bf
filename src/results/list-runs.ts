import {
  ActionableError,
  isJsonArray,
  isJsonObject,
  isRunId,
  type Json,
  parseJson,
  type RunId,
  UsageError,
} from '../base/index.ts';
import { isObjectId, missingObject, type ObjectId } from '../git/index.ts';
import { dayOf, isSince } from './layout.ts';
import { readNotes } from './notes.ts';
import { ResultsTree, type RunPlace, readable, type TreePorts } from './results-tree.ts';
import { isFiltering, matchesFilter, type RunFilter } from './row-filter.ts';
import { foldNotes, type RunMarks } from './run-marks.ts';
import type { RunRow } from './run-row.ts';
import { wholeTags } from './whole-tags.ts';

export interface ListOptions extends RunFilter {
  readonly limit: number;
  readonly cursor?: string;
}

/** A run of the list. One that cannot be read is a row that says so, and hinders no other. */
export type ListedRun =
  | {
      readonly run: RunId;
      /** As it was published, but with the tags that it has now. */
      readonly row: RunRow;
      readonly marks: RunMarks;
      readonly damage?: undefined;
    }
  | { readonly run: RunId; readonly damage: string; readonly row?: undefined; readonly marks?: undefined };

export interface RunPage {
  /** What was read: the branch, and what was fetched of it. */
  readonly commits: readonly ObjectId[];
  readonly runs: readonly ListedRun[];
  /** For the next page; absent on the last. */
  readonly cursor?: string;
}

/** Rows are read so many at a time: enough to keep git busy, few enough to stop early. */
const ROWS_AT_A_TIME = 64;

/**
 * A page of runs, newest first. Only the days and rows that it needs are read. A cursor names the commit and the run that the page
 * ended with, so pages are stable while others publish; when that commit is gone, the list goes on from that run in what
 * is there now.
 */
export async function listRuns(
  ports: TreePorts,
  refs: readonly string[],
  options: ListOptions,
): Promise<RunPage | undefined> {
  const after = options.cursor === undefined ? undefined : parseCursor(options.cursor);
  const tree = (after && (await treeAsBefore(ports, after))) ?? (await ResultsTree.read(ports, refs));
  if (!tree) return undefined;
  const runs: ListedRun[] = [];
  const places = placesAfter(tree, after?.run, options.sinceMs);
  for (let hasMore = true; hasMore; ) {
    const some = await takeSome(places, placesWanted(options, runs.length));
    hasMore = some.length > 0;
    await tree.prefetchRows(some);
    for (const listed of await Promise.all(some.map((place) => readListed(ports, tree, place)))) {
      if (!isWanted(listed, options)) continue;
      if (runs.length === options.limit) return pageOf(tree, runs, true);
      runs.push(listed);
    }
  }
  return pageOf(tree, runs, false);
}

/** One more than the page needs tells whether there is another page. With a filter nobody knows how many are needed. */
function placesWanted(options: ListOptions, found: number): number {
  return isFiltering(options) ? ROWS_AT_A_TIME : Math.min(ROWS_AT_A_TIME, options.limit + 1 - found);
}

async function takeSome(places: AsyncIterator<RunPlace>, count: number): Promise<readonly RunPlace[]> {
  const some: RunPlace[] = [];
  while (some.length < count) {
    const next = await places.next();
    if (next.done) break;
    some.push(next.value);
  }
  return some;
}

/** Undefined when one of its commits is gone: the list then goes on in what is there now. */
async function treeAsBefore(ports: TreePorts, { commits }: Cursor): Promise<ResultsTree | undefined> {
  const tree = await ResultsTree.read(ports, commits);
  return tree?.commits.length === commits.length ? tree : undefined;
}

function pageOf({ commits }: ResultsTree, runs: readonly ListedRun[], hasMore: boolean): RunPage {
  const last = runs.at(-1);
  return { commits, runs, ...(hasMore && last ? { cursor: cursorText({ commits, run: last.run }) } : {}) };
}

async function* placesAfter(
  tree: ResultsTree,
  after: RunId | undefined,
  sinceMs: number | undefined,
): AsyncGenerator<RunPlace> {
  const from = after === undefined ? undefined : dayOf(after);
  const since = sinceMs === undefined ? undefined : new Date(sinceMs).toISOString().slice(0, 10);
  for (const day of await tree.days()) {
    if (from !== undefined && day > from) continue;
    if (since !== undefined && day < since) return;
    const places = await tree.runsOf(day);
    yield* places.filter(
      ({ run }) => (after === undefined || run < after) && (sinceMs === undefined || isSince(run, sinceMs)),
    );
  }
}

export async function readListed(
  { objects }: TreePorts,
  tree: ResultsTree,
  place: RunPlace,
): Promise<ListedRun> {
  const { run } = place;
  try {
    const found = await tree.revisions(place);
    const [newest] = readable(found);
    if (!newest) throw missingObject(place.folders[0]?.tree ?? tree.commit);
    const { row } = newest;
    const { notes, damage } = await readNotes(tree, objects, run);
    const marks = foldNotes(notes, {
      tags: await wholeTags(newest, objects),
      damage: [...found.damage.map(({ error }) => error.message), ...damage],
    });
    return { run, row: { ...row, tags: [...marks.tags] }, marks };
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return { run, damage: error.message };
  }
}

function isWanted({ row, marks }: ListedRun, filter: RunFilter): boolean {
  if (!row) return !isFiltering(filter);
  return (filter.withRemoved || marks.removals.length === 0) && matchesFilter(row, filter);
}

interface Cursor {
  readonly commits: readonly ObjectId[];
  readonly run: RunId;
}

function cursorText(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor), 'utf8').toString('base64url');
}

function parseCursor(text: string): Cursor {
  try {
    const value = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
    if (isJsonObject(value)) {
      const { commits, run } = value;
      if (areCommits(commits) && typeof run === 'string' && isRunId(run)) return { commits, run };
    }
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
  }
  throw new UsageError({
    code: 'E_CURSOR',
    message: `"${text.slice(0, 60)}" is no cursor of a list.`,
    hint: 'Give the cursor that the page before ended with, or none for the first page.',
  });
}

function areCommits(value: Json | undefined): value is ObjectId[] {
  return isJsonArray(value) && value.every((one) => typeof one === 'string' && isObjectId(one));
}
