import type { ImportFile } from './fast-import.ts';
import type { Git } from './git.ts';
import type { ObjectId } from './object-id.ts';

/** The files that one commit has and another has not: `:<old mode> <mode> <old id> <id> <status>\0<path>\0`. */
export async function addedFiles(
  git: Git,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly ImportFile[]> {
  const { stdout } = await git.run(['diff-tree', '-r', '-z', '--diff-filter=A', from, to]);
  const parts = stdout.toString('utf8').split('\0');
  const files: ImportFile[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const id = parts[at]?.split(' ')[3] as ObjectId | undefined;
    const path = parts[at + 1];
    if (id !== undefined && path !== undefined) files.push({ path, content: { id, kind: 'blob' } });
  }
  return files;
}
