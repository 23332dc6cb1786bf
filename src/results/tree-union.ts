import { type CatFile, missingObject, type ObjectId, parseTree, type TreeEntry } from '../git/index.ts';

/** An entry of a folder as several commits have it: `ids` are the different objects that they know by this name. */
export interface UnionEntry {
  readonly name: string;
  readonly kind: TreeEntry['kind'];
  readonly ids: readonly ObjectId[];
}

/**
 * One folder as several commits have it, in the order of names. What any of them holds is there; a tree that they share is read once.
 */
export async function readUnion(
  objects: CatFile,
  trees: readonly ObjectId[],
): Promise<readonly UnionEntry[]> {
  const [first, ...others] = await Promise.all(trees.map((id) => readTree(objects, id)));
  if (!first) return [];
  if (others.length === 0) return first.map(({ name, kind, id }) => ({ name, kind, ids: [id] }));
  const found = new Map<string, { readonly entry: UnionEntry; readonly ids: Set<ObjectId> }>();
  for (const { name, kind, id } of [first, ...others].flat()) {
    // A file and a folder of one name are two entries.
    const key = `${kind} ${name}`;
    const known = found.get(key);
    if (known) known.ids.add(id);
    else found.set(key, { entry: { name, kind, ids: [] }, ids: new Set([id]) });
  }
  return [...found.values()]
    .map(({ entry, ids }) => ({ ...entry, ids: [...ids] }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

export async function readTree(objects: CatFile, id: ObjectId): Promise<readonly TreeEntry[]> {
  const tree = await objects.object(id);
  if (tree?.type !== 'tree') throw missingObject(id);
  return parseTree(tree.bytes, { id });
}
