import { join } from 'node:path';
import { errnoOf } from '../base/index.ts';
import { type Disk, type HashedFile, hashFile } from '../disk/index.ts';
import { type Damage, readDamages } from './damage.ts';
import { isGenerationId } from './generation.ts';
import { FILES_NAME, MANIFEST_NAME, recipeFolder, recipeName, UNITS } from './layout.ts';
import type { ArtifactFile } from './manifest.ts';
import type { UnitRecipe } from './recipe.ts';
import { listRecipeFolders } from './stored-generation.ts';

/** Where a generation lies in a source. */
export interface SourceRef {
  /** `units/<kind>/<key>/<recipe>` */
  readonly folder: string;
  readonly generation: string;
}

/**
 * Something that generations come from: another cache, an exported folder, a bucket. Nothing that it says is believed: manifests are
 * decoded by whoever reads them, and files are hashed while they are copied.
 */
export interface ArtifactSource {
  /** How people name it. */
  readonly name: string;
  /** All that has the name of a generation, in order; undefined when there is no such source. What cannot be listed throws. */
  list(signal?: AbortSignal): Promise<readonly SourceRef[] | undefined>;
  /** What is remembered there as damaged, of all that it has or of what was chosen. */
  damages(signal?: AbortSignal): Promise<readonly Damage[]>;
  /** A name without a manifest is an upload that did not finish, and no damage. */
  readonly isNamedFirst: boolean;
  /** Undefined when it has none: then it is incomplete. */
  readManifest(ref: SourceRef, signal?: AbortSignal): Promise<Uint8Array | undefined>;
  /** Copies a file to a new one, protected and synced, and says what was copied; undefined when it is missing. */
  copyFile(
    ref: SourceRef,
    file: ArtifactFile,
    options: { readonly to: string; readonly signal?: AbortSignal | undefined },
  ): Promise<HashedFile | undefined>;
}

/** A folder in the layout of a cache [ART-6]: another cache, or what was exported. */
export function folderSource(disk: Disk, dir: string): ArtifactSource {
  const placeOf = ({ folder, generation }: SourceRef) => join(dir, folder, generation);
  return {
    name: dir,
    async list(signal) {
      if ((await disk.stat(join(dir, UNITS)))?.kind !== 'directory') return undefined;
      const refs: SourceRef[] = [];
      for (const folder of await listRecipeFolders(disk, dir)) {
        signal?.throwIfAborted();
        for (const { name, kind } of (await disk.list(join(dir, ...folder))) ?? [])
          if (kind === 'directory' && isGenerationId(name))
            refs.push({ folder: folder.join('/'), generation: name });
      }
      return refs;
    },
    damages: () => readDamages(disk, dir),
    isNamedFirst: false,
    readManifest: (ref) => disk.read(join(placeOf(ref), MANIFEST_NAME)),
    copyFile: (ref, file, options) =>
      copyHashed(disk, { ...options, file, from: join(placeOf(ref), FILES_NAME, file.path) }),
  };
}

/** Only what a source has of one recipe. */
export function onlyRecipe(source: ArtifactSource, unit: UnitRecipe): ArtifactSource {
  const folder = recipeFolder(unit).join('/');
  const name = recipeName(unit.recipe);
  return {
    ...source,
    list: async (signal) => (await source.list(signal))?.filter((ref) => ref.folder === folder),
    damages: async (signal) => (await source.damages(signal)).filter(({ recipe }) => recipe === name),
  };
}

async function copyHashed(
  disk: Disk,
  options: {
    readonly from: string;
    readonly to: string;
    readonly file: ArtifactFile;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<HashedFile | undefined> {
  const { from, to, file, signal } = options;
  const source = await openIfThere(disk, from);
  if (!source) return undefined;
  await using _source = source;
  await using target = await disk.open(to, 'create');
  const onChunk = (chunk: Uint8Array, position: number) => target.write(chunk, position);
  const hashed = await hashFile(source, { signal, sizeHint: file.size, onChunk });
  await target.protect(file);
  await target.sync();
  return hashed;
}

async function openIfThere(disk: Disk, path: string) {
  try {
    return await disk.open(path, 'read');
  } catch (error) {
    // Below a file there is nothing, and a folder is no file.
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
