import { relative } from 'node:path';
import { isBucketUrl } from '../bucket/index.ts';

/** As short as it can be named from here. An address in a bucket is no path, and stays as it is. */
export function shortPath(path: string, cwd: string): string {
  if (isBucketUrl(path)) return path;
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') ? path : short;
}
