import { ActionableError, isRunId, type RunId } from '../base/index.ts';
import { type CatFile, changedFiles, type Git, isObjectId, type ObjectId } from '../git/index.ts';
import { ROW_FILE } from './layout.ts';
import { ResultsTree, type Revision } from './results-tree.ts';
import { type RunRow, readRow } from './run-row.ts';

/** A revision of a run, where it is kept, and what tells its log from others: rows are many, and this is all that is held of them. */
export interface RowAt extends Pick<RunRow, 'eval' | 'revision' | 'by' | 'log'> {
  readonly path: string;
  readonly run: RunId;
}

/** What came and went in the results between two moments. */
export interface RowChanges {
  /** Says to which moment they lead; given back, it is asked what came since. */
  readonly position: ObjectId;
  /** False when the moment that was asked for is not known any more: then `added` is all that there is. */
  readonly isSince: boolean;
  readonly added: readonly RowAt[];
  /** The paths of revisions that are not there any more. */
  readonly removed: readonly string[];
  /** Rows that cannot be read. */
  readonly unreadable: readonly UnreadableRow[];
}

interface UnreadableRow {
  readonly path: string;
  readonly reason: string;
}

/**
 * The rows of all revisions that came since a commit: one `git diff-tree`, which passes over all that is as it was, and the rows
 * themselves. Nothing else is read. Undefined when there are no results.
 */
export async function rowsSince(
  { git, objects, ref }: { readonly git: Git; readonly objects: CatFile; readonly ref: string },
  position: string | undefined,
): Promise<RowChanges | undefined> {
  const commit = await objects.info(`${ref}^{commit}`);
  if (!commit) return undefined;
  if (commit.id === position)
    return { position: commit.id, isSince: true, added: [], removed: [], unreadable: [] };
  if (!(await ResultsTree.read(objects, commit.id))) return undefined;
  const since = position !== undefined && isObjectId(position) ? await objects.info(position) : undefined;
  const files = await changedFiles(git, { from: since?.id, to: commit.id, glob: `runs/**/${ROW_FILE}` });
  const rows = files.map(({ path, id }) => ({ path: path.slice(0, -ROW_FILE.length - 1), id }));
  const read: (RowAt | UnreadableRow)[] = [];
  for (let at = 0; at < rows.length; at += ROWS_AT_A_TIME) {
    const some = rows.slice(at, at + ROWS_AT_A_TIME).map((row) => readAt(objects, row));
    for (const one of await Promise.all(some)) if (one) read.push(one);
  }
  return {
    position: commit.id,
    isSince: since !== undefined,
    added: read.filter((one): one is RowAt => 'run' in one),
    removed: rows.flatMap(({ path, id }) => (id === undefined ? [path] : [])),
    unreadable: read.filter((one): one is UnreadableRow => 'reason' in one),
  };
}

/** Enough to keep git busy, few enough to stay small. */
const ROWS_AT_A_TIME = 512;

/** A revision by the path of its folder; undefined when it is not there. */
export async function revisionAt(
  objects: CatFile,
  { ref, path }: { readonly ref: string; readonly path: string },
): Promise<Revision | undefined> {
  const run = runOfPath(path);
  const tree = await objects.info(`${ref}:${path}`);
  const blob = tree && (await objects.object(`${ref}:${path}/${ROW_FILE}`));
  if (run === undefined || !tree || !blob) return undefined;
  return { path, run, tree: tree.id, row: readRow(blob.bytes, { run }) };
}

/** A document of a log may have any name: only what lies where rows lie is one. */
function runOfPath(path: string): RunId | undefined {
  const [, run] = /^runs\/[\d-]+(?:\/[0-9a-f]{2})?\/([^/]+)(?:\/revisions\/[^/]+)?$/.exec(path) ?? [];
  return run !== undefined && isRunId(run) ? run : undefined;
}

async function readAt(
  objects: CatFile,
  { path, id }: { readonly path: string; readonly id: ObjectId | undefined },
): Promise<RowAt | UnreadableRow | undefined> {
  const run = runOfPath(path);
  if (run === undefined || id === undefined) return undefined;
  const blob = await objects.object(id);
  if (!blob) return { path, reason: `The object ${id} is missing in the repository of the results.` };
  try {
    const { eval: name, revision, by, log } = readRow(blob.bytes, { run });
    return { path, run, eval: name, revision, by, log };
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return { path, reason: error.message };
  }
}
