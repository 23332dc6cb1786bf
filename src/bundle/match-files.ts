import { join, posix } from 'node:path';
import { bundleErrors } from './bundle-errors.ts';

export interface MatchOptions {
  readonly key: 'files' | 'data';
  /** Where to look: the work tree, and the one that it is linked to. What the first has counts. */
  readonly roots: readonly string[];
  /** The folder that patterns start at, from the root. */
  readonly from: string;
  readonly isOurs: (path: string) => boolean;
}

/** Files that patterns name, by their paths from the root, each with the root that has it. Links are followed. */
export async function matchFiles(
  patterns: readonly string[],
  options: MatchOptions,
): Promise<ReadonlyMap<string, string>> {
  const { key, roots, from, isOurs } = options;
  const isNegative = (pattern: string) => pattern.startsWith('!');
  const ignore = patterns.filter(isNegative).map((pattern) => pattern.slice(1));
  const found = new Map<string, string>();
  for (const pattern of patterns.filter((one) => !isNegative(one))) {
    let count = 0;
    for (const root of roots) {
      for (const path of await filesIn(root, pattern, { ignore, from })) {
        if (leadsOut(path)) throw bundleErrors.pattern(key, pattern, 'leads out of the code');
        if (isOurs(path)) continue;
        count++;
        if (!found.has(path)) found.set(path, root);
      }
    }
    if (count === 0) throw bundleErrors.pattern(key, pattern, 'matches no file');
  }
  return found;
}

/** Whether a pattern names this one file, and not by a wildcard. */
export function isNamedExactly(
  path: string,
  patterns: readonly string[],
  { from }: Pick<MatchOptions, 'from'>,
): boolean {
  return patterns.some((pattern) => posix.join(from, pattern) === path);
}

function leadsOut(path: string): boolean {
  return posix.isAbsolute(path) || path === '..' || path.startsWith('../');
}

async function filesIn(
  root: string,
  pattern: string,
  { ignore, from }: { readonly ignore: readonly string[]; readonly from: string },
): Promise<readonly string[]> {
  const { glob } = await import('tinyglobby');
  const paths = await glob(pattern, {
    cwd: join(root, from),
    dot: true,
    onlyFiles: true,
    ignore: ['**/node_modules/**', '**/.git/**', ...ignore],
  });
  return paths.map((path) => posix.join(from, path)).sort();
}
