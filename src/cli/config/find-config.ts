import { dirname, join } from 'node:path';
import { UsageError } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';

/** Modules run code; the others are read. */
const ENDINGS = ['ts', 'js', 'mjs', 'yaml', 'yml', 'json'];
export const CONFIG_NAMES: readonly string[] = ENDINGS.map((ending) => `holdfast.config.${ending}`);

/** The nearest settings: in a folder, or above it as far as the root of its repository (without one, of the disk). */
export async function findConfig(dir: string, disk: Disk): Promise<string | undefined> {
  for (let at = dir; ; at = dirname(at)) {
    const found = await filesIn(at, CONFIG_NAMES, disk);
    if (found.length > 1) throw several(at, found);
    if (found[0] !== undefined) return join(at, found[0]);
    // In a linked work tree and a submodule it is a file.
    const isRoot = at === dirname(at) || (await disk.stat(join(at, '.git'))) !== undefined;
    if (isRoot) return undefined;
  }
}

async function filesIn(dir: string, names: readonly string[], disk: Disk): Promise<string[]> {
  const stats = await Promise.all(names.map((name) => disk.stat(join(dir, name))));
  return names.filter((_, index) => stats[index]?.kind === 'file');
}

/** Which of them would count is nothing that anybody should have to know. */
function several(dir: string, names: readonly string[]): UsageError {
  return new UsageError({
    code: 'E_CONFIG',
    message: `${dir} has several files of settings: ${names.join(', ')}.`,
    hint: 'Keep one of them.',
  });
}
