import { dirname, join } from 'node:path';
import { inOrder } from '../base/index.ts';
import { tempPathFor } from '../disk/index.ts';
import type { ArtifactSource, SourceRef } from './artifact-source.ts';
import { setAside } from './damage.ts';
import { FILES_NAME, generationDir, recipeDir, recipeFolder, recipeName } from './layout.ts';
import { commit, tryRemoveTree } from './make-generation.ts';
import type { ArtifactFile, Manifest } from './manifest.ts';
import { type LockOptions, type LockPlace, lockRecipe, tryLockRecipe } from './recipe-lock.ts';
import { FILES_AT_A_TIME, makeFolders, syncFolders } from './seal-folder.ts';
import { type BrokenGeneration, readGeneration, type StoredGeneration } from './stored-generation.ts';

/** Why a copy was not taken. `incomplete`: a file is missing. `corrupt`: one is not what the manifest promises. */
export interface Refused {
  readonly state: 'incomplete' | 'corrupt' | 'failed';
  readonly reason: string;
}

export interface InstallOptions extends LockOptions {
  readonly source: ArtifactSource;
  readonly ref: SourceRef;
  readonly manifest: Manifest;
  readonly onFile?: ((file: ArtifactFile) => void) | undefined;
  /** Nobody waits for a lock any more; what is being copied is finished. */
  readonly stop?: AbortSignal | undefined;
}

/**
 * Takes over one generation, whole or not at all.
 *
 * ### Ordering
 * Every file is copied, compared and synced under a temporary name before the lock is asked for and before anything else here is
 * touched [ART-11]; then the manifest, then the name, as in a build [ART-3].
 */
export async function installGeneration(
  place: LockPlace,
  options: InstallOptions,
): Promise<StoredGeneration | Refused> {
  const { disk, cacheDir } = place;
  const { manifest } = options;
  const folder = recipeDir(cacheDir, manifest);
  await disk.makeDir(folder);
  const temp = tempPathFor(join(folder, FILES_NAME));
  try {
    const refused = await copyFiles(place, temp, options);
    if (refused) return refused;
    options.signal?.throwIfAborted();
    // Whoever is told to stop installs what is copied, and only waits for nobody any more.
    using _lock =
      (await tryLockRecipe(place, manifest)) ??
      (await lockRecipe(place, manifest, { ...options, signal: eitherOf(options) }));
    const inPlace = await clearPlace(place, manifest);
    // Somebody else brought it meanwhile, or it cannot come here.
    if (inPlace) return inPlace;
    return await commit(place, temp, manifest);
  } finally {
    // After the commit there is nothing of that name.
    await tryRemoveTree(disk, temp);
  }
}

function eitherOf({ signal, stop }: InstallOptions): AbortSignal | undefined {
  return signal && stop ? AbortSignal.any([signal, stop]) : (signal ?? stop);
}

async function copyFiles(
  { disk }: LockPlace,
  temp: string,
  options: InstallOptions,
): Promise<Refused | undefined> {
  const { source, ref, manifest, onFile, signal } = options;
  const dir = join(temp, FILES_NAME);
  const paths = manifest.files.map(({ path }) => path);
  await makeFolders(disk, dir, paths);
  const work = async (file: ArtifactFile) => {
    const to = join(dir, file.path);
    return { file, copied: await source.copyFile(ref, file, { to, signal }) };
  };
  for await (const { file, copied } of inOrder(manifest.files, { atATime: FILES_AT_A_TIME, work })) {
    if (!copied) return { state: 'incomplete', reason: `${file.path} is missing` };
    if (copied.size !== file.size || copied.sha256 !== file.sha256)
      return { state: 'corrupt', reason: `${file.path} is not what its manifest promises` };
    onFile?.(file);
  }
  await syncFolders(disk, dir, paths);
  return undefined;
}

/** Makes room where the generation goes: what is damaged there is set aside, and scrap is removed. Gives what is whole there. */
async function clearPlace(
  place: LockPlace,
  manifest: Manifest,
): Promise<StoredGeneration | Refused | undefined> {
  const { disk, cacheDir } = place;
  const { generation } = manifest;
  const dir = generationDir(cacheDir, manifest, generation);
  if (!(await disk.stat(dir))) return undefined;
  const found = await readGeneration(disk, cacheDir, { folder: recipeFolder(manifest), generation });
  if ('manifest' in found) return found;
  if (found.kind === 'newer') return { state: 'failed', reason: `here ${found.reason}` };
  if (found.kind === 'scrap') await removeScrap(place, found);
  else {
    const { kind, key, recipe, supersedes } = manifest;
    const finding = {
      kind,
      key,
      recipe: recipeName(recipe),
      generation,
      supersedes,
      reason: found.reason,
      files: [],
      dir,
    };
    await setAside(place, finding);
  }
  return undefined;
}

/** Its name goes first, by one rename: a crash leaves a temporary name. */
async function removeScrap({ disk }: LockPlace, { dir }: BrokenGeneration): Promise<void> {
  const temp = tempPathFor(dir);
  await disk.rename(dir, temp);
  await disk.syncDir(dirname(dir));
  await disk.removeTree(temp);
}
