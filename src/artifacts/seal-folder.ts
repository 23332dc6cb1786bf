import { join } from 'node:path';
import { inOrder } from '../base/index.ts';
import { type Disk, hashFile, isExecutable } from '../disk/index.ts';
import { artifactErrors } from './artifact-errors.ts';
import { clashIn, problemOfPath } from './file-paths.ts';
import type { HostPaths } from './host-paths.ts';
import { listTree, type Tree } from './list-tree.ts';
import type { ArtifactFile } from './manifest.ts';
import type { Unit } from './recipe.ts';

/** How far long work on files has come. */
export interface FileProgress {
  readonly filesDone: number;
  readonly filesTotal: number;
  /** Bytes of the files that are done. */
  readonly bytes: number;
}

export type OnProgress = (progress: FileProgress) => void;

export interface SealFolderOptions {
  readonly disk: Disk;
  readonly unit: Unit;
  readonly hostPaths: HostPaths;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How many files are read at a time: as many as Node has threads for it. */
export const FILES_AT_A_TIME = 8;

/**
 * Makes sure that what a build left can be kept, and that it is: refuses what would not mean the same elsewhere [ART-4], removes
 * empty folders, digests every file, makes it read-only and syncs it with the folders around it. Gives what the manifest says of the files.
 *
 * Files are read-only so that a target that writes where it should read is refused at once, instead of being found out by the next
 * reader. Folders stay writable: else nobody could remove a generation or set it aside but by changing it first, neither `gc` nor
 * people with `rm -r`, `git clean` and `git worktree remove`. So a file more, or another in its place, is still found by its digest alone.
 *
 * ### Ordering
 * Every byte and every name is durable on return, and nothing has read the folder yet but its builder.
 */
export async function sealFolder(dir: string, options: SealFolderOptions): Promise<readonly ArtifactFile[]> {
  const { disk, unit, onProgress } = options;
  const tree = await listTree(disk, dir);
  if (!tree || tree.files.length + tree.others.length === 0)
    throw artifactErrors.content(unit, 'it left no file');
  refuseUnfit(tree, unit);
  await removeEmptyFolders(disk, dir, tree);
  const files: ArtifactFile[] = [];
  let bytes = 0;
  const work = (path: string) => sealFile(dir, path, options);
  for await (const file of inOrder(tree.files, { atATime: FILES_AT_A_TIME, work })) {
    files.push(file);
    bytes += file.size;
    onProgress?.({ filesDone: files.length, filesTotal: tree.files.length, bytes });
  }
  await syncFolders(disk, dir, tree.files);
  return files;
}

/** Syncs the folders that files lie in, and the one around them all. In which order does not matter: nothing has its name yet. */
export async function syncFolders(disk: Disk, dir: string, paths: readonly string[]): Promise<void> {
  const work = (folder: string) => disk.syncDir(join(dir, folder));
  for await (const _ of inOrder(foldersOf(paths), { atATime: FILES_AT_A_TIME, work }));
}

/** Makes the folders that files will lie in, parents first, several at a time. */
export async function makeFolders(disk: Disk, dir: string, paths: readonly string[]): Promise<void> {
  const depthOf = (folder: string) => (folder === '' ? 0 : folder.split('/').length);
  // What is in them is synced with them, and then with their names, in the end.
  const work = (folder: string) => disk.makeDir(join(dir, folder), { isSynced: false });
  for (const level of Map.groupBy(foldersOf(paths), depthOf).values())
    for await (const _ of inOrder(level, { atATime: FILES_AT_A_TIME, work }));
}

/** The folders that files lie in, '' for the one around them all, parents first. */
export function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set(['']);
  for (const path of paths) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at));
  }
  return [...folders].sort();
}

function refuseUnfit({ files, others }: Tree, unit: Unit): void {
  const [other] = others;
  if (other !== undefined)
    throw artifactErrors.content(unit, `${JSON.stringify(other)} is neither a file nor a folder`);
  for (const path of files) {
    const problem = problemOfPath(path);
    if (problem !== undefined) throw artifactErrors.content(unit, `${JSON.stringify(path)} ${problem}`);
  }
  const clash = clashIn(files);
  if (clash) {
    const [one, two] = clash.map((path) => JSON.stringify(path));
    throw artifactErrors.content(unit, `${one} and ${two} are one name on disks that ignore case`);
  }
}

async function removeEmptyFolders(disk: Disk, dir: string, { files, folders }: Tree): Promise<void> {
  const used = new Set(foldersOf(files));
  for (const folder of folders) if (!used.has(folder)) await disk.removeTree(join(dir, folder));
}

async function sealFile(dir: string, path: string, options: SealFolderOptions): Promise<ArtifactFile> {
  const { disk, unit, hostPaths, signal } = options;
  const full = join(dir, path);
  const search = hostPaths.search();
  let found: string | undefined;
  // A builder may leave files that nobody may write; to sync what is there, reading is enough.
  await using file = await disk.open(full, 'read');
  const hashed = await hashFile(file, {
    signal,
    onChunk: (chunk) => {
      found ??= search(chunk, false);
    },
  });
  found ??= search(new Uint8Array(0), true);
  if (found !== undefined)
    throw artifactErrors.content(unit, `${JSON.stringify(path)} holds ${found}, a path of this machine`);
  const executable = isExecutable(full);
  await file.protect({ executable });
  await file.sync();
  return { path, ...hashed, executable };
}
