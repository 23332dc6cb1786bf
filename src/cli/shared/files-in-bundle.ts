import { isAbsolute, posix, relative, resolve, sep } from 'node:path';
import { UsageError } from '../../base/index.ts';
import type { Bundle } from '../../bundle/index.ts';
import { filesNamed } from '../../datasets/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { PlannedItem } from '../../runner/index.ts';
import { codeFilesOf } from '../eval-files/code-files.ts';

/** From the folder of the command, as a worker finds it in its bundle. */
export function fileInBundle(
  { file, eval: { name } }: PlannedItem,
  { manifest, dir }: Bundle,
  cwd: string,
): string {
  const path = file === undefined ? '' : relative(cwd, resolve(cwd, file)).split(sep).join('/');
  const inside = [dir, path].filter(Boolean).join('/');
  if (file !== undefined && manifest.files.some((one) => one.path === inside)) return path;
  throw new UsageError({
    code: 'E_BUNDLE_WITHOUT_EVAL',
    message: `The file of eval "${name}", ${file ?? 'which has none'}, is not in the bundle.`,
    hint: 'Add it to git, or list it as bundle.files in holdfast.config; "holdfast bundle" shows what is inside.',
  });
}

/**
 * Refuses an eval that reads files of the project which workers would not have: its modules, its rows, and a workspace of which nothing is there.
 * What lies outside of the project is left to the machines. So are its inputs, and single files of a workspace: the code may make them where it runs.
 */
export async function refuseFilesLeftOut(item: PlannedItem, bundle: Bundle, cwd: string): Promise<void> {
  const { has, hasBelow } = inBundle(bundle);
  const insideOf = (path: string) => posix.join(bundle.dir, relative(cwd, path).split(sep).join('/'));
  const isElsewhere = (path: string) => path === '..' || path.startsWith('../') || isAbsolute(path);
  const files = (await filesRead(item, cwd)).map(insideOf).filter((path) => !has(path));
  const { target } = item.eval;
  const workspace = target.kind === 'command' ? target.spec.workspace : undefined;
  const folder = workspace === undefined ? [] : [insideOf(resolve(item.baseDir, workspace))];
  const missing = [...files, ...folder.filter((path) => !hasBelow(path))].find((path) => !isElsewhere(path));
  if (missing === undefined) return;
  throw new UsageError({
    code: 'E_BUNDLE_WITHOUT_FILE',
    message: `Eval "${item.eval.name}" reads ${missing}, which is not in the bundle: no worker would have it.`,
    hint: 'Add it to git; or, when git ignores it, list it as bundle.data in holdfast.config. "holdfast bundle" shows what is inside.',
  });
}

/** A link of the bundle leads to somewhere in the bundle. */
function inBundle({ manifest: { files, data } }: Bundle) {
  const paths = new Set([...files, ...data].map(({ path }) => path));
  const links = files.flatMap((file) => ('link' in file ? [`${file.path}/`] : []));
  const has = (path: string) => paths.has(path) || links.some((link) => path.startsWith(link));
  const isBelow = (folder: string) =>
    [...paths].some((path) => folder === '.' || path.startsWith(`${folder}/`));
  return { has, hasBelow: (folder: string) => has(folder) || isBelow(folder) };
}

/** Its modules, and its rows. */
async function filesRead(
  { eval: { data }, file, baseDir }: PlannedItem,
  cwd: string,
): Promise<readonly string[]> {
  const named = typeof data === 'string' ? [data] : 'file' in data ? [data.file].flat() : [];
  const rows = await Promise.all(named.map((path) => filesNamed(nodeDisk, baseDir, path)));
  return [...(file === undefined ? [] : codeFilesOf([{ file }], cwd)), ...rows.flat()];
}
