import {
  ActionableError,
  type Clock,
  type Digest,
  type Random,
  type RunId,
  UsageError,
} from '../base/index.ts';
import type { CatFile, Git, ObjectId } from '../git/index.ts';
import { type Author, type ImportFile, importCommit } from '../git/index.ts';
import type { LogReader } from '../log/index.ts';
import { type Documents, digestDocuments } from './documents.ts';
import {
  dayOf,
  FLAT_SAMPLES_MAX,
  FORMAT_FILE,
  FORMAT_TEXT,
  memberPath,
  ROW_FILE,
  revisionPath,
  runPath,
} from './layout.ts';
import { makeRow, runOf } from './make-row.ts';
import { ResultsTree, type Revision } from './results-tree.ts';
import { type RunRow, rowBytes } from './run-row.ts';

export interface PublishPorts {
  readonly git: Git;
  readonly objects: CatFile;
  readonly ref: string;
  readonly author: Author;
  readonly by: { readonly user: string; readonly host: string };
  readonly clock: Clock;
  readonly random: Random;
}

export interface Published {
  readonly run: RunId;
  /** `there`: this very log had been published before. */
  readonly outcome: 'published' | 'revised' | 'there';
  readonly commit: ObjectId;
  readonly row: RunRow;
}

/** Others may publish at the same moment, each of whom makes us begin anew; so many of them there never are. */
const TRIES_MAX = 200;
/** Whoever moves the branch holds its lock for a moment. So often in a row nobody finds it locked at the same commit. */
const UNMOVED_TRIES_MAX = 25;

/**
 * Publishes a finished log: one commit, by one `git fast-import`.
 *
 * ### Ordering
 * All objects are written and synced, then the ref is moved, provided that it is still where it was read. A crash before leaves
 * objects that nobody refers to; a crash after leaves the run published. The log itself is only read.
 */
export async function publishLog(log: LogReader, name: string, ports: PublishPorts): Promise<Published> {
  const header = await log.header();
  if (header.status === 'started') throw unfinished(log.path);
  const run = runOf(header);
  const documents = await digestDocuments(log);
  let unmoved = { commit: undefined as ObjectId | undefined, tries: 0 };
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    const tree = await ResultsTree.read(ports.objects, ports.ref);
    unmoved = { commit: tree?.commit, tries: tree?.commit === unmoved.commit ? unmoved.tries + 1 : 0 };
    if (unmoved.tries > UNMOVED_TRIES_MAX) throw staysLocked(ports.git.dir, ports.ref);
    const revisions = tree ? await tree.find(run) : [];
    const same = revisions.find(({ row }) => row.log.digest === documents.digest);
    if (tree && same) return { run, outcome: 'there', commit: tree.commit, row: same.row };
    const row = await rowFor(log, { name, documents, revisions, by: ports.by });
    const commit = await importCommit(ports.git, {
      ref: ports.ref,
      from: tree?.commit,
      message: messageFor(row),
      author: ports.author,
      seconds: Math.floor(ports.clock.nowMs() / 1_000),
      files: filesOf(log, { row, documents, path: await pathFor(run, tree, revisions, row), isNew: !tree }),
    });
    if (commit) return { run, outcome: revisions.length > 0 ? 'revised' : 'published', commit, row };
    await ports.clock.sleep(ports.random.next() * Math.min(10 * attempt, 250));
  }
  throw tooBusy(ports.git.dir);
}

async function rowFor(
  log: LogReader,
  about: {
    readonly name: string;
    readonly documents: Documents;
    readonly revisions: readonly Revision[];
    readonly by: PublishPorts['by'];
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
  tree: ResultsTree | undefined,
  revisions: readonly Revision[],
  row: RunRow,
): Promise<string> {
  const first = revisions.find(({ path }) => !path.includes('/revisions/'));
  if (first) return revisionPath(first.path, row.log.digest as Digest);
  return runPath(run, { runsBeside: (await tree?.countBeside(dayOf(run))) ?? 0 });
}

async function* filesOf(
  log: LogReader,
  about: {
    readonly row: RunRow;
    readonly documents: Documents;
    readonly path: string;
    readonly isNew: boolean;
  },
): AsyncGenerator<ImportFile> {
  const { row, documents, path, isNew } = about;
  if (isNew) yield { path: FORMAT_FILE, content: Buffer.from(FORMAT_TEXT, 'utf8') };
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

function staysLocked(dir: string, ref: string): ActionableError {
  return new ActionableError({
    code: 'E_REPOSITORY_LOCKED',
    message: `The results in ${dir} stay locked, and nobody moves them: a git that was killed may have left its lock.`,
    hint: `When no git is at work there, remove ${dir}/${ref}.lock, and publish again. The log is whole.`,
  });
}

function tooBusy(dir: string): ActionableError {
  return new ActionableError({
    code: 'E_REPOSITORY_LOCKED',
    message: `The results in ${dir} were moved by others ${TRIES_MAX} times in a row.`,
    hint: 'Publish it again in a moment with "holdfast results publish": the log is whole.',
  });
}
