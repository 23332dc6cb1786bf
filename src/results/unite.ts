import type { CatFile, ImportFile, ObjectId, TreeEntry } from '../git/index.ts';
import { isRunFolder, REVISIONS_FOLDER, ROW_FILE, revisionName } from './layout.ts';
import { readRow } from './run-row.ts';
import { readTree } from './tree-union.ts';

/**
 * [RES-10] What has to be written onto the results `theirs` so that they hold what `ours` hold, too. Both are trees. Uniting is commutative,
 * associative and idempotent: whoever unites whose results in whichever order gets the same tree.
 */
export async function filesToUnite(
  objects: CatFile,
  trees: { readonly theirs: ObjectId; readonly ours: ObjectId },
): Promise<readonly ImportFile[]> {
  const files: ImportFile[] = [];
  await uniteFolder(objects, { path: '', ...trees }, files);
  return files;
}

interface Two {
  readonly path: string;
  readonly theirs: ObjectId;
  readonly ours: ObjectId;
}

async function uniteFolder(objects: CatFile, two: Two, files: ImportFile[]): Promise<void> {
  if (isRunFolder(two.path)) return uniteRun(objects, two, files);
  const theirs = byName(await readTree(objects, two.theirs));
  for (const entry of await readTree(objects, two.ours)) {
    const path = two.path === '' ? entry.name : `${two.path}/${entry.name}`;
    const other = theirs.get(entry.name);
    if (other?.id === entry.id) continue;
    if (other?.kind === 'tree' && entry.kind === 'tree')
      await uniteFolder(objects, { path, theirs: other.id, ours: entry.id }, files);
    else if (!other || isPreferred(entry, other)) files.push({ path, content: stored(entry) });
  }
}

/** Two files of one path do not occur but where the same was written twice; then both say the same, and any rule will do. */
function isPreferred(one: TreeEntry, other: TreeEntry): boolean {
  if (one.kind !== other.kind) return one.kind === 'tree';
  return one.id < other.id;
}

/** The revisions of a run, each by the name that its folder has or would have; `root` lies in the folder of the run itself. */
interface RunParts {
  readonly root: string | undefined;
  readonly revisions: ReadonlyMap<string, readonly TreeEntry[]>;
}

/**
 * Two clones may each have published another first revision of a run. The one with the smaller digest stays in the folder of the run,
 * and the other goes to the further ones.
 */
async function uniteRun(objects: CatFile, two: Two, files: ImportFile[]): Promise<void> {
  const theirs = await partsOf(objects, two.theirs);
  const ours = await partsOf(objects, two.ours);
  const [root] = [theirs.root, ours.root].filter((one) => one !== undefined).sort();
  for (const name of new Set([...theirs.revisions.keys(), ...ours.revisions.keys()])) {
    const entries = uniteEntries(theirs.revisions.get(name) ?? [], ours.revisions.get(name) ?? []);
    const folder = name === root ? two.path : `${two.path}/${REVISIONS_FOLDER}/${name}`;
    const isMoved = name === theirs.root ? name !== root : name === root;
    const there = byName(isMoved ? [] : (theirs.revisions.get(name) ?? []));
    for (const entry of entries) {
      if (there.get(entry.name)?.id !== entry.id)
        files.push({ path: `${folder}/${entry.name}`, content: stored(entry) });
    }
  }
  clearOldPlaces(two.path, { theirs, root }, files);
}

/** Where a revision moved, what it leaves behind in `theirs` goes. */
function clearOldPlaces(
  path: string,
  { theirs, root }: { readonly theirs: RunParts; readonly root: string | undefined },
  files: ImportFile[],
): void {
  if (root === undefined || root === theirs.root) return;
  if (theirs.revisions.has(root))
    files.push({ path: `${path}/${REVISIONS_FOLDER}/${root}`, content: 'gone' });
  const written = new Set(files.map((file) => file.path));
  const left = theirs.root === undefined ? [] : (theirs.revisions.get(theirs.root) ?? []);
  for (const { name } of left) {
    if (!written.has(`${path}/${name}`)) files.push({ path: `${path}/${name}`, content: 'gone' });
  }
}

async function partsOf(objects: CatFile, tree: ObjectId): Promise<RunParts> {
  const entries = await readTree(objects, tree);
  const folder = entries.find(({ name, kind }) => name === REVISIONS_FOLDER && kind === 'tree');
  const first = entries.filter((entry) => entry !== folder);
  const revisions = new Map<string, readonly TreeEntry[]>();
  for (const { name, id } of folder ? await readTree(objects, folder.id) : [])
    revisions.set(name, await readTree(objects, id));
  if (first.length === 0) return { root: undefined, revisions };
  const root = await nameOf(objects, first);
  revisions.set(root, uniteEntries(first, revisions.get(root) ?? []));
  return { root, revisions };
}

/** A row that cannot be read still has a place: by the object that it is. */
async function nameOf(objects: CatFile, entries: readonly TreeEntry[]): Promise<string> {
  const file = entries.find(({ name }) => name === ROW_FILE);
  try {
    const blob = file && (await objects.object(file.id));
    if (blob) return revisionName(readRow(blob.bytes, { run: '' }).log.digest);
  } catch {
    // It is kept as it is, and told as damaged by whoever reads it.
  }
  return revisionName(file?.id ?? entries[0]?.id ?? '');
}

function uniteEntries(left: readonly TreeEntry[], right: readonly TreeEntry[]): readonly TreeEntry[] {
  const united = new Map(byName(left));
  for (const entry of right) {
    const other = united.get(entry.name);
    if (!other || (other.id !== entry.id && isPreferred(entry, other))) united.set(entry.name, entry);
  }
  return [...united.values()];
}

function stored({ id, kind }: TreeEntry): ImportFile['content'] {
  return { id, kind: kind === 'tree' ? 'tree' : 'blob' };
}

function byName(entries: readonly TreeEntry[]): ReadonlyMap<string, TreeEntry> {
  return new Map(entries.map((entry) => [entry.name, entry]));
}
