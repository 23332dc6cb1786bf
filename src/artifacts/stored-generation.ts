import { join } from 'node:path';
import type { Disk } from '../disk/index.ts';
import { isGenerationId } from './generation.ts';
import { FILES_NAME, MANIFEST_NAME, recipeFolder, UNITS } from './layout.ts';
import { decodeManifest, isManifest, type Manifest } from './manifest.ts';

/** A generation as a cache holds it. Its files are checked when it is used, not when it is listed. */
export interface StoredGeneration {
  readonly manifest: Manifest;
  /** Where its files lie. */
  readonly filesDir: string;
  /** The whole of it. */
  readonly dir: string;
}

/** Something that has the name of a generation and is none. */
export interface BrokenGeneration {
  readonly generation: string;
  readonly dir: string;
  /** `units/<kind>/<key>/<recipe>`, as it lies there. */
  readonly folder: string;
  readonly reason: string;
  /**
   * - `scrap`: it has no manifest, so it never was a generation: nobody takes it for one, and it is in nobody's way;
   * - `damaged`: it has one that cannot be read, or that is not its own;
   * - `newer`: a later version of Holdfast wrote it.
   */
  readonly kind: 'scrap' | 'damaged' | 'newer';
}

export interface RecipeContents {
  readonly whole: readonly StoredGeneration[];
  readonly broken: readonly BrokenGeneration[];
}

/** Reads what is in the folder of one recipe. Temporary names and whatever else lies there are nothing to us [ART-6]. */
export async function readRecipeFolder(
  disk: Disk,
  cacheDir: string,
  folder: readonly string[],
): Promise<RecipeContents> {
  const whole: StoredGeneration[] = [];
  const broken: BrokenGeneration[] = [];
  for (const { name, kind } of (await disk.list(join(cacheDir, ...folder))) ?? []) {
    if (kind !== 'directory' || !isGenerationId(name)) continue;
    const found = await readListed(disk, cacheDir, { folder, generation: name });
    if (!found) continue;
    if ('manifest' in found) whole.push(found);
    else broken.push(found);
  }
  return { whole, broken };
}

/** Whoever removes a generation takes its name first, and another may put it back: what is seen in between is neither. */
const LOOKS_MAX = 5;

/** What lies under a name that was listed; undefined when it is gone by now, which is no damage [ART-14]. */
async function readListed(
  disk: Disk,
  cacheDir: string,
  place: { readonly folder: readonly string[]; readonly generation: string },
): Promise<StoredGeneration | BrokenGeneration | undefined> {
  for (let look = 1; ; look++) {
    const found = await readGeneration(disk, cacheDir, place);
    if ('manifest' in found || found.kind !== 'scrap') return found;
    if (!(await disk.stat(found.dir))) return undefined;
    if (look === LOOKS_MAX) return found;
  }
}

/** What lies at the place of one generation; there must be something. */
export async function readGeneration(
  disk: Disk,
  cacheDir: string,
  place: { readonly folder: readonly string[]; readonly generation: string },
): Promise<StoredGeneration | BrokenGeneration> {
  const { generation } = place;
  const folder = place.folder.join('/');
  const dir = join(cacheDir, ...place.folder, generation);
  const brokenBy = (kind: BrokenGeneration['kind'], reason: string) => ({
    generation,
    dir,
    folder,
    kind,
    reason,
  });
  const bytes = await disk.read(join(dir, MANIFEST_NAME));
  if (!bytes) return brokenBy('scrap', 'it has no manifest');
  const manifest = decodeManifest(bytes);
  if (!isManifest(manifest)) return brokenBy(manifest.isNewer ? 'newer' : 'damaged', manifest.reason);
  if (manifest.generation !== generation || recipeFolder(manifest).join('/') !== folder)
    return brokenBy(
      'damaged',
      `its manifest is that of ${recipeFolder(manifest).join('/')}/${manifest.generation}`,
    );
  return { manifest, dir, filesDir: join(dir, FILES_NAME) };
}

/** The folders of all recipes of a cache, in order. */
export async function listRecipeFolders(
  disk: Disk,
  cacheDir: string,
): Promise<readonly (readonly string[])[]> {
  let folders: (readonly string[])[] = [[UNITS]];
  for (let depth = 0; depth < 3; depth++) {
    const deeper: (readonly string[])[] = [];
    for (const folder of folders) {
      for (const { name, kind } of (await disk.list(join(cacheDir, ...folder))) ?? [])
        if (kind === 'directory') deeper.push([...folder, name]);
    }
    folders = deeper;
  }
  return folders;
}
