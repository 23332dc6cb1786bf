import { isRunId, type RunId } from '../base/index.ts';
import type { CatFile, ObjectId } from '../git/index.ts';
import { isDay, isFan } from './layout.ts';
import { readTree } from './tree-union.ts';

/**
 * The runs that one commit has and another has not, or has otherwise: what is new since a commit that is known. Only what differs is read.
 */
export async function* changedRuns(
  objects: CatFile,
  { from, to }: { readonly from: ObjectId | undefined; readonly to: ObjectId },
): AsyncGenerator<RunId> {
  const old = from === undefined ? undefined : await folderOf(objects, from);
  const young = await folderOf(objects, to);
  if (young === undefined || young === old) return;
  yield* changedIn(objects, old, young);
}

async function* changedIn(
  objects: CatFile,
  old: ObjectId | undefined,
  young: ObjectId,
): AsyncGenerator<RunId> {
  const before = new Map(
    old === undefined ? [] : (await readTree(objects, old)).map(({ name, id }) => [name, id]),
  );
  for (const { name, kind, id } of await readTree(objects, young)) {
    const known = before.get(name);
    if (kind !== 'tree' || known === id) continue;
    if (isRunId(name)) yield name;
    else if (isDay(name) || isFan(name)) yield* changedIn(objects, known, id);
  }
}

async function folderOf(objects: CatFile, commit: ObjectId): Promise<ObjectId | undefined> {
  return (await objects.info(`${commit}:runs`))?.id;
}
