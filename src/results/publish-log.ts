import { type Digest, type RunId, UsageError } from '../base/index.ts';
import type { ImportFile, ObjectId } from '../git/index.ts';
import type { LogReader } from '../log/index.ts';
import { type Change, changeResults, type ResultsPorts } from './change-results.ts';
import { type Documents, digestDocuments } from './documents.ts';
import {
  dayOf,
  FLAT_SAMPLES_MAX,
  memberPath,
  ROW_FILE,
  revisionPath,
  runFolderOf,
  runPath,
} from './layout.ts';
import { makeRow, runOf } from './make-row.ts';
import type { ResultsTree, Revision } from './results-tree.ts';
import { type RunRow, rowBytes } from './run-row.ts';

export interface Published {
  readonly run: RunId;
  /** `there`: this very log had been published before. */
  readonly outcome: 'published' | 'revised' | 'there';
  readonly commit: ObjectId;
  readonly row: RunRow;
}

/** Publishes a finished log: one commit, by one `git fast-import`. The log itself is only read. */
export async function publishLog(log: LogReader, name: string, ports: ResultsPorts): Promise<Published> {
  const header = await log.header();
  if (header.status === 'started') throw unfinished(log.path);
  const run = runOf(header);
  const documents = await digestDocuments(log);
  return changeResults(ports, async (tree): Promise<Change<Published>> => {
    const revisions = await tree.find(run);
    const same = revisions.find(({ row }) => row.log.digest === documents.digest);
    if (same) return { done: { run, outcome: 'there', commit: tree.commit, row: same.row } };
    const row = await rowFor(log, { name, documents, revisions, by: ports.by });
    const path = await pathFor(run, tree, { revisions, row });
    return {
      message: messageFor(row),
      files: filesOf(log, { row, documents, path }),
      whenDone: (commit) => ({
        run,
        outcome: revisions.length > 0 ? 'revised' : 'published',
        commit,
        row,
      }),
    };
  });
}

async function rowFor(
  log: LogReader,
  about: {
    readonly name: string;
    readonly documents: Documents;
    readonly revisions: readonly Revision[];
    readonly by: ResultsPorts['by'];
  },
): Promise<RunRow> {
  const { name, documents, revisions, by } = about;
  const { names, digest, sizeBytes } = documents;
  const samples = names.filter((one) => one.startsWith('samples/')).length;
  const isFanned = samples > FLAT_SAMPLES_MAX;
  const row = await makeRow(log, { name, digest, sizeBytes, documents: names.length, isFanned, by });
  const [newest] = revisions;
  if (!newest) return row;
  return { ...row, revision: newest.row.revision + 1, previous: newest.row.log.digest };
}

/** A further revision lies inside the folder of the first, wherever that is [RES-5]. */
async function pathFor(
  run: RunId,
  tree: ResultsTree,
  { revisions, row }: { readonly revisions: readonly Revision[]; readonly row: RunRow },
): Promise<string> {
  const [any] = revisions;
  if (any) return revisionPath(runFolderOf(any.path), row.log.digest as Digest);
  return runPath(run, { runsBeside: await tree.countBeside(dayOf(run)) });
}

async function* filesOf(
  log: LogReader,
  about: {
    readonly row: RunRow;
    readonly documents: Documents;
    readonly path: string;
  },
): AsyncGenerator<ImportFile> {
  const { row, documents, path } = about;
  const sizes = new Map(log.members().map(({ name, sizeBytes }) => [name, sizeBytes]));
  for (const name of documents.names) {
    const chunks = log.readMember(name);
    const sizeBytes = sizes.get(name);
    if (!chunks || sizeBytes === undefined) continue;
    yield { path: `${path}/${memberPath(name, row.log)}`, content: { sizeBytes, chunks } };
  }
  yield { path: `${path}/${ROW_FILE}`, content: rowBytes(row) };
}

/** The last line lets anybody find the commit of a run: `git log --grep`. */
function messageFor(row: RunRow): string {
  const [score] = row.scores;
  const said =
    score?.value === undefined || score.value === null ? '' : `, ${score.metric} ${score.value.toFixed(3)}`;
  return `${row.eval} on ${row.target}: ${row.status}${said}\n\nHoldfast-Run: ${row.run}\n`.replace(
    /\0/g,
    '',
  );
}

function unfinished(path: string): UsageError {
  return new UsageError({
    code: 'E_RESULT_UNFINISHED',
    message: `${path} is not finished, so it is not published.`,
    hint: 'Finish it with "holdfast run" or "holdfast recover", then publish the log that comes of it.',
  });
}
