import { ActionableError, type Clock, type Random, UsageError } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import type { Disk } from '../disk/index.ts';
import {
  type Author,
  type CatFile,
  type Git,
  type ImportFile,
  type ObjectId,
  type Prefetch,
  startImport,
} from '../git/index.ts';
import type { BodiesSetting } from './bodies.ts';
import { ResultsTree, type UnreadRef } from './results-tree.ts';

/** What reading and changing results needs. */
export interface ResultsPorts {
  readonly git: Git;
  readonly objects: CatFile;
  /** In a partial clone: brings objects that are about to be read. */
  readonly prefetch: Prefetch;
  /** The branch that is written. */
  readonly ref: string;
  /** All that is read as one: the branch, and what was fetched of it. */
  readonly refs: readonly string[];
  /** What was fetched under its name and holds no results that we can read. */
  readonly unread: readonly UnreadRef[];
  /** Who publishes; refuses where git is told to name nobody that it was not told of. */
  readonly author: () => Author;
  readonly by: { readonly user: string; readonly host: string };
  readonly bodies: BodiesSetting;
  /** Where bodies of published runs are looked for. */
  readonly bucket?: Bucket | undefined;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
}

/** What to write, and what to say when it is written; or what to say at once, because there is nothing to write. */
export type Change<T> =
  | { readonly done: T }
  | {
      readonly message: string;
      readonly files: Iterable<ImportFile> | AsyncIterable<ImportFile>;
      readonly whenDone: (commit: ObjectId) => T;
    };

/** Others may write at the same moment, each of whom makes us begin anew; so many of them there never are. */
const TRIES_MAX = 200;
/** Whoever moves the branch holds its lock for a moment. So often in a row nobody finds it locked at the same commit. */
const UNMOVED_TRIES_MAX = 25;

/**
 * Makes one commit of a change to the results. It is planned on what is there; when somebody else moved the branch meanwhile it is
 * planned anew, so that nobody's work is lost.
 *
 * ### Ordering
 * All objects are written and synced, then the ref is moved, provided that it is still where it was read. A crash before leaves objects
 * that nobody refers to; a crash after leaves the change made.
 */
export async function changeResults<T>(
  ports: ResultsPorts,
  plan: (tree: ResultsTree) => Promise<Change<T>>,
): Promise<T> {
  let unmoved = { commit: undefined as ObjectId | undefined, tries: 0 };
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    await using started = startImport(ports.git);
    const tree = await ResultsTree.read(ports, ports.refs);
    if (!tree) throw notBegun(ports.git.dir);
    unmoved = { commit: tree.commit, tries: tree.commit === unmoved.commit ? unmoved.tries + 1 : 0 };
    if (unmoved.tries > UNMOVED_TRIES_MAX) throw staysLocked(ports.git.dir, ports.ref);
    const change = await plan(tree);
    if ('done' in change) return change.done;
    const { message, files, whenDone } = change;
    const commit = await started.commit({
      ref: ports.ref,
      from: tree.commit,
      message,
      author: ports.author(),
      seconds: Math.floor(ports.clock.nowMs() / 1_000),
      files,
    });
    if (commit) return whenDone(commit);
    await ports.clock.sleep(ports.random.next() * Math.min(10 * attempt, 250));
  }
  throw tooBusy(ports.git.dir);
}

export function notBegun(dir: string): UsageError {
  return new UsageError({
    code: 'E_RESULTS_NOT_BEGUN',
    message: `The repository ${dir} keeps no results yet.`,
    hint: 'Begin with "holdfast results init".',
  });
}

function staysLocked(dir: string, ref: string): ActionableError {
  return new ActionableError({
    code: 'E_REPOSITORY_LOCKED',
    message: `The results in ${dir} stay locked, and nobody moves them: a git that was killed may have left its lock.`,
    hint: `When no git is at work there, remove ${dir}/${ref}.lock, and do it again. Nothing was lost.`,
  });
}

export function tooBusy(dir: string): ActionableError {
  return new ActionableError({
    code: 'E_REPOSITORY_LOCKED',
    message: `The results in ${dir} were moved by others ${TRIES_MAX} times in a row.`,
    hint: 'Do it again in a moment: nothing was lost.',
  });
}
