import { counted, type Digest, type RunId, UsageError } from '../base/index.ts';
import type { ImportFile, ObjectId } from '../git/index.ts';
import type { LogReader } from '../log/index.ts';
import { archivedTree } from './archive.ts';
import { type BodyPointer, pointerBytes, pointerTo, storeBody } from './bodies.ts';
import { type Change, changeResults, type ResultsPorts } from './change-results.ts';
import { type Documents, digestDocuments } from './documents.ts';
import {
  dayOf,
  FLAT_SAMPLES_MAX,
  isBody,
  LOG_FOLDER,
  memberPath,
  POINTERS_FOLDER,
  ROW_FILE,
  revisionPath,
  runFolderOf,
  runPath,
} from './layout.ts';
import { makeRow, runOf } from './make-row.ts';
import { noteFile, readNotes } from './notes.ts';
import { findBroken, type Loss, lossesOf, restoredFiles } from './restore.ts';
import type { ResultsTree, Revision, RunFolder } from './results-tree.ts';
import { foldNotes } from './run-marks.ts';
import { type RunRow, rowBytes } from './run-row.ts';

export interface Published {
  readonly run: RunId;
  /**
   * `there`: this very log had been published before, and all of it can be read. `restored`: it had been, and what was lost of it since was
   * written again.
   */
  readonly outcome: 'published' | 'revised' | 'there' | 'restored';
  readonly commit: ObjectId;
  readonly row: RunRow;
}

/**
 * Publishes a finished log: one commit, by one `git fast-import`. The log itself is only read.
 *
 * ### Ordering
 * Bodies that are kept in a bucket are durable there before the commit that points to them is made. A crash in between leaves bodies that
 * nobody points to, which `collectBodies` drops; never a pointer to nothing.
 */
export async function publishLog(log: LogReader, name: string, ports: ResultsPorts): Promise<Published> {
  // Read while git starts and says what is there.
  const reading = readAbout(log);
  reading.catch(() => undefined);
  let pointers: ReadonlyMap<string, BodyPointer> | undefined;
  return changeResults(ports, async (tree): Promise<Change<Published>> => {
    const { run, documents } = await reading;
    const there = await tree.findAll(run);
    const archived = await archivedTree(ports, tree);
    const before = archived ? (await archived.findAll(run)).revisions : [];
    const revisions = [...there.revisions, ...before];
    const same = revisions.find(({ row }) => row.log.digest === documents.digest);
    // What was archived is kept as it is: it is not written to any more.
    if (same && before.includes(same))
      return { done: { run, commit: tree.commit, row: same.row, outcome: 'there' } };
    if (same) return planRestoration(log, { revision: same, documents, tree, ports });
    pointers ??= await pointersFor(log, documents, ports);
    const row = await rowFor(log, { name, documents, revisions, pointers, by: ports.by });
    const broken = await findBroken(there.damage, { row, documents }, ports);
    if (broken) return planRow(row, broken, run);
    const path = await pathFor(run, tree, { revisions, row });
    const isFirst = revisions.length === 0 && there.damage.length === 0;
    return {
      message: messageFor(row),
      files: filesOf(log, { row, documents, path, pointers }),
      whenDone: (commit) => ({ run, outcome: isFirst ? 'published' : 'revised', commit, row }),
    };
  });
}

/** The row that a broken revision should have had. */
function planRow(row: RunRow, { path }: RunFolder, run: RunId): Change<Published> {
  return {
    message: `Restore the row of a run\n\nHoldfast-Run: ${run}\n`,
    files: [{ path: `${path}/${ROW_FILE}`, content: rowBytes(row) }],
    whenDone: (commit) => ({ run, outcome: 'restored', commit, row }),
  };
}

interface Restoration {
  readonly revision: Revision;
  readonly documents: Documents;
  readonly tree: ResultsTree;
  readonly ports: ResultsPorts;
}

/** What is lost of a revision that had been published, or that nothing is. */
async function planRestoration(log: LogReader, restoration: Restoration): Promise<Change<Published>> {
  const { revision, documents, tree, ports } = restoration;
  const { run, row } = revision;
  const losses = await lossesOf(revision, documents, ports);
  if (losses.length === 0) return { done: { run, commit: tree.commit, row, outcome: 'there' } };
  return {
    message: `Restore ${counted(losses.length, 'document')} of a run\n\nHoldfast-Run: ${run}\n`,
    files: restoring(log, { ...restoration, losses }),
    whenDone: (commit) => ({ run, row, commit, outcome: 'restored' }),
  };
}

/** Bodies that are there again were not dropped any more: what said so is taken back. */
async function* restoring(
  log: LogReader,
  about: Restoration & { readonly losses: readonly Loss[] },
): AsyncGenerator<ImportFile> {
  yield* restoredFiles(log, about);
  const { revision, losses, tree, ports } = about;
  if (!losses.some(({ isPointer }) => isPointer)) return;
  const { notes } = await readNotes(tree, ports.objects, revision.run);
  const of = foldNotes(notes, { tags: [] }).collections.map(({ id }) => id);
  if (of.length > 0) yield noteFile(revision.run, { kind: 'retraction', of }, ports);
}

interface About {
  readonly run: RunId;
  readonly documents: Documents;
}

async function readAbout(log: LogReader): Promise<About> {
  const header = await log.header();
  if (header.status === 'started') throw unfinished(log.path);
  return { run: runOf(header), documents: await digestDocuments(log) };
}

/** The documents that are not kept in git, and what stands there for them. */
async function pointersFor(
  log: LogReader,
  { names }: Documents,
  { bodies, disk }: ResultsPorts,
): Promise<ReadonlyMap<string, BodyPointer>> {
  const pointers = new Map<string, BodyPointer>();
  if (bodies.kept === 'git') return pointers;
  const sizes = new Map(log.members().map(({ name, sizeBytes }) => [name, sizeBytes]));
  for (const name of names.filter(isBody)) {
    if (bodies.kept === 'bucket' && (sizes.get(name) ?? 0) <= bodies.limitBytes) continue;
    const chunks = log.readMember(name);
    if (!chunks) continue;
    const one =
      bodies.kept === 'bucket' ? storeBody(chunks, { disk, bucket: bodies.bucket }) : pointerTo(chunks);
    pointers.set(name, await one);
  }
  return pointers;
}

async function rowFor(
  log: LogReader,
  about: {
    readonly name: string;
    readonly documents: Documents;
    readonly revisions: readonly Revision[];
    readonly pointers: ReadonlyMap<string, BodyPointer>;
    readonly by: ResultsPorts['by'];
  },
): Promise<RunRow> {
  const { name, documents, revisions, pointers, by } = about;
  const { names, digest, sizeBytes } = documents;
  const samples = names.filter((one) => one.startsWith('samples/')).length;
  const isFanned = samples > FLAT_SAMPLES_MAX;
  const bodies = bodiesOf([...pointers.values()]);
  const facts = { name, digest, sizeBytes, documents: names.length, isFanned, by };
  const row = await makeRow(log, bodies ? { ...facts, bodies } : facts);
  const [newest] = revisions;
  if (!newest) return row;
  return { ...row, revision: newest.row.revision + 1, previous: newest.row.log.digest };
}

function bodiesOf(pointers: readonly BodyPointer[]): RunRow['log']['bodies'] {
  const [first] = pointers;
  if (!first) return undefined;
  const sizeBytes = pointers.reduce((sum, one) => sum + one.sizeBytes, 0);
  return { count: pointers.length, sizeBytes, kept: first.kept };
}

/** A further revision lies inside the folder of the first, wherever that is [RES-5], also when the first cannot be read. */
async function pathFor(
  run: RunId,
  tree: ResultsTree,
  { revisions, row }: { readonly revisions: readonly Revision[]; readonly row: RunRow },
): Promise<string> {
  const [any] = revisions;
  const folder = any ? runFolderOf(any.path) : (await tree.place(run))?.folders[0]?.path;
  if (folder !== undefined) return revisionPath(folder, row.log.digest as Digest);
  return runPath(run, { runsBeside: await tree.countBeside(dayOf(run)) });
}

async function* filesOf(
  log: LogReader,
  about: {
    readonly row: RunRow;
    readonly documents: Documents;
    readonly path: string;
    readonly pointers: ReadonlyMap<string, BodyPointer>;
  },
): AsyncGenerator<ImportFile> {
  const { row, documents, path, pointers } = about;
  const sizes = new Map(log.members().map(({ name, sizeBytes }) => [name, sizeBytes]));
  for (const name of documents.names) {
    const pointer = pointers.get(name);
    const file = memberPath(name, row.log);
    if (pointer) {
      yield { path: `${path}/${POINTERS_FOLDER}/${file}`, content: pointerBytes(pointer) };
      continue;
    }
    const chunks = log.readMember(name);
    const sizeBytes = sizes.get(name);
    if (!chunks || sizeBytes === undefined) continue;
    yield { path: `${path}/${LOG_FOLDER}/${file}`, content: { sizeBytes, chunks } };
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
