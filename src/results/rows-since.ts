import { ActionableError, isRunId, type RunId } from '../base/index.ts';
import { type CatFile, changedFiles, isObjectId, type ObjectId } from '../git/index.ts';
import type { ResultsPorts } from './change-results.ts';
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
  readonly position: string;
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
  ports: ResultsPorts,
  position: string | undefined,
): Promise<RowChanges | undefined> {
  const { objects, refs } = ports;
  const tree = await ResultsTree.read(ports, refs);
  if (!tree) return undefined;
  const now = tree.commits.join(' ');
  if (now === position) return { position: now, isSince: true, added: [], removed: [], unreadable: [] };
  const known = await knownCommits(ports, position);
  const files = await Promise.all(
    tree.commits.map((to, at) => filesSince(ports, to, known?.[at] ?? known?.[0])),
  );
  const rows = new Map(files.flat().map(({ path, id }) => [path.slice(0, -ROW_FILE.length - 1), id]));
  const read = await readRows(ports, rows);
  const gone = [...rows].flatMap(([path, id]) => (id === undefined ? [path] : []));
  const stillThere = await Promise.all(gone.map((path) => revisionAt(objects, { refs, path })));
  return {
    position: now,
    isSince: known !== undefined,
    added: read.filter((one): one is RowAt => 'run' in one),
    removed: gone.filter((_, at) => stillThere[at] === undefined),
    unreadable: read.filter((one): one is UnreadableRow => 'reason' in one),
  };
}

/** Enough to keep git busy, few enough to stay small. */
const ROWS_AT_A_TIME = 512;

async function readRows(
  { objects, prefetch }: ResultsPorts,
  rows: ReadonlyMap<string, ObjectId | undefined>,
): Promise<readonly (RowAt | UnreadableRow)[]> {
  const there = [...rows].flatMap(([path, id]) => (id === undefined ? [] : [{ path, id }]));
  const read: (RowAt | UnreadableRow)[] = [];
  for (let at = 0; at < there.length; at += ROWS_AT_A_TIME) {
    const some = there.slice(at, at + ROWS_AT_A_TIME);
    await prefetch(some.map(({ id }) => id));
    for (const one of await Promise.all(some.map((row) => readAt(objects, row)))) if (one) read.push(one);
  }
  return read;
}

/** The commits of an earlier answer; undefined unless all of them are still here. */
export async function knownCommits(
  { objects }: ResultsPorts,
  position: string | undefined,
): Promise<readonly ObjectId[] | undefined> {
  const ids = position?.split(' ').filter(isObjectId) ?? [];
  const found = await Promise.all(ids.map((id) => objects.info(id)));
  return ids.length > 0 && found.every((one) => one !== undefined) ? ids : undefined;
}

/** What came goes before what went: another commit may still have it. */
async function filesSince({ git }: ResultsPorts, to: ObjectId, from: ObjectId | undefined) {
  const files = await changedFiles(git, { from, to, glob: `runs/**/${ROW_FILE}` });
  return files.toSorted((a, b) => Number(a.id !== undefined) - Number(b.id !== undefined));
}

/** A revision by the path of its folder, in whichever commit has it; undefined when none has. */
export async function revisionAt(
  objects: CatFile,
  { refs, path }: { readonly refs: readonly string[]; readonly path: string },
): Promise<Revision | undefined> {
  const run = runOfPath(path);
  for (const ref of run === undefined ? [] : refs) {
    const tree = await objects.info(`${ref}:${path}`);
    const blob = tree && (await objects.object(`${ref}:${path}/${ROW_FILE}`));
    if (run && tree && blob) return { path, run, tree: tree.id, row: readRow(blob.bytes, { run }) };
  }
  return undefined;
}

/** A document of a log may have any name: only what lies where rows lie is one. */
export function runOfPath(path: string): RunId | undefined {
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
