import type { Bucket } from '../bucket/index.ts';
import {
  type CatFile,
  type Git,
  type GitPorts,
  noPrefetch,
  prefetchFrom,
  type RepositorySettings,
  trackingRef,
} from '../git/index.ts';
import { authorOf, whoRunsThis } from './author.ts';
import type { BodiesSetting } from './bodies.ts';
import type { ResultsPorts } from './change-results.ts';
import type { PinnedCommit } from './pinned-commit.ts';
import { ResultsTree } from './results-tree.ts';

export interface OpenResultsOptions extends GitPorts {
  /** A folder of the repository, or the repository itself. */
  readonly repo: string;
  /** Default `holdfast/results`. */
  readonly branch?: string | undefined;
  /** The remote that results are shared with. Default: the only one, or `origin`. */
  readonly remote?: string | undefined;
  /** Where the documents of samples go when runs are published. Default: all of them into git. */
  readonly bodies?: BodiesSetting | undefined;
  /** Where bodies of published runs are looked for. Default: where they go. */
  readonly bucket?: Bucket | undefined;
  /** A commit, or 7 digits of it or more: then just that is read, and nothing can be written. */
  readonly at?: string | undefined;
}

export interface MakePortsOptions {
  readonly git: Git;
  readonly objects: CatFile;
  readonly options: OpenResultsOptions;
  readonly settings: RepositorySettings;
  /** The branch that is written. */
  readonly ref: string;
  /** Then this commit is all that is read. */
  readonly pinned: PinnedCommit | undefined;
}

export async function makePorts(given: MakePortsOptions): Promise<ResultsPorts> {
  const { git, objects, options, settings, ref, pinned } = given;
  const { disk, clock, random } = options;
  const promisor = settings.remotes.find(({ isPromisor }) => isPromisor);
  const by = whoRunsThis();
  const bodies: BodiesSetting = options.bodies ?? { kept: 'git' };
  const prefetch = promisor ? prefetchFrom(git, promisor.name) : noPrefetch;
  const tracking = settings.remotes.map(({ name }) => trackingRef({ remote: name, ref }));
  const fetched = await ResultsTree.sort({ objects, prefetch }, pinned ? [] : tracking);
  return {
    git,
    objects,
    prefetch,
    ref,
    refs: pinned ? [pinned.commit] : [ref, ...fetched.refs],
    unread: fetched.unread,
    author: () => authorOf(options.env, settings, by),
    by,
    bodies,
    bucket: options.bucket ?? (bodies.kept === 'bucket' ? bodies.bucket : undefined),
    disk,
    clock,
    random,
  };
}
