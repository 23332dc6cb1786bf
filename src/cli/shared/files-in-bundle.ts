import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
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
 * Refuses an eval that reads files of the project which workers would not have: its modules, its rows, its inputs and its workspace. What lies
 * outside of the project is left to the machines.
 */
export async function refuseFilesLeftOut(item: PlannedItem, bundle: Bundle, cwd: string): Promise<void> {
  const has = inBundle(bundle);
  for (const path of await filesRead(item, cwd)) {
    const inside = posix.join(bundle.dir, relative(cwd, path).split(sep).join('/'));
    if (inside === '..' || inside.startsWith('../') || isAbsolute(inside) || has(inside)) continue;
    throw new UsageError({
      code: 'E_BUNDLE_WITHOUT_FILE',
      message: `Eval "${item.eval.name}" reads ${inside}, which is not in the bundle: no worker would have it.`,
      hint: 'Add it to git; or, when git ignores it, list it as bundle.data in holdfast.config. "holdfast bundle" shows what is inside.',
    });
  }
}

/** A link of the bundle leads to somewhere in the bundle. */
function inBundle({ manifest: { files, data } }: Bundle): (path: string) => boolean {
  const paths = new Set([...files, ...data].map(({ path }) => path));
  const links = files.flatMap((file) => ('link' in file ? [`${file.path}/`] : []));
  return (path) => paths.has(path) || links.some((link) => path.startsWith(link));
}

async function filesRead(item: PlannedItem, cwd: string): Promise<readonly string[]> {
  const { data, inputs, target } = item.eval;
  const { file, baseDir } = item;
  const named = typeof data === 'string' ? [data] : 'file' in data ? [data.file].flat() : [];
  const rows = await Promise.all(named.map((path) => filesNamed(nodeDisk, baseDir, path)));
  const workspace = target.kind === 'command' ? target.spec.workspace : undefined;
  const folders = [...inputs, ...(workspace === undefined ? [] : [workspace])];
  const read = await Promise.all(folders.map((path) => filesBelow(resolve(baseDir, path))));
  return [...(file === undefined ? [] : codeFilesOf([{ file }], cwd)), ...rows.flat(), ...read.flat()];
}

/** The file itself, or all that lie in a folder. */
async function filesBelow(path: string): Promise<readonly string[]> {
  if ((await nodeDisk.stat(path))?.kind !== 'directory') return [path];
  const entries = (await nodeDisk.list(path)) ?? [];
  const below = await Promise.all(
    entries.map(({ name, kind }) => {
      const inside = join(path, name);
      return kind === 'directory' ? filesBelow(inside) : [inside];
    }),
  );
  return below.flat();
}
