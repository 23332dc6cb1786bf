import { isTempName } from '../disk/index.ts';

const PART_BYTES_MAX = 255;
const PATH_BYTES_MAX = 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const FORBIDDEN = /[\u0000-\u001f\u007f\\\ufffd]/;

/** [ART-4] What is wrong with the path of a file of a generation, in words that follow its name; undefined when nothing is. */
export function problemOfPath(path: string): string | undefined {
  if (!path.isWellFormed() || FORBIDDEN.test(path))
    return 'has a name with a backslash, a control character or no valid Unicode';
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return `has a path of more than ${PATH_BYTES_MAX} bytes`;
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..') return 'has a path that leads out of its folder';
    if (isTempName(part)) return 'has a name that is kept for temporary files';
    if (Buffer.byteLength(part) > PART_BYTES_MAX) return `has a name of more than ${PART_BYTES_MAX} bytes`;
  }
  return undefined;
}

/**
 * [ART-4] Two paths that are one on disks that ignore case or the form of accents, or of which one is the folder of the other;
 * undefined when there are none.
 */
export function clashIn(paths: readonly string[]): readonly [string, string] | undefined {
  const known = new Map<
    string,
    { readonly written: string; readonly isFile: boolean; readonly path: string }
  >();
  for (const path of paths) {
    const parts = path.split('/');
    for (let length = 1; length <= parts.length; length++) {
      const written = parts.slice(0, length).join('/');
      const isFile = length === parts.length;
      const folded = written.normalize('NFC').toLowerCase();
      const other = known.get(folded);
      if (other && (other.written !== written || other.isFile || isFile)) return [other.path, path];
      known.set(folded, { written, isFile, path });
    }
  }
  return undefined;
}
