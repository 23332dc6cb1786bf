import { isAbsolute, posix } from 'node:path';
import { isTempName } from '../disk/index.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const FORBIDDEN = /[\u0000-\u001f\u007f\\\ufffd]/;

/** [BUN-3] Whether a path means the same file on every machine: it goes down from the root, and only down. */
export function isPathOfBundle(path: string): boolean {
  if (!path.isWellFormed() || FORBIDDEN.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !isTempName(part));
}

/**
 * [BUN-4] Whether a link may lead out of the bundle. `..` may stand only at its beginning: behind a folder that is a link itself, nobody
 * can tell from the text alone where it leads.
 */
export function leavesBundle(path: string, target: string): boolean {
  if (isAbsolute(target) || FORBIDDEN.test(target)) return true;
  const plain = target.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '') || '.';
  if (posix.normalize(plain) !== plain) return true;
  const full = posix.join(posix.dirname(path), target);
  return full === '..' || full.startsWith('../');
}

/** Whether a path is a folder, or lies in it. */
export function isWithin(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** In code-unit order, as everything in a manifest is. */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** [BUN-3] Two paths that cannot both be there: they are one, or the first would have to be a folder. Undefined when there are none. */
export function clashIn(paths: readonly string[]): readonly [string, string] | undefined {
  const known = new Set<string>();
  for (const path of paths) {
    if (known.has(path)) return [path, path];
    known.add(path);
  }
  for (const path of paths)
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      if (known.has(path.slice(0, at))) return [path.slice(0, at), path];
  return undefined;
}
