import { DamageError, isRunId, type RunId, UsageError } from '../base/index.ts';
import type { CatFile, ObjectId } from '../git/index.ts';
import { parseTree, type TreeEntry } from '../git/index.ts';
import {
  dayOf,
  FORMAT_FILE,
  FORMAT_VERSION,
  fanOf,
  isDay,
  isFan,
  REVISIONS_FOLDER,
  ROW_FILE,
} from './layout.ts';
import { type RunRow, readRow } from './run-row.ts';

/** Where a run is kept in one tree. */
export interface RunPlace {
  readonly run: RunId;
  readonly path: string;
  readonly tree: ObjectId;
}

/** One revision of a run: its row, and the folder that it is in. */
export interface Revision extends RunPlace {
  readonly row: RunRow;
}

/** The results as one commit has them. Nothing is read but what is asked for, and everything by its object id. */
export class ResultsTree {
  readonly commit: ObjectId;
  readonly #objects: CatFile;
  readonly #root: ReadonlyMap<string, TreeEntry>;

  private constructor(commit: ObjectId, objects: CatFile, root: readonly TreeEntry[]) {
    this.commit = commit;
    this.#objects = objects;
    this.#root = new Map(root.map((entry) => [entry.name, entry]));
  }

  /** Undefined when there is no such ref or commit. What is there and holds no results is refused [RES-1]. */
  static async read(objects: CatFile, name: string): Promise<ResultsTree | undefined> {
    const commit = await objects.info(`${name}^{commit}`);
    if (!commit) return undefined;
    const root = await objects.object(`${commit.id}^{tree}`);
    if (!root) throw missingObject(commit.id);
    const tree = new ResultsTree(commit.id, objects, parseTree(root.bytes, root));
    await tree.#checkFormat(name);
    return tree;
  }

  /** Newest first. */
  async days(): Promise<readonly string[]> {
    const entries = await this.#entries(this.#root.get('runs'));
    return entries
      .filter(({ name, kind }) => kind === 'tree' && isDay(name))
      .map(({ name }) => name)
      .toReversed();
  }

  /** The runs of a day, newest first; ids begin with their time. */
  async runsOf(day: string): Promise<readonly RunPlace[]> {
    const folder = await this.#child(this.#root.get('runs'), day);
    const entries = await this.#entries(folder);
    const path = `runs/${day}`;
    const fans = entries.filter(({ name, kind }) => kind === 'tree' && isFan(name));
    const deeper = await Promise.all(
      fans.map(async (fan) => placesIn(await this.#entries(fan), `${path}/${fan.name}`)),
    );
    const places = [placesIn(entries, path), ...deeper].flat();
    return places.sort((a, b) => (a.run < b.run ? 1 : a.run > b.run ? -1 : 0));
  }

  /** All revisions of one run, the newest first; none when it is not there. */
  async find(run: RunId): Promise<readonly Revision[]> {
    const day = dayOf(run);
    const folder = await this.#child(this.#root.get('runs'), day);
    const entries = await this.#entries(folder);
    const fan = entries.find(({ name, kind }) => kind === 'tree' && name === fanOf(run));
    const places = [
      ...placesIn(entries, `runs/${day}`),
      ...(fan ? placesIn(await this.#entries(fan), `runs/${day}/${fan.name}`) : []),
    ].filter((place) => place.run === run);
    const found = await Promise.all(places.map((place) => this.revisions(place)));
    return found.flat().sort(newestFirst);
  }

  /** How many runs lie directly in the folder of a day. */
  async countBeside(day: string): Promise<number> {
    const entries = await this.#entries(await this.#child(this.#root.get('runs'), day));
    return entries.filter(({ name }) => isRunId(name)).length;
  }

  /** All revisions of a run, the newest first [RES-5]. */
  async revisions(place: RunPlace): Promise<readonly Revision[]> {
    const entries = await this.entriesOf(place.tree);
    const first = await this.#revision(place, entries);
    const others = entries.find(({ name, kind }) => name === REVISIONS_FOLDER && kind === 'tree');
    if (!others) return [first];
    const folder = `${place.path}/${REVISIONS_FOLDER}`;
    const later = (await this.#entries(others)).map(async ({ name, id }) =>
      this.#revision({ run: place.run, path: `${folder}/${name}`, tree: id }, await this.entriesOf(id)),
    );
    return [first, ...(await Promise.all(later))].sort(newestFirst);
  }

  /** The row that lists show. */
  async row(place: RunPlace): Promise<RunRow> {
    const [newest] = await this.revisions(place);
    if (!newest) throw missingObject(place.tree);
    return newest.row;
  }

  /** Whatever lies below a tree of this store. */
  async entriesOf(id: ObjectId): Promise<readonly TreeEntry[]> {
    const tree = await this.#objects.object(id);
    if (tree?.type !== 'tree') throw missingObject(id);
    return parseTree(tree.bytes, { id });
  }

  async #revision(place: RunPlace, entries: readonly TreeEntry[]): Promise<Revision> {
    const file = entries.find(({ name }) => name === ROW_FILE);
    const blob = file && (await this.#objects.object(file.id));
    if (!blob) throw missingObject(file?.id ?? place.tree);
    return { ...place, row: readRow(blob.bytes, { run: place.run }) };
  }

  async #checkFormat(name: string): Promise<void> {
    const file = this.#root.get(FORMAT_FILE);
    const blob = file && (await this.#objects.object(file.id));
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

  async #child(parent: TreeEntry | undefined, name: string): Promise<TreeEntry | undefined> {
    return (await this.#entries(parent)).find((entry) => entry.name === name);
  }

  async #entries(entry: TreeEntry | undefined): Promise<readonly TreeEntry[]> {
    return entry ? this.entriesOf(entry.id) : [];
  }
}

/** Numbered higher, ended later, and between equals the digest decides: the same for everybody [RES-5]. */
function newestFirst(a: Revision, b: Revision): number {
  const [left, right] = [a.row, b.row];
  if (left.revision !== right.revision) return right.revision - left.revision;
  if (left.end !== right.end) return left.end < right.end ? 1 : -1;
  return left.log.digest < right.log.digest ? 1 : -1;
}

function placesIn(entries: readonly TreeEntry[], path: string): RunPlace[] {
  return entries.flatMap(({ name, kind, id }) =>
    kind === 'tree' && isRunId(name) ? [{ run: name, path: `${path}/${name}`, tree: id }] : [],
  );
}

function missingObject(id: ObjectId): DamageError {
  return new DamageError({
    code: 'E_GIT_OBJECT',
    message: `The object ${id} is missing in the repository of the results.`,
    hint: 'Run "git fsck" there. A fetch from a remote that has it, or publishing the log again, brings it back.',
  });
}
