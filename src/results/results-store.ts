import { hostname, userInfo } from 'node:os';
import { type ActionableError, type Digest, type RunId, UsageError } from '../base/index.ts';
import type { ObjectId } from '../git/index.ts';
import {
  type Author,
  CatFile,
  commitOfPath,
  findRepository,
  type Git,
  type GitPorts,
  identityIn,
  importCommit,
} from '../git/index.ts';
import type { LogReader, LogStore, StoredLogReader, VerifyReport } from '../log/index.ts';
import { checkPublished } from './check-published.ts';
import { FORMAT_FILE, FORMAT_TEXT, RESULTS_REF } from './layout.ts';
import { type ListOptions, listRuns, type RunFilter, type RunPage } from './list-runs.ts';
import { type Published, publishLog } from './publish-log.ts';
import { openPublished } from './published-log.ts';
import { bringHome, fileNameOf, rebuildLog } from './rebuild-log.ts';
import { ResultsTree, type Revision } from './results-tree.ts';
import { type RowChanges, revisionAt, rowsSince } from './rows-since.ts';

export interface OpenResultsOptions extends GitPorts {
  /** A folder of the repository, or the repository itself. */
  readonly repo: string;
  /** Default `holdfast/results`. */
  readonly branch?: string | undefined;
}

/** The results that a repository keeps. Whoever opens it closes it. */
export async function openResults(options: OpenResultsOptions): Promise<ResultsStore> {
  const git = await findRepository(options.repo, options);
  const ref = options.branch === undefined ? RESULTS_REF : `refs/heads/${options.branch}`;
  return new ResultsStore(git, ref, options);
}

export interface FoundResult {
  readonly revision: Revision;
  readonly revisions: number;
  /** The commit that published it, as far as it can be told. */
  readonly commit: ObjectId | undefined;
}

/** A run with its newest revision, or why that cannot be read. */
export type EachRun =
  | { readonly run: RunId; readonly revision: Revision; readonly damage?: undefined }
  | { readonly run: RunId; readonly damage: string; readonly revision?: undefined };

/** All beginnings of the store are one commit, so that clones that begin apart belong together. */
const GENESIS = {
  message: 'Begin the results\n',
  author: { name: 'Holdfast', email: 'holdfast@localhost' },
  seconds: 0,
} as const;

const CANDIDATES_MAX = 10;
const PAGE = 1_000;

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

  open({ revision }: Pick<FoundResult, 'revision'>): Promise<StoredLogReader> {
    return openPublished(revision, {
      git: this.#git,
      objects: this.#objects,
      scratch: { disk: this.#ports.disk },
    });
  }

  /** All runs that a filter leaves, newest first, in their newest revisions. One that cannot be read says so. */
  async *each(filter: RunFilter): AsyncGenerator<EachRun> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.list({ ...filter, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      const tree = await ResultsTree.read(this.#objects, page.commit);
      for (const { run, damage } of page.runs) {
        const [revision] = damage === undefined ? ((await tree?.find(run)) ?? []) : [];
        if (revision) yield { run, revision };
        else yield { run, damage: damage ?? 'it was removed meanwhile' };
      }
      cursor = page.cursor;
      if (cursor === undefined) return;
    }
  }

  /** The rows that came since an earlier answer; undefined when there are no results. */
  rowsSince(position: string | undefined): Promise<RowChanges | undefined> {
    return rowsSince({ git: this.#git, objects: this.#objects, ref: this.ref }, position);
  }

  /** A revision by the path of its folder; undefined when it is not there. */
  async at(path: string): Promise<Pick<FoundResult, 'revision'> | undefined> {
    const revision = await revisionAt(this.#objects, { ref: this.ref, path });
    return revision && { revision };
  }

  /** Reads a published log from end to end, and compares it with the digest of its row. */
  async check(found: Pick<FoundResult, 'revision'>): Promise<VerifyReport> {
    return await checkPublished(await this.open(found), found.revision.row);
  }

  /** Makes it a log file again, under the name that it had unless another is given. */
  async rebuild(
    found: Pick<FoundResult, 'revision'>,
    into: LogStore,
    options: { readonly name?: string; readonly replace: boolean },
  ): Promise<{ readonly place: string; readonly sizeBytes: number }> {
    const { log } = found.revision.row;
    const name = options.name ?? fileNameOf(found.revision);
    return await rebuildLog(await this.open(found), into, {
      name,
      digest: log.digest as Digest,
      replace: options.replace,
    });
  }

  /** The same into a log directory, beside whatever is there; gives its name. One that was brought home before is left as it is. */
  async bringHome(found: Pick<FoundResult, 'revision'>, into: LogStore): Promise<string> {
    return await bringHome(found.revision, { into, log: await this.open(found) });
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
