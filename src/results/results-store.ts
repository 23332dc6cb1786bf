import { hostname, userInfo } from 'node:os';
import { type ActionableError, type RunId, UsageError } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import {
  CatFile,
  commitOfPath,
  fetchBranch,
  findRepository,
  type Git,
  type GitPorts,
  noPrefetch,
  type ObjectId,
  prefetchFrom,
  type RepositorySettings,
  settingsOf,
  trackingRef,
} from '../git/index.ts';
import type { LogReader } from '../log/index.ts';
import { beginResults } from './begin-results.ts';
import type { BodiesSetting } from './bodies.ts';
import { notBegun, type ResultsPorts } from './change-results.ts';
import { RESULTS_REF } from './layout.ts';
import { type ListOptions, listRuns, type RunPage } from './list-runs.ts';
import type { Note } from './note.ts';
import { addNotes, type FoundNotes, readNotes, type SayOf } from './notes.ts';
import { type Published, publishLog } from './publish-log.ts';
import { openPublished, type PublishedPorts } from './published-log.ts';
import { ResultsTree, type Revision } from './results-tree.ts';
import { foldNotes, type RunMarks } from './run-marks.ts';
import { type PushOutcome, pushResults } from './share.ts';

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
}

/** The results that a repository keeps. Whoever opens it closes it. */
export async function openResults(options: OpenResultsOptions): Promise<ResultsStore> {
  const git = await findRepository(options.repo, options);
  return new ResultsStore(git, options);
}

export interface FoundResult {
  readonly revision: Revision;
  readonly revisions: number;
  readonly marks: RunMarks;
}

const CANDIDATES_MAX = 10;

export class ResultsStore implements AsyncDisposable {
  readonly ref: string;
  readonly #git: Git;
  readonly #objects: CatFile;
  readonly #options: OpenResultsOptions;
  #ports: Promise<ResultsPorts> | undefined;
  #settings: Promise<RepositorySettings> | undefined;

  constructor(git: Git, options: OpenResultsOptions) {
    this.#git = git;
    this.ref = options.branch === undefined ? RESULTS_REF : `refs/heads/${options.branch}`;
    this.#options = options;
    this.#objects = new CatFile(git);
  }

  get dir(): string {
    return this.#git.dir;
  }

  /** False when it was there already: here, or in what was fetched. */
  async init(): Promise<boolean> {
    return beginResults(await this.ports());
  }

  async isThere(): Promise<boolean> {
    const ports = await this.ports();
    return (await ResultsTree.read(ports, ports.refs)) !== undefined;
  }

  async publish(log: LogReader, name: string): Promise<Published> {
    return publishLog(log, name, await this.ports());
  }

  async list(options: ListOptions): Promise<RunPage> {
    const ports = await this.ports();
    const page = await listRuns(ports, ports.refs, options);
    if (!page) throw notBegun(this.dir);
    return page;
  }

  /** By its id, or by as much of it as tells it from all others. */
  async find(given: string): Promise<FoundResult> {
    const tree = await this.tree();
    const run = await idOf(tree, given);
    const revisions = await tree.find(run);
    const [revision] = revisions;
    if (!revision) throw unknownRun(given);
    const { notes, damage } = await readNotes(tree, this.#objects, run);
    const marks = foldNotes(notes, { tags: revision.row.tags, damage });
    return { revision, revisions: revisions.length, marks };
  }

  /** The commit that published a revision, as far as it can be told. */
  async commitOf({ path }: Revision): Promise<ObjectId | undefined> {
    for (const commit of (await this.tree()).commits) {
      const found = await commitOfPath(this.#git, commit, `${path}/run.json`);
      if (found) return found;
    }
    return undefined;
  }

  async open({ revision }: Pick<FoundResult, 'revision'>): Promise<LogReader> {
    return openPublished(revision, await this.readPorts());
  }

  async readPorts(): Promise<PublishedPorts> {
    const { git, objects, prefetch, bodies, disk } = await this.ports();
    const bucket = this.#options.bucket ?? (bodies.kept === 'bucket' ? bodies.bucket : undefined);
    return { git, objects, prefetch, bucket, scratch: { disk } };
  }

  /** Everything that was said of a run, taken together and apart. */
  async notes(run: RunId): Promise<FoundNotes> {
    return readNotes(await this.tree(), this.#objects, run);
  }

  async say(runs: readonly RunId[], sayOf: SayOf): Promise<readonly Note[]> {
    return addNotes(await this.ports(), runs, sayOf);
  }

  /** Brings what the remote has; nothing here is moved. False when the remote has no results yet; undefined without a remote. */
  async fetch(signal?: AbortSignal): Promise<boolean | undefined> {
    const remote = await this.remote();
    if (remote === undefined) return undefined;
    return fetchBranch(this.#git, { remote, ref: this.ref }, signal);
  }

  async push(signal?: AbortSignal): Promise<PushOutcome> {
    const remote = await this.remote();
    if (remote === undefined) return { outcome: 'no remote' };
    return pushResults(await this.ports(), remote, signal);
  }

  /** The remote that results are shared with, if any. */
  async remote(): Promise<string | undefined> {
    const { remotes } = await this.settings();
    const { remote } = this.#options;
    if (remote !== undefined) {
      if (!remotes.some(({ name }) => name === remote))
        throw unknownRemote(
          remote,
          remotes.map(({ name }) => name),
        );
      return remote;
    }
    return (remotes.length === 1 ? remotes[0] : remotes.find(({ name }) => name === 'origin'))?.name;
  }

  async tree(): Promise<ResultsTree> {
    const ports = await this.ports();
    const tree = await ResultsTree.read(ports, ports.refs);
    if (!tree) throw notBegun(this.dir);
    return tree;
  }

  settings(): Promise<RepositorySettings> {
    this.#settings ??= settingsOf(this.#git);
    return this.#settings;
  }

  ports(): Promise<ResultsPorts> {
    this.#ports ??= this.#makePorts();
    return this.#ports;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#objects[Symbol.asyncDispose]();
  }

  async #makePorts(): Promise<ResultsPorts> {
    const { name, email, remotes } = await this.settings();
    const { ref } = this;
    const promisor = remotes.find(({ isPromisor }) => isPromisor);
    const by = { user: userName(), host: hostname() };
    return {
      git: this.#git,
      objects: this.#objects,
      prefetch: promisor ? prefetchFrom(this.#git, promisor.name) : noPrefetch,
      ref,
      refs: [ref, ...remotes.map((remote) => trackingRef({ remote: remote.name, ref }))],
      // As git knows the user; where it does not, by who runs this, so that nobody has to set anything up.
      author: { name: name ?? by.user, email: email ?? `${by.user}@${by.host}` },
      by,
      bodies: this.#options.bodies ?? { kept: 'git' },
      disk: this.#options.disk,
      clock: this.#options.clock,
      random: this.#options.random,
    };
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

function unknownRemote(remote: string, known: readonly string[]): UsageError {
  const list = known.length === 0 ? 'It has none.' : `It has: ${known.join(', ')}.`;
  return new UsageError({
    code: 'E_REMOTE_UNKNOWN',
    message: `The repository of the results has no remote "${remote}". ${list}`,
    hint: 'Add it with "git remote add", or name another with --remote.',
  });
}
