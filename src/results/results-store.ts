import { hostname, userInfo } from 'node:os';
import { type RunId, UsageError } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import {
  CatFile,
  cloneBare,
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
import type { LogReader, LogStore } from '../log/index.ts';
import { beginResults } from './begin-results.ts';
import type { BodiesSetting } from './bodies.ts';
import { notBegun, type ResultsPorts } from './change-results.ts';
import { chooseRun, dayIn, isNamedBy, unknownRun } from './choose-run.ts';
import { type CollectPlan, type CollectPolicy, planCollection } from './collect-bodies.ts';
import { RESULTS_BRANCH, RESULTS_REF } from './layout.ts';
import { type ListOptions, listRuns, type RunPage } from './list-runs.ts';
import type { Note } from './note.ts';
import { addNotes, type FoundNotes, readNotes, type SayOf } from './notes.ts';
import { findPending, type Pending, type PendingOptions } from './pending-logs.ts';
import { type Published, publishLog } from './publish-log.ts';
import { openPublished, type PublishedPorts } from './published-log.ts';
import { ResultsTree, type Revision } from './results-tree.ts';
import { foldNotes, type RunMarks } from './run-marks.ts';
import { type PushOutcome, pushResults } from './share.ts';
import { type ResultsStatus, statusOf, waitingRuns } from './status.ts';
import { keepUp, needsUpkeep, type Upkept } from './upkeep.ts';
import { type VerifiedRun, verifyRun } from './verify-results.ts';
import { withDocuments } from './with-documents.ts';

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

/** The same for a repository elsewhere, of which `repo` is our own bare clone: it is made, and begun, unless it has been. */
export async function cloneResults(
  options: OpenResultsOptions & { readonly url: string },
): Promise<ResultsStore> {
  const { repo: dir, url, remote = 'origin', branch = RESULTS_BRANCH } = options;
  const git = await cloneBare({ url, dir, remote, branch }, options);
  const results = new ResultsStore(git, options);
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
  readonly marks: RunMarks;
}

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
    const ports = await this.ports();
    return withDocuments(ports.disk, log, (whole) => publishLog(whole, name, ports));
  }

  /** Which finished logs are not here yet. */
  async pending(logs: LogStore, options: PendingOptions = {}): Promise<Pending> {
    const pending = await findPending(logs, options, await this.ports());
    if (!pending) throw notBegun(this.dir);
    return pending;
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

  /** The ids of runs, by what people give of them; the first that is none, or several, is refused. */
  async idsOf(given: readonly string[]): Promise<readonly RunId[]> {
    const tree = await this.tree();
    const ids = new Set<RunId>();
    for (const one of given) ids.add(await idOf(tree, one));
    return [...ids];
  }

  /** Newest first. */
  async allRuns(): Promise<readonly RunId[]> {
    const tree = await this.tree();
    const runs: RunId[] = [];
    for (const day of await tree.days()) runs.push(...(await tree.runsOf(day)).map(({ run }) => run));
    return runs;
  }

  async planCollection(policy: CollectPolicy, nowMs: number): Promise<CollectPlan> {
    const ports = await this.readPorts();
    if (!ports.bucket) throw noBucket();
    return planCollection(await this.tree(), policy, { ...ports, bucket: ports.bucket, nowMs });
  }

  /** Says of each run that its bodies go, then lets them go: whoever misses one later is told why. */
  async collect({ runs, keys }: CollectPlan): Promise<void> {
    const { bucket } = await this.readPorts();
    if (!bucket) throw noBucket();
    const byRun = new Map(runs.map((one) => [one.run, one]));
    await this.say([...byRun.keys()], (run) => {
      const { bodies = 0, sizeBytes = 0 } = byRun.get(run) ?? {};
      return [{ kind: 'collection', bodies, sizeBytes }];
    });
    await bucket.removeAll(keys);
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

  async status(): Promise<ResultsStatus> {
    return statusOf(await this.ports(), await this.tree(), await this.remote());
  }

  /** Runs that the remote has not got, as far as we know; none without a remote. */
  async waiting(): Promise<number> {
    const remote = await this.remote();
    return remote === undefined ? 0 : waitingRuns(await this.ports(), remote);
  }

  async needsUpkeep(): Promise<boolean> {
    return needsUpkeep(await this.ports());
  }

  async keepUp(): Promise<Upkept> {
    return keepUp(await this.ports());
  }

  /** Everything that was published of a run, checked; undefined when there is no such run. */
  async verify(run: RunId): Promise<VerifiedRun | undefined> {
    const tree = await this.tree();
    const place = await tree.place(run);
    return place && verifyRun(tree, place, await this.readPorts());
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
  const day = dayIn(given);
  const candidates: RunId[] = [];
  for (const one of await tree.days()) {
    if (day !== undefined && one !== day) continue;
    for (const { run } of await tree.runsOf(one)) if (isNamedBy(run, given)) candidates.push(run);
  }
  return chooseRun(given, candidates);
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

function noBucket(): UsageError {
  return new UsageError({
    code: 'E_RESULTS_NO_BUCKET',
    message: 'No bucket is named that could hold bodies of results.',
    hint: 'Name it with --bucket, or as "bucket" in holdfast.config.',
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
