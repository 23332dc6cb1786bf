import { ActionableError, isJsonObject, type RunId } from '../base/index.ts';
import { isAncestor, type ObjectId } from '../git/index.ts';
import type { LogHeader, LogReader, LogStore, StoredLog } from '../log/index.ts';
import { archivedTree } from './archive.ts';
import type { ResultsPorts } from './change-results.ts';
import { digestDocuments } from './documents.ts';
import { runOf } from './make-row.ts';
import type { KnownLog, PublishedMemory } from './published-memory.ts';
import { ResultsTree } from './results-tree.ts';

/** A finished log that is not in the results. */
export interface PendingLog extends StoredLog {
  readonly run: RunId;
}

export interface PendingOptions {
  readonly memory?: PublishedMemory | undefined;
  /** `ours`: only logs that Holdfast made, or recovered. */
  readonly only?: 'ours';
}

/** Undefined: there are no results at all. */
export interface Pending {
  /** Oldest first, so that of two logs of one run the later one becomes the later revision. */
  readonly logs: readonly PendingLog[];
  readonly commit: ObjectId;
}

/**
 * Which finished logs of a store the results lack, by run and digest. The logs themselves say so, and nothing else is believed:
 * so whatever a crash kept from being published is found. A log whose run is not there at all is not read for that, and one
 * that was found there once is not opened again (`PublishedMemory`).
 */
export async function findPending(
  logs: LogStore,
  options: PendingOptions,
  ports: ResultsPorts,
): Promise<Pending | undefined> {
  const tree = await ResultsTree.read(ports, ports.refs);
  if (!tree) return undefined;
  const { memory, only } = options;
  // Nothing is ever taken away from a branch of results: what was in one of its commits is in those after it.
  if (memory?.commit !== undefined && !(await isBefore(memory.commit, tree.commit, ports)))
    memory.forgetPublished();
  const trees = await withArchived(tree, ports);
  const pending: PendingLog[] = [];
  for await (const stored of logs.list()) {
    const before = memory?.get(stored);
    const known = before ?? (await lookAt(logs, stored.name));
    const { run } = known;
    const isWanted = only === undefined || known.isOurs;
    const isPublished =
      known.isPublished ||
      (run !== undefined &&
        known.isFinished &&
        isWanted &&
        (await isIn(trees, run, () => logs.open(stored.name))));
    if (before?.isPublished !== isPublished) memory?.set(stored, { ...known, isPublished });
    if (run !== undefined && known.isFinished && isWanted && !isPublished) pending.push({ ...stored, run });
  }
  return { logs: pending.sort(oldestFirst), commit: tree.commit };
}

/** What was archived is published all the same, as far as it is here. */
async function withArchived(newest: ResultsTree, ports: ResultsPorts): Promise<readonly ResultsTree[]> {
  const trees: ResultsTree[] = [];
  for (let at: ResultsTree | undefined = newest; at; at = await archivedTree(ports, at)) trees.push(at);
  return trees;
}

/** A commit that is not there any more is before none. */
async function isBefore(old: ObjectId, young: ObjectId, { git, objects }: ResultsPorts): Promise<boolean> {
  if (old === young) return true;
  return (await objects.info(old)) !== undefined && (await isAncestor(git, old, young));
}

function oldestFirst(a: PendingLog, b: PendingLog): number {
  return a.modifiedMs - b.modifiedMs || (a.name < b.name ? -1 : 1);
}

/** What its header says. One that cannot be read is somebody else's trouble, and is told by `log list` and `log verify`. */
async function lookAt(logs: LogStore, name: string): Promise<KnownLog> {
  const unreadable = { isFinished: false, isOurs: false, isPublished: false };
  try {
    const log = await logs.open(name);
    if (!log) return unreadable;
    return await closing(log, async () => {
      const header = await log.header();
      const isFinished = header.status !== 'started';
      return { run: runOf(header), isFinished, isOurs: isOurs(header), isPublished: false };
    });
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return unreadable;
  }
}

/** A run of ours says so in its definition, a recovered log in its own data. */
function isOurs({ eval: spec, metadata }: LogHeader): boolean {
  return (
    isJsonObject(spec.metadata?.holdfast) || Object.keys(metadata).some((key) => key.startsWith('holdfast'))
  );
}

/** Its digest is computed only where there is something to compare it with. */
async function isIn(
  trees: readonly ResultsTree[],
  run: RunId,
  open: () => Promise<LogReader | undefined>,
): Promise<boolean> {
  const revisions = (
    await Promise.all(trees.map(async (tree) => (await tree.findAll(run)).revisions))
  ).flat();
  if (revisions.length === 0) return false;
  try {
    const log = await open();
    if (!log) return true; // It is gone, so nothing waits.
    const { digest } = await closing(log, () => digestDocuments(log));
    return revisions.some(({ row }) => row.log.digest === digest);
  } catch (error) {
    // Damaged: whoever publishes it says what is wrong.
    if (!(error instanceof ActionableError)) throw error;
    return false;
  }
}

async function closing<T>(log: LogReader, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await log.close();
  }
}
