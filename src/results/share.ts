import { ActionableError } from '../base/index.ts';
import {
  fetchBranch,
  importCommit,
  isAncestor,
  moveRef,
  type ObjectId,
  pushBranch,
  trackingRef,
} from '../git/index.ts';
import { type ResultsPorts, tooBusy } from './change-results.ts';
import { ResultsTree } from './results-tree.ts';
import { filesToUnite } from './unite.ts';

/** How sending results to a remote ended. Only `pushed` and `current` mean that the remote holds all of them. */
export interface PushOutcome {
  readonly outcome: 'pushed' | 'current' | 'no remote' | 'refused' | 'offline';
  readonly remote?: string;
  /** What is there now. */
  readonly commit?: ObjectId;
  /** How often others were faster. */
  readonly raced?: number;
  /** For `refused` and `offline`: what went wrong, with its code and a next step. */
  readonly error?: ActionableError;
}

const TRIES_MAX = 30;

/**
 * Sends the results to a remote. When somebody else was faster, theirs is fetched and united with ours in a commit of both, and offered
 * again after a moment that is different for everybody. Never by force; what is refused stays here.
 *
 * ### Ordering
 * The branch here is moved to the united commit before that is offered. A crash at any moment leaves a branch that holds everything, and the
 * next push sends it.
 */
export async function pushResults(
  ports: ResultsPorts,
  remote: string,
  signal?: AbortSignal,
): Promise<PushOutcome> {
  const branch = { remote, ref: ports.ref };
  try {
    for (let raced = 0; raced < TRIES_MAX; raced++) {
      const ours = await commitOf(ports, ports.ref);
      if (!ours) return { outcome: 'current', remote };
      const outcome = await pushBranch(ports.git, { ...branch, commit: ours }, signal);
      if (outcome !== 'behind') {
        await remember(ports, remote, ours);
        return { outcome, remote, commit: ours, raced };
      }
      await ports.clock.sleep(ports.random.next() * Math.min(100 * (raced + 1), 2_000), signal);
      await fetchBranch(ports.git, branch, signal);
      await uniteWith(ports, remote);
    }
  } catch (error) {
    const outcome = error instanceof ActionableError ? OUTCOMES[error.code] : undefined;
    if (!outcome) throw error;
    return { outcome, remote, error: error as ActionableError };
  }
  throw tooBusy(ports.git.dir);
}

const OUTCOMES: Readonly<Record<string, 'refused' | 'offline'>> = {
  E_REMOTE_REFUSED: 'refused',
  E_REMOTE_AUTH: 'refused',
  E_REMOTE_UNKNOWN: 'refused',
  E_REMOTE_AWAY: 'offline',
  E_RESULTS_REF: 'refused',
  E_RESULTS_VERSION: 'refused',
};

/** What is in the branch here is put together with what was fetched of a remote: a fast-forward, or a commit of both. */
async function uniteWith(ports: ResultsPorts, remote: string): Promise<void> {
  const { git, objects, ref } = ports;
  const tracking = trackingRef({ remote, ref });
  // A branch of that name which holds something else, or results that are newer than we know, is left alone [RES-1].
  await ResultsTree.read(ports, [tracking]);
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const ours = await commitOf(ports, ref);
    const theirs = await commitOf(ports, tracking);
    if (!theirs || (ours && (await isAncestor(git, theirs, ours)))) return;
    if (!ours || (await isAncestor(git, ours, theirs))) {
      if (await moveRef(git, { ref, from: ours, to: theirs })) return;
      continue;
    }
    const made = await importCommit(git, {
      ref,
      from: theirs,
      merge: ours,
      message: `Unite with the results of ${remote}\n`,
      author: ports.author(),
      seconds: Math.floor(ports.clock.nowMs() / 1_000),
      files: await filesToUnite(objects, {
        theirs: await treeOf(ports, theirs),
        ours: await treeOf(ports, ours),
      }),
    });
    if (made) return;
  }
  throw tooBusy(git.dir);
}

async function commitOf({ objects }: ResultsPorts, name: string): Promise<ObjectId | undefined> {
  return (await objects.info(`${name}^{commit}`))?.id;
}

async function treeOf({ objects, git }: ResultsPorts, commit: ObjectId): Promise<ObjectId> {
  const tree = await objects.info(`${commit}^{tree}`);
  if (!tree) throw tooBusy(git.dir);
  return tree.id;
}

/** Git itself does so only for remotes that are set up in the usual way. */
async function remember(
  { git, ref, objects }: ResultsPorts,
  remote: string,
  commit: ObjectId,
): Promise<void> {
  const tracking = trackingRef({ remote, ref });
  const known = await objects.info(`${tracking}^{commit}`);
  if (known?.id !== commit) await moveRef(git, { ref: tracking, from: known?.id, to: commit });
}
