import { basename, dirname, join, resolve } from 'node:path';
import type { Disk } from '../disk/index.ts';
import { badFile } from './data-error.ts';

/** The files that a path names: itself, or (with `*` or `?` in the file's name) those that match, in order of name. */
export async function filesNamed(disk: Disk, baseDir: string, path: string): Promise<readonly string[]> {
  const full = resolve(baseDir, path);
  const name = basename(full);
  if (!/[*?]/.test(name)) return [full];
  const pattern = new RegExp(
    `^${name
      .replace(/[.+^${}()|\\[\]]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );
  const entries = (await disk.list(dirname(full))) ?? [];
  const found = entries.filter((entry) => entry.kind === 'file' && pattern.test(entry.name));
  if (found.length === 0)
    throw badFile(path, 'matches no file', 'Check "data": a path is relative to the eval file.');
  return found.map((entry) => join(dirname(full), entry.name));
}
