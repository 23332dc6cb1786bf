import { ActionableError, isRunId, type RunId, UsageError } from '../base/index.ts';
import {
  type CatFile,
  type ImportFile,
  missingObject,
  noPrefetch,
  type ObjectId,
  type Prefetch,
  treeOfCommit,
} from '../git/index.ts';
import {
  dayOf,
  FORMAT_FILE,
  FORMAT_VERSION,
  fanOf,
  isDay,
  isFan,
  notesSteps,
  REVISIONS_FOLDER,
  ROW_FILE,
} from './layout.ts';
import { type RunRow, readRow } from './run-row.ts';
import { readTree, readUnion, type UnionEntry } from './tree-union.ts';

/** Where a run is kept. Commits that were made apart may have it in several folders; together they are the run. */
export interface RunPlace {
  readonly run: RunId;
  readonly folders: readonly RunFolder[];
}

export interface RunFolder {
  readonly path: string;
  readonly tree: ObjectId;
}

export interface TreePorts {
  readonly objects: CatFile;
  readonly prefetch: Prefetch;
}

/** `notes/<day>/<fan>/<run>`. */
const NOTES_DEPTH = 4;

/** One revision of a run: its row, and the folder that it is in. */
export interface Revision extends RunFolder {
  readonly run: RunId;
  readonly row: RunRow;
}

/** A ref that was fetched and is not read. */
export interface UnreadRef {
  readonly ref: string;
  readonly error: ActionableError;
}

export interface FoundRevisions {
  /** The newest first. */
  readonly revisions: readonly Revision[];
  /** Why others cannot be read. */
  readonly damage: readonly BrokenRevision[];
}

/** A folder of a run whose row cannot be read. */
export interface BrokenRevision extends RunFolder {
  readonly error: ActionableError;
}

const NONE: FoundRevisions = { revisions: [], damage: [] };

/** The revisions that can be read; when there are some and none can be, that is told. */
export function readable({ revisions, damage }: FoundRevisions): readonly Revision[] {
  const [first] = damage;
  if (first && revisions.length === 0) throw first.error;
  return revisions;
}

/**
 * The results as one or more commits have them: the union of what each holds. Nothing is read but what is asked for, and everything by its
 * object id.
 */
export class ResultsTree {
  /** The first is that of the first name that was asked for and is there. */
  readonly commits: readonly [ObjectId, ...ObjectId[]];
  readonly #objects: CatFile;
  readonly #prefetch: Prefetch;
  readonly #root: ReadonlyMap<string, UnionEntry>;
  readonly #kept = new Map<string, Promise<readonly UnionEntry[]>>();

  private constructor(
    commits: readonly [ObjectId, ...ObjectId[]],
    { objects, prefetch }: TreePorts,
    root: readonly UnionEntry[],
  ) {
    this.commits = commits;
    this.#objects = objects;
    this.#prefetch = prefetch;
    this.#root = new Map(root.map((entry) => [entry.name, entry]));
  }

  /** Undefined when there is none of these refs or commits. What is there and holds no results is refused [RES-1]. */
  static async read(ports: TreePorts, names: readonly string[]): Promise<ResultsTree | undefined> {
    const { objects } = ports;
    const found = await Promise.all(names.map((name) => rootOf(objects, name)));
    const roots = found.filter((one) => one !== undefined);
    const [first, ...others] = [...new Map(roots.map((root) => [root.commit, root])).values()];
    if (!first) return undefined;
    const all = [first, ...others];
    const root = await readUnion(objects, [...new Set(all.map(({ tree }) => tree))]);
    return new ResultsTree([first.commit, ...others.map(({ commit }) => commit)], ports, root);
  }

  /** Which of some refs hold results; what is wrong with those that are there and hold something else. */
  static async sort(
    { objects }: TreePorts,
    names: readonly string[],
  ): Promise<{ readonly refs: readonly string[]; readonly unread: readonly UnreadRef[] }> {
    const found = await Promise.all(
      names.map(async (ref) => ({ ref, root: await orDamage(() => rootOf(objects, ref)) })),
    );
    return {
      refs: found.flatMap(({ ref, root }) => (root instanceof ActionableError ? [] : [ref])),
      unread: found.flatMap(({ ref, root }) =>
        root instanceof ActionableError ? [{ ref, error: root }] : [],
      ),
    };
  }

  get commit(): ObjectId {
    return this.commits[0];
  }

  /** Newest first. */
  async days(): Promise<readonly string[]> {
    const entries = await this.folder(['runs']);
    return entries
      .filter(({ name, kind }) => kind === 'tree' && isDay(name))
      .map(({ name }) => name)
      .toReversed();
  }

  /** The runs of a day, newest first; ids begin with their time. */
  async runsOf(day: string): Promise<readonly RunPlace[]> {
    const entries = await this.folder(['runs', day]);
    const path = `runs/${day}`;
    const fans = entries.filter(({ name, kind }) => kind === 'tree' && isFan(name));
    const deeper = await Promise.all(
      fans.map(async (fan) => foldersIn(await this.#entries(fan), `${path}/${fan.name}`)),
    );
    const places = gather([foldersIn(entries, path), ...deeper].flat());
    return places.sort((a, b) => (a.run < b.run ? 1 : a.run > b.run ? -1 : 0));
  }

  /** Undefined when it is not there. */
  async place(run: RunId): Promise<RunPlace | undefined> {
    const day = dayOf(run);
    const entries = await this.folder(['runs', day]);
    const fan = entries.find(({ name, kind }) => kind === 'tree' && name === fanOf(run));
    const folders = [
      ...foldersIn(entries, `runs/${day}`),
      ...(fan ? foldersIn(await this.#entries(fan), `runs/${day}/${fan.name}`) : []),
    ];
    return gather(folders.filter((folder) => folder.run === run))[0];
  }

  /** All revisions of one run, the newest first; none when it is not there. */
  async find(run: RunId): Promise<readonly Revision[]> {
    return readable(await this.findAll(run));
  }

  /** The same, and why others cannot be read. */
  async findAll(run: RunId): Promise<FoundRevisions> {
    const place = await this.place(run);
    return place ? this.revisions(place) : NONE;
  }

  /** How many runs lie directly in the folder of a day. */
  async countBeside(day: string): Promise<number> {
    return (await this.folder(['runs', day])).filter(({ name }) => isRunId(name)).length;
  }

  /**
   * All revisions of a run, the newest first [RES-5]. One that lies in several folders counts once, and one that cannot be read hinders
   * no other.
   */
  async revisions({ run, folders }: RunPlace): Promise<FoundRevisions> {
    const found = (await Promise.all(folders.map((folder) => this.#revisionsIn(run, folder)))).flat();
    const sorted = found.filter((one): one is Revision => 'row' in one).sort(newestFirst);
    const revisions = sorted.filter(
      ({ row }, at) => at === 0 || sorted.findIndex((one) => one.row.log.digest === row.log.digest) === at,
    );
    return { revisions, damage: found.filter((one): one is BrokenRevision => 'error' in one) };
  }

  /** Brings the rows of a page at once, and what was said of its runs, where they have to be fetched. */
  async prefetchRows(places: readonly RunPlace[]): Promise<void> {
    if (this.#prefetch === noPrefetch) return;
    const folders = places.flatMap((place) => place.folders);
    const trees = await Promise.all(folders.map(({ tree }) => readTree(this.#objects, tree)));
    const rows = trees.flat().flatMap(({ name, id }) => (name === ROW_FILE ? [id] : []));
    const notes = await Promise.all(places.map(({ run }) => this.folder(notesSteps(run))));
    const said = notes.flat().flatMap(({ kind, ids }) => (kind === 'blob' ? ids : []));
    await this.#prefetch([...rows, ...said]);
  }

  /** What lies in a folder, by the steps of its path; nothing when there is none. */
  async folder(steps: readonly string[]): Promise<readonly UnionEntry[]> {
    const [last] = steps.slice(-1);
    if (last === undefined) return [...this.#root.values()];
    // The folders above notes are asked for again with every run of a page, and there are few of them.
    const isKept = steps[0] === 'notes' && steps.length < NOTES_DEPTH;
    const key = steps.join('/');
    const known = this.#kept.get(key);
    if (known) return known;
    const found = this.folder(steps.slice(0, -1)).then((parent) =>
      this.#entries(parent.find(({ name }) => name === last)),
    );
    if (isKept) this.#kept.set(key, found);
    return found;
  }

  /** Those of some files that are not here yet. */
  async filterNew(files: readonly ImportFile[]): Promise<readonly ImportFile[]> {
    const fresh: ImportFile[] = [];
    for (const file of files) {
      const steps = file.path.split('/');
      const name = steps.pop();
      if (!(await this.folder(steps)).some((entry) => entry.name === name)) fresh.push(file);
    }
    return fresh;
  }

  /** A folder may hold only later revisions: of a run whose first was published elsewhere. */
  async #revisionsIn(run: RunId, folder: RunFolder): Promise<readonly (Revision | BrokenRevision)[]> {
    const entries = await orDamage(() => readTree(this.#objects, folder.tree));
    if (entries instanceof ActionableError) return [{ ...folder, error: entries }];
    const others = entries.find(({ name, kind }) => name === REVISIONS_FOLDER && kind === 'tree');
    const hasFirst = !others || entries.some(({ name }) => name === ROW_FILE);
    const first = hasFirst ? [this.#revision(run, folder)] : [];
    if (!others) return Promise.all(first);
    const path = `${folder.path}/${REVISIONS_FOLDER}`;
    const later = await orDamage(() => readTree(this.#objects, others.id));
    if (later instanceof ActionableError)
      return [...(await Promise.all(first)), { path, tree: others.id, error: later }];
    return Promise.all([
      ...first,
      ...later.map(({ name, id }) => this.#revision(run, { path: `${path}/${name}`, tree: id })),
    ]);
  }

  async #revision(run: RunId, folder: RunFolder): Promise<Revision | BrokenRevision> {
    const read = await orDamage(async (): Promise<Revision> => {
      const entries = await readTree(this.#objects, folder.tree);
      const file = entries.find(({ name }) => name === ROW_FILE);
      const blob = file && (await this.#objects.object(file.id));
      if (!blob) throw missingObject(file?.id ?? folder.tree);
      return { ...folder, run, row: readRow(blob.bytes, { run }) };
    });
    return read instanceof ActionableError ? { ...folder, error: read } : read;
  }

  async #entries(entry: UnionEntry | undefined): Promise<readonly UnionEntry[]> {
    return entry?.kind === 'tree' ? readUnion(this.#objects, entry.ids) : [];
  }
}

async function orDamage<T>(read: () => Promise<T>): Promise<T | ActionableError> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return error;
  }
}

interface Root {
  readonly commit: ObjectId;
  readonly tree: ObjectId;
}

async function rootOf(objects: CatFile, name: string): Promise<Root | undefined> {
  const commit = await objects.object(`${name}^{commit}`);
  if (!commit) return undefined;
  const tree = treeOfCommit(commit);
  await checkFormat(objects, tree, name);
  return { commit: commit.id, tree };
}

async function checkFormat(objects: CatFile, tree: ObjectId, name: string): Promise<void> {
  const entries = await readTree(objects, tree);
  const file = entries.find((entry) => entry.name === FORMAT_FILE);
  const blob = file && (await objects.object(file.id));
  const found = /"format":"holdfast-results","version":(\d+)/.exec(blob?.bytes.toString('utf8') ?? '');
  if (Number(found?.[1]) === FORMAT_VERSION) return;
  if (found)
    throw new UsageError({
      code: 'E_RESULTS_VERSION',
      message: `${name} holds results of version ${found[1]}, which is newer than this Holdfast knows.`,
      hint: 'Install a newer Holdfast.',
    });
  throw new UsageError({
    code: 'E_RESULTS_REF',
    message: `${name} was not made by "holdfast results init": it has no ${FORMAT_FILE}.`,
    hint: 'Name another branch with --branch, or another repository with --repo.',
  });
}

/** Numbered higher, ended later, and between equals the digest decides: the same for everybody [RES-5]. */
function newestFirst(a: Revision, b: Revision): number {
  const [left, right] = [a.row, b.row];
  if (left.revision !== right.revision) return right.revision - left.revision;
  if (left.end !== right.end) return left.end < right.end ? 1 : -1;
  if (left.log.digest !== right.log.digest) return left.log.digest < right.log.digest ? 1 : -1;
  return a.tree < b.tree ? -1 : 1;
}

function foldersIn(entries: readonly UnionEntry[], path: string): (RunFolder & { readonly run: RunId })[] {
  return entries.flatMap(({ name, kind, ids }) =>
    kind === 'tree' && isRunId(name) ? ids.map((tree) => ({ run: name, path: `${path}/${name}`, tree })) : [],
  );
}

function gather(folders: readonly (RunFolder & { readonly run: RunId })[]): RunPlace[] {
  const places = new Map<RunId, RunFolder[]>();
  for (const { run, path, tree } of folders) {
    const known = places.get(run);
    if (known) known.push({ path, tree });
    else places.set(run, [{ path, tree }]);
  }
  return [...places].map(([run, found]) => ({ run, folders: found }));
}
