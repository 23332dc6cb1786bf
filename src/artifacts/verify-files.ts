import { join } from 'node:path';
import { errnoOf, inOrder } from '../base/index.ts';
import { type Disk, hashFile } from '../disk/index.ts';
import { listTree } from './list-tree.ts';
import type { ArtifactFile } from './manifest.ts';
import { FILES_AT_A_TIME, type OnProgress } from './seal-folder.ts';

/** What is wrong with one file of a generation. */
export interface FileProblem {
  readonly path: string;
  /** `extra`: the manifest does not name it. `link`: it is neither a file nor a folder. */
  readonly problem: 'missing' | 'changed' | 'extra' | 'link';
}

export interface VerifyOptions {
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Compares every byte below a folder with what a manifest promises [ART-8]; an empty list means that it is whole. */
export async function problemsOfFiles(
  disk: Disk,
  { filesDir, files }: { readonly filesDir: string; readonly files: readonly ArtifactFile[] },
  options: VerifyOptions = {},
): Promise<readonly FileProblem[]> {
  const tree = (await listTree(disk, filesDir)) ?? { files: [], folders: [], others: [] };
  const promised = new Set(files.map(({ path }) => path));
  const problems: FileProblem[] = [
    ...tree.others.map((path) => ({ path, problem: 'link' }) as const),
    ...tree.files.filter((path) => !promised.has(path)).map((path) => ({ path, problem: 'extra' }) as const),
  ];
  let [filesDone, bytes] = [0, 0];
  const isThere = new Set(tree.files);
  const work = async (file: ArtifactFile) => ({
    file,
    problem: isThere.has(file.path)
      ? await problemOfFile(disk, filesDir, file, options)
      : ('missing' as const),
  });
  for await (const { file, problem } of inOrder(files, { atATime: FILES_AT_A_TIME, work })) {
    if (problem !== undefined) problems.push({ path: file.path, problem });
    filesDone++;
    bytes += file.size;
    options.onProgress?.({ filesDone, filesTotal: files.length, bytes });
  }
  return problems.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** What is wrong, in words: the first files by name, and how many more. */
export function problemsText(problems: readonly FileProblem[]): string {
  const named = problems.slice(0, NAMED_MAX).map(({ path, problem }) => `${path} is ${WORDS[problem]}`);
  const more = problems.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}

const NAMED_MAX = 3;
const WORDS: Readonly<Record<FileProblem['problem'], string>> = {
  missing: 'missing',
  changed: 'not what it was',
  extra: 'not part of it',
  link: 'neither a file nor a folder',
};

async function problemOfFile(
  disk: Disk,
  filesDir: string,
  file: ArtifactFile,
  { signal }: VerifyOptions,
): Promise<FileProblem['problem'] | undefined> {
  try {
    await using opened = await disk.open(join(filesDir, file.path), 'read');
    if ((await opened.sizeBytes()) !== file.size) return 'changed';
    const { size, sha256 } = await hashFile(opened, { signal, sizeHint: file.size });
    return size === file.size && sha256 === file.sha256 ? undefined : 'changed';
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 'missing';
    throw error;
  }
}
