import type { Git } from './git.ts';
import { type GitEnd, gitFailure, remoteFailure } from './git-errors.ts';
import type { ObjectId } from './object-id.ts';

export interface RemoteBranch {
  /** The name of a remote. */
  readonly remote: string;
  /** `refs/heads/…`. */
  readonly ref: string;
}

/** Where the last that was fetched of a remote's branch is remembered. */
export function trackingRef({ remote, ref }: RemoteBranch): string {
  return `refs/remotes/${remote}/${ref.replace(/^refs\/heads\//, '')}`;
}

export interface FetchedBranch extends RemoteBranch {
  /** Also all branches whose names begin with its name. */
  readonly withLonger?: boolean;
}

/** Brings what a remote has of a branch; nothing of ours is moved. False when it is told that the remote has no such branch. */
export async function fetchBranch(git: Git, branch: FetchedBranch, signal?: AbortSignal): Promise<boolean> {
  const more = branch.withLonger ? '*' : '';
  const refspec = `+${branch.ref}${more}:${trackingRef(branch)}${more}`;
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  const call = { expects: [1, 128], env: await git.remoteEnv(), ...(signal ? { signal } : {}) };
  const { exitCode, stderr } = await git.run([...args, branch.remote, refspec], call);
  if (exitCode === 0) return true;
  if (/couldn't find remote ref/.test(stderr)) return false;
  throw failureOf({ exitCode, stderr, args, dir: git.dir }, branch);
}

/** `current`: it was there already. `behind`: somebody else has pushed meanwhile, so fetch, unite and try again. */
export type PushResult = 'pushed' | 'current' | 'behind';

/** Offers a commit to a remote as its branch. Never by force. */
export async function pushBranch(
  git: Git,
  branch: RemoteBranch & { readonly commit: ObjectId },
  signal?: AbortSignal,
): Promise<PushResult> {
  const args = ['push', '--porcelain', '--no-follow-tags', '--recurse-submodules=no'];
  const call = { expects: [1, 128], env: await git.remoteEnv(), ...(signal ? { signal } : {}) };
  const refspec = `${branch.commit}:${branch.ref}`;
  const { exitCode, stdout, stderr } = await git.run([...args, branch.remote, refspec], call);
  const said = stdout.toString('utf8');
  if (exitCode === 0) return /^=\t/m.test(said) ? 'current' : 'pushed';
  const told = `${said}\n${stderr}`;
  if (BEHIND.test(told)) return 'behind';
  throw failureOf({ exitCode, stderr: told, args, dir: git.dir }, branch);
}

/** Rejected because it is no descendant, or because another push held the ref at this very moment. */
const BEHIND =
  /\[rejected\]|\[remote rejected\].*(cannot lock ref|failed to update ref|Unable to create .*lock|incorrect old value|reference already exists)/;

function failureOf(end: GitEnd, { remote }: RemoteBranch) {
  return remoteFailure(end, remote) ?? gitFailure(end);
}
