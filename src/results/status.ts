import { definedOf } from '../base/index.ts';
import {
  countPacks,
  factsOf,
  noPrefetch,
  type ObjectId,
  type RepositoryFacts,
  trackingRef,
} from '../git/index.ts';
import type { ResultsPorts } from './change-results.ts';
import { changedRuns } from './changed-runs.ts';
import type { ResultsTree } from './results-tree.ts';

export interface ResultsStatus extends RepositoryFacts {
  readonly repository: string;
  readonly branch: string;
  readonly commit: ObjectId;
  readonly runs: number;
  readonly remote?: string;
  /** What was last fetched from the remote, or sent there; absent when nothing ever was. */
  readonly fetched?: ObjectId;
  /** Runs that the remote has not got, as far as we know. */
  readonly waiting: number;
  readonly packs: number;
  readonly isPartial: boolean;
  /** What was fetched under the name of the results and is not read, with the reason. */
  readonly unread: readonly { readonly ref: string; readonly reason: string }[];
}

/** How the results are, without asking anybody outside. */
export async function statusOf(
  ports: ResultsPorts,
  tree: ResultsTree,
  remote: string | undefined,
): Promise<ResultsStatus> {
  const { git, ref, objects, prefetch } = ports;
  const fetched =
    remote === undefined ? undefined : (await objects.info(`${trackingRef({ remote, ref })}^{commit}`))?.id;
  return {
    repository: git.dir,
    branch: ref.replace(/^refs\/heads\//, ''),
    commit: tree.commit,
    runs: await countRuns(tree),
    ...definedOf({ remote, fetched }),
    waiting: remote === undefined ? 0 : await waitingRuns(ports, remote),
    packs: await countPacks(git),
    isPartial: prefetch !== noPrefetch,
    unread: ports.unread.map(({ ref, error }) => ({ ref, reason: error.message })),
    ...(await factsOf(git)),
  };
}

/** How many runs are here that the remote has not got, or has in an older revision. */
export async function waitingRuns({ objects, ref }: ResultsPorts, remote: string): Promise<number> {
  const ours = await objects.info(`${ref}^{commit}`);
  const theirs = await objects.info(`${trackingRef({ remote, ref })}^{commit}`);
  if (!ours) return 0;
  let count = 0;
  for await (const _ of changedRuns(objects, { from: theirs?.id, to: ours.id })) count++;
  return count;
}

async function countRuns(tree: ResultsTree): Promise<number> {
  let count = 0;
  for (const day of await tree.days()) count += (await tree.runsOf(day)).length;
  return count;
}
