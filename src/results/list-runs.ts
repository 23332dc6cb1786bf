import { ActionableError, isJsonObject, isRunId, parseJson, type RunId, UsageError } from '../base/index.ts';
import type { CatFile } from '../git/index.ts';
import { isObjectId, type ObjectId } from '../git/index.ts';
import { dayOf } from './layout.ts';
import { ResultsTree, type RunPlace } from './results-tree.ts';
import { isFiltering, matchesFilter, type RunFilter } from './row-filter.ts';
import type { RunRow } from './run-row.ts';

export interface ListOptions extends RunFilter {
  readonly limit: number;
  readonly cursor?: string;
}

/** A run of the list. One that cannot be read is a row that says so, and hinders no other. */
export type ListedRun =
  | { readonly run: RunId; readonly row: RunRow; readonly damage?: undefined }
  | { readonly run: RunId; readonly damage: string; readonly row?: undefined };

export interface RunPage {
  readonly commit: ObjectId;
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
  objects: CatFile,
  ref: string,
  options: ListOptions,
): Promise<RunPage | undefined> {
  const after = options.cursor === undefined ? undefined : parseCursor(options.cursor);
  const tree =
    (after && (await ResultsTree.read(objects, after.commit))) ?? (await ResultsTree.read(objects, ref));
  if (!tree) return undefined;
  const runs: ListedRun[] = [];
  for await (const places of placesAfter(tree, after?.run, options.sinceMs)) {
    for (let at = 0; at < places.length; at += ROWS_AT_A_TIME) {
      const rows = await Promise.all(
        places.slice(at, at + ROWS_AT_A_TIME).map((place) => readListed(tree, place)),
      );
      for (const listed of rows) {
        if (!isWanted(listed, options)) continue;
        if (runs.length === options.limit) return pageOf(tree, runs, true);
        runs.push(listed);
      }
    }
  }
  return pageOf(tree, runs, false);
}

function pageOf({ commit }: ResultsTree, runs: readonly ListedRun[], hasMore: boolean): RunPage {
  const last = runs.at(-1);
  return { commit, runs, ...(hasMore && last ? { cursor: cursorText({ commit, run: last.run }) } : {}) };
}

async function* placesAfter(
  tree: ResultsTree,
  after: RunId | undefined,
  sinceMs: number | undefined,
): AsyncGenerator<readonly RunPlace[]> {
  const from = after === undefined ? undefined : dayOf(after);
  const since = sinceMs === undefined ? undefined : new Date(sinceMs).toISOString();
  for (const day of await tree.days()) {
    if (from !== undefined && day > from) continue;
    if (since !== undefined && day < since.slice(0, 10)) return;
    const places = await tree.runsOf(day);
    const time = since?.replace(/[-:.Z]/g, '');
    yield places.filter(
      ({ run }) => (after === undefined || run < after) && (time === undefined || run.slice(0, 18) >= time),
    );
  }
}

async function readListed(tree: ResultsTree, place: RunPlace): Promise<ListedRun> {
  try {
    return { run: place.run, row: await tree.row(place) };
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return { run: place.run, damage: error.message };
  }
}

function isWanted({ row }: ListedRun, filter: RunFilter): boolean {
  return row ? matchesFilter(row, filter) : !isFiltering(filter);
}

interface Cursor {
  readonly commit: ObjectId;
  readonly run: RunId;
}

function cursorText(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor), 'utf8').toString('base64url');
}

function parseCursor(text: string): Cursor {
  try {
    const value = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
    if (isJsonObject(value)) {
      const { commit, run } = value;
      if (typeof commit === 'string' && isObjectId(commit) && typeof run === 'string' && isRunId(run))
        return { commit, run };
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
