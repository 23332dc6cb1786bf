import { type Digest, definedOf, type RunId } from '../base/index.ts';
import {
  CatFile,
  checkBranchName,
  commitOfPath,
  fetchBranch,
  findRepository,
  type Git,
  noPrefetch,
  type ObjectId,
  type RepositorySettings,
  settingsOf,
  trackingRef,
} from '../git/index.ts';
import type { LogReader, LogStore, StoredLogReader, VerifyReport } from '../log/index.ts';
import { type ArchivePlan, applyArchive, lateFiles, newestBranch, planArchive } from './archive.ts';
import { beginResults } from './begin-results.ts';
import { changeResults, notBegun, type ResultsPorts } from './change-results.ts';
import { checkPublished } from './check-published.ts';
import { chooseRemote } from './choose-remote.ts';
import { unknownRun } from './choose-run.ts';
import { idOf, runOfLog } from './find-id.ts';
import { RESULTS_REF } from './layout.ts';
import { type ListOptions, listRuns, type RunPage } from './list-runs.ts';
import type { Note } from './note.ts';
import { addNotes, readNotes, type SayOf } from './notes.ts';
import { findPending, type Pending, type PendingOptions } from './pending-logs.ts';
import { hasAllOf, type PinnedCommit, pinnedCommit, pinnedForReading } from './pinned-commit.ts';
import { type Published, publishLog } from './publish-log.ts';
import { openPublished, type PublishedPorts } from './published-log.ts';
import { bringHome, fileNameOf, rebuildLog } from './rebuild-log.ts';
import { makePorts, type OpenResultsOptions } from './results-ports.ts';
import { ResultsTree, type Revision, readable, type UnreadRef } from './results-tree.ts';
import type { RunFilter } from './row-filter.ts';
import { type RowChanges, revisionAt, rowsSince } from './rows-since.ts';
import { foldNotes, type RunMarks } from './run-marks.ts';
import { type PushOutcome, pushResults } from './share.ts';
import { type ResultsStatus, statusOf, waitingRuns } from './status.ts';
import { keepUp, needsUpkeep, type Upkept } from './upkeep.ts';
import { type VerifiedRun, verifyRun } from './verify-results.ts';
import { wholeTags } from './whole-tags.ts';
import { withDocuments } from './with-documents.ts';

/** The results that a repository keeps. Whoever opens it closes it. */
export async function openResults(options: OpenResultsOptions): Promise<ResultsStore> {
  const git = await findRepository(options.repo, options);
  if (options.branch !== undefined) await checkBranchName(git, options.branch);
  const store = new ResultsStore(git, options, await findPinned(git, options));
  try {
    await store.refresh();
    return store;
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

async function findPinned(
  git: Git,
  { at }: Pick<OpenResultsOptions, 'at'>,
): Promise<PinnedCommit | undefined> {
  if (at === undefined) return undefined;
  await using objects = new CatFile(git);
  return await pinnedCommit({ git, objects, prefetch: noPrefetch }, at);
}

export interface FoundResult {
  readonly revision: Revision;
  readonly revisions: number;
  readonly marks: RunMarks;
}

/** A run with its newest revision, or why that cannot be read. */
export type EachRun =
  | { readonly run: RunId; readonly revision: Revision; readonly damage?: undefined }
  | { readonly run: RunId; readonly damage: string; readonly revision?: undefined };

const PAGE = 1_000;

export class ResultsStore implements AsyncDisposable {
  /** The branch that is written. */
  ref: string;
  /** What it is called before anything was archived. */
  readonly #base: string;
  readonly #git: Git;
  readonly #objects: CatFile;
  readonly #options: OpenResultsOptions;
  /** Present where one commit is read and nothing else. */
  readonly pinned: PinnedCommit | undefined;
  #ports: Promise<ResultsPorts> | undefined;
  #settings: Promise<RepositorySettings> | undefined;

  constructor(git: Git, options: OpenResultsOptions, pinned?: PinnedCommit) {
    this.#git = git;
    this.#base = options.branch === undefined ? RESULTS_REF : `refs/heads/${options.branch}`;
    this.ref = this.#base;
    this.#options = options;
    this.pinned = pinned;
    this.#objects = new CatFile(git);
  }

  get dir(): string {
    return this.#git.dir;
  }

  /** False when it was there already: here, or in what was fetched. */
  async init(): Promise<boolean> {
    return beginResults(await this.#toWrite());
  }

  async isThere(): Promise<boolean> {
    const ports = await this.ports();
    return (await ResultsTree.read(ports, ports.refs)) !== undefined;
  }

  async publish(log: LogReader, name: string): Promise<Published> {
    const ports = await this.#toWrite();
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
    const run = await idOf(tree, given, await this.ports());
    const found = await tree.findAll(run);
    const revisions = readable(found);
    const [revision] = revisions;
    if (!revision) throw unknownRun(given);
    const { notes, damage } = await readNotes(tree, this.#objects, run);
    const broken = found.damage.map(({ error }) => error.message);
    const tags = await wholeTags(revision, this.#objects);
    const marks = foldNotes(notes, { tags, damage: [...broken, ...damage] });
    return { revision, revisions: revisions.length, marks };
  }

  /** The tags of the log itself, whatever people said since. */
  async tagsOf(run: RunId): Promise<readonly string[]> {
    return wholeTags((await this.find(run)).revision, this.#objects);
  }

  /** By the name that its log had; undefined when there is none. */
  async findByLog(name: string): Promise<FoundResult | undefined> {
    const run = await runOfLog(await this.tree(), name);
    return run && this.find(run);
  }

  /** The ids of runs, by what people give of them; the first that is none, or several, is refused. */
  async idsOf(given: readonly string[]): Promise<readonly RunId[]> {
    const tree = await this.tree();
    const ids = new Set<RunId>();
    for (const one of given) ids.add(await idOf(tree, one, await this.ports()));
    return [...ids];
  }

  /** Newest first. */
  async allRuns(): Promise<readonly RunId[]> {
    const tree = await this.tree();
    const runs: RunId[] = [];
    for (const day of await tree.days()) runs.push(...(await tree.runsOf(day)).map(({ run }) => run));
    return runs;
  }

  /** The commit that published a revision, as far as it can be told. */
  async commitOf({ path }: Revision): Promise<ObjectId | undefined> {
    for (const commit of (await this.tree()).commits) {
      const found = await commitOfPath(this.#git, commit, `${path}/run.json`);
      if (found) return found;
    }
    return undefined;
  }

  async open({ revision }: Pick<FoundResult, 'revision'>): Promise<StoredLogReader> {
    return openPublished(revision, await this.readPorts());
  }

  async readPorts(): Promise<PublishedPorts> {
    const { git, objects, prefetch, bucket, disk } = await this.ports();
    return { git, objects, prefetch, bucket, scratch: { disk } };
  }

  async say(runs: readonly RunId[], sayOf: SayOf): Promise<readonly Note[]> {
    return addNotes(await this.#toWrite(), runs, sayOf);
  }

  /** Looks which branch is the newest. One that was named is taken as it is, so that archives can be read. */
  async refresh(): Promise<void> {
    if (this.#options.branch !== undefined || this.pinned) return;
    const { remotes } = await this.settings();
    const ref = await newestBranch(this.#objects, this.#base, remotes);
    if (ref === this.ref) return;
    this.ref = ref;
    this.#ports = undefined;
  }

  async planArchive(before: string): Promise<ArchivePlan> {
    await this.init();
    return planArchive(await this.ports(), { before, base: this.#base });
  }

  /** False when somebody else archived at this very moment. */
  async archive(plan: ArchivePlan): Promise<boolean> {
    const made = await applyArchive(await this.#toWrite(), plan);
    await this.refresh();
    return made !== undefined;
  }

  /** Brings what the remote has; nothing here is moved. False when the remote has no results yet; undefined without a remote. */
  async fetch(signal?: AbortSignal): Promise<boolean | undefined> {
    await this.#toWrite();
    const remote = await this.remote();
    if (remote === undefined) return undefined;
    const withLonger = this.#options.branch === undefined;
    if (!(await fetchBranch(this.#git, { remote, ref: this.#base, withLonger }, signal))) return false;
    await this.refresh();
    this.#ports = undefined;
    return (await this.#objects.info(`${trackingRef({ remote, ref: this.ref })}^{commit}`)) !== undefined;
  }

  async push(signal?: AbortSignal): Promise<PushOutcome> {
    await this.#toWrite();
    const remote = await this.remote();
    if (remote === undefined) return { outcome: 'no remote' };
    await this.#carryOver();
    return pushResults(await this.ports(), remote, signal);
  }

  async status(): Promise<ResultsStatus> {
    return statusOf(await this.ports(), await this.tree(), await this.remote());
  }

  /** What was fetched under the name of the results and cannot be read as such: it is no part of any list. */
  async unread(): Promise<readonly UnreadRef[]> {
    return (await this.ports()).unread;
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
    return keepUp(await this.#toWrite());
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
    return chooseRemote(
      this.#options.remote,
      remotes.map(({ name }) => name),
    );
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

  /** All runs that a filter leaves, newest first, in their newest revisions. One that cannot be read says so. */
  async *each(filter: RunFilter): AsyncGenerator<EachRun> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.list({ ...filter, limit: PAGE, ...definedOf({ cursor }) });
      const tree = await ResultsTree.read(await this.ports(), page.commits);
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
  async rowsSince(position: string | undefined): Promise<RowChanges | undefined> {
    return rowsSince(await this.ports(), position);
  }

  /** A revision by the path of its folder; undefined when it is not there. */
  async at(path: string): Promise<Pick<FoundResult, 'revision'> | undefined> {
    const { objects, refs } = await this.ports();
    const revision = await revisionAt(objects, { refs, path });
    return revision && { revision };
  }

  /** The same results as they were at a commit, for whoever only reads. Whoever opens it closes it. */
  pinnedTo(commit: string): Promise<ResultsStore> {
    const branch = this.ref.replace(/^refs\/heads\//, '');
    return openResults({ ...this.#options, repo: this.dir, branch, at: commit });
  }

  /** Whether a commit has all that the results hold by now. */
  async isNewest(commit: ObjectId): Promise<boolean> {
    return hasAllOf(this.#git, commit, (await this.tree()).commits);
  }

  /** The commit that has all that the results hold; undefined where only several of them together do. */
  async newest(): Promise<ObjectId | undefined> {
    for (const commit of (await this.tree()).commits) if (await this.isNewest(commit)) return commit;
    return undefined;
  }

  /** Reads a published log from end to end, and compares it with the digest of its row. */
  async check(found: Pick<FoundResult, 'revision'> & Partial<FoundResult>): Promise<VerifyReport> {
    return await checkPublished(await this.open(found), { ...found, ports: await this.readPorts() });
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

  /** Brings what was published into a branch that had been archived meanwhile. */
  async #carryOver(): Promise<void> {
    const ports = await this.ports();
    if (this.ref === this.#base) return;
    await changeResults<void>(ports, async (tree) => {
      const files = await lateFiles(ports, tree);
      const known = await tree.filterNew(files);
      if (known.length === 0) return { done: undefined };
      return { message: 'Bring what was published meanwhile\n', files: known, whenDone: () => undefined };
    });
  }

  async #makePorts(): Promise<ResultsPorts> {
    const [git, objects, options] = [this.#git, this.#objects, this.#options];
    const { ref, pinned } = this;
    return makePorts({ git, objects, options, settings: await this.settings(), ref, pinned });
  }

  /** For those who change something. */
  #toWrite(): Promise<ResultsPorts> {
    if (this.pinned) throw pinnedForReading(this.pinned);
    return this.ports();
  }
}
