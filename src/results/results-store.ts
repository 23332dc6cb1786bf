import { hostname, userInfo } from 'node:os';
import { type ActionableError, type RunId, UsageError } from '../base/index.ts';
import type { ObjectId } from '../git/index.ts';
import {
  type Author,
  CatFile,
  cloneBare,
  commitOfPath,
  findRepository,
  type Git,
  type GitPorts,
  identityIn,
  importCommit,
  type PushOutcome,
  pushBranch,
  remoteUrlIn,
} from '../git/index.ts';
import type { LogReader, LogStore } from '../log/index.ts';
import { FORMAT_FILE, FORMAT_TEXT, RESULTS_BRANCH } from './layout.ts';
import { type ListOptions, listRuns, type RunPage } from './list-runs.ts';
import { findPending, type Pending, type PendingOptions } from './pending-logs.ts';
import { type Published, publishLog } from './publish-log.ts';
import { openPublished } from './published-log.ts';
import { ResultsTree, type Revision } from './results-tree.ts';

export interface OpenResultsOptions extends GitPorts {
  /** A folder of the repository, or the repository itself. */
  readonly repo: string;
  /** Default `holdfast/results`. */
  readonly branch?: string | undefined;
}

/** The results that a repository keeps. Whoever opens it closes it. */
export async function openResults(options: OpenResultsOptions): Promise<ResultsStore> {
  const git = await findRepository(options.repo, options);
  return new ResultsStore(git, `refs/heads/${options.branch ?? RESULTS_BRANCH}`, options);
}

/** The same for a repository elsewhere, of which `repo` is our own bare clone: it is made, and begun, unless it has been. */
export async function cloneResults(
  options: OpenResultsOptions & { readonly url: string; readonly remote: string },
): Promise<ResultsStore> {
  const { repo: dir, url, remote, branch = RESULTS_BRANCH } = options;
  const git = await cloneBare({ url, dir, remote, branch }, options);
  const results = new ResultsStore(git, `refs/heads/${branch}`, options);
  try {
    await results.init();
    return results;
  } catch (error) {
    await results[Symbol.asyncDispose]();
    throw error;
  }
}

export interface FoundResult {
  readonly revision: Revision;
  readonly revisions: number;
  /** The commit that published it, as far as it can be told. */
  readonly commit: ObjectId | undefined;
}

/** All beginnings of the store are one commit, so that clones that begin apart belong together. */
const GENESIS = {
  message: 'Begin the results\n',
  author: { name: 'Holdfast', email: 'holdfast@localhost' },
  seconds: 0,
} as const;

const CANDIDATES_MAX = 10;

export class ResultsStore implements AsyncDisposable {
  readonly ref: string;
  readonly #git: Git;
  readonly #objects: CatFile;
  readonly #ports: GitPorts;

  constructor(git: Git, ref: string, ports: GitPorts) {
    this.#git = git;
    this.ref = ref;
    this.#ports = ports;
    this.#objects = new CatFile(git);
  }

  get dir(): string {
    return this.#git.dir;
  }

  /** False when it was there already. */
  async init(): Promise<boolean> {
    if (await ResultsTree.read(this.#objects, this.ref)) return false;
    const files = [{ path: FORMAT_FILE, content: Buffer.from(FORMAT_TEXT, 'utf8') }];
    const made = await importCommit(this.#git, { ...GENESIS, ref: this.ref, from: undefined, files });
    // Undefined: somebody else began it at this very moment, with the same commit.
    return made !== undefined;
  }

  async isThere(): Promise<boolean> {
    return (await ResultsTree.read(this.#objects, this.ref)) !== undefined;
  }

  async publish(log: LogReader, name: string): Promise<Published> {
    if (!(await this.isThere())) throw notBegun(this.#git.dir);
    return await publishLog(log, name, {
      ...this.#ports,
      git: this.#git,
      objects: this.#objects,
      ref: this.ref,
      author: await this.#author(),
      by: { user: userName(), host: hostname() },
    });
  }

  /** Which finished logs are not here yet. */
  async pending(logs: LogStore, options: PendingOptions = {}): Promise<Pending> {
    const pending = await findPending(logs, options, {
      git: this.#git,
      objects: this.#objects,
      ref: this.ref,
    });
    if (!pending) throw notBegun(this.#git.dir);
    return pending;
  }

  /** Undefined when there is no such remote. */
  async remoteUrl(remote: string): Promise<string | undefined> {
    return remoteUrlIn(this.#git, remote);
  }

  push(remote: string): Promise<PushOutcome> {
    return pushBranch(this.#git, this.ref, remote);
  }

  async list(options: ListOptions): Promise<RunPage> {
    const page = await listRuns(this.#objects, this.ref, options);
    if (!page) throw notBegun(this.#git.dir);
    return page;
  }

  /** By its id, or by as much of it as tells it from all others. */
  async find(given: string): Promise<FoundResult> {
    const tree = await ResultsTree.read(this.#objects, this.ref);
    if (!tree) throw notBegun(this.#git.dir);
    const run = await idOf(tree, given);
    const revisions = await tree.find(run);
    const [revision] = revisions;
    if (!revision) throw unknownRun(given);
    const commit = await commitOfPath(this.#git, this.ref, `${revision.path}/run.json`);
    return { revision, revisions: revisions.length, commit };
  }

  open({ revision }: Pick<FoundResult, 'revision'>): Promise<LogReader> {
    return openPublished(revision, {
      git: this.#git,
      objects: this.#objects,
      scratch: { disk: this.#ports.disk },
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#objects[Symbol.asyncDispose]();
  }

  /** As git knows the user; where it does not, by who runs this, so that nobody has to set anything up. */
  async #author(): Promise<Author> {
    const known = await identityIn(this.#git);
    const user = userName();
    return { name: known.name ?? user, email: known.email ?? `${user}@${hostname()}` };
  }
}

async function idOf(tree: ResultsTree, given: string): Promise<RunId> {
  if (!/^[0-9A-Za-z-]+$/.test(given)) throw noRunId(given);
  const day = /^(\d{4})(\d\d)(\d\d)(?:T|$)/.exec(given)?.slice(1).join('-');
  const candidates: RunId[] = [];
  for (const one of await tree.days()) {
    if (day !== undefined && one !== day) continue;
    for (const { run } of await tree.runsOf(one)) {
      if (run === given) return run;
      // The random part alone is enough, too: it is what people copy.
      if (run.startsWith(given) || run.slice(run.indexOf('-') + 1).startsWith(given)) candidates.push(run);
    }
  }
  const [first, ...others] = candidates;
  if (!first) throw unknownRun(given);
  if (others.length > 0) throw ambiguous(given, candidates);
  return first;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // In a container the user may have no name at all.
    if (!(error instanceof Error)) throw error;
    return 'unknown';
  }
}

function notBegun(dir: string): UsageError {
  return new UsageError({
    code: 'E_RESULTS_NOT_BEGUN',
    message: `The repository ${dir} keeps no results yet.`,
    hint: 'Begin with "holdfast results init".',
  });
}

function noRunId(given: string): UsageError {
  return new UsageError({
    code: 'E_RUN_ID',
    message: `${JSON.stringify(given)} is no id of a run.`,
    hint: 'Ids look like 20261116T181503393-KvkpiQSMQs; "holdfast results list" shows them, and the beginning of one is enough.',
  });
}

function unknownRun(given: string): UsageError {
  return new UsageError({
    code: 'E_RUN_UNKNOWN',
    message: `No published run has the id ${given}.`,
    hint: '"holdfast results list" shows what is there.',
  });
}

function ambiguous(given: string, candidates: readonly RunId[]): ActionableError {
  const named = candidates.slice(0, CANDIDATES_MAX).join(', ');
  const more = candidates.length > CANDIDATES_MAX ? `, and ${candidates.length - CANDIDATES_MAX} more` : '';
  return new UsageError({
    code: 'E_RUN_AMBIGUOUS',
    message: `Several runs begin with ${given}: ${named}${more}.`,
    hint: 'Give more of the id.',
  });
}
