import { join } from 'node:path';
import { ActionableError, packageFile } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';

/** Where the app of exports lies: it comes with the package. */
export async function exportAppDir(
  disk: Disk,
  dir: string = packageFile('dist/studio-export'),
): Promise<string> {
  if ((await disk.stat(join(dir, 'index.html')))?.kind === 'file') return dir;
  throw new ActionableError({
    code: 'E_STUDIO_NOT_BUILT',
    message: `The Studio's app for exports is not in ${dir}.`,
    hint: 'In a checkout, run "npm run build"; else install the package again.',
  });
}

/** The app as it was built: a few files, none of them in a folder. */
export async function copyApp(
  disk: Disk,
  from: string,
  to: string,
): Promise<{ readonly files: number; readonly bytes: number }> {
  let [files, bytes] = [0, 0];
  for (const { name, kind } of (await disk.list(from)) ?? []) {
    if (kind !== 'file') continue;
    const content = (await disk.read(join(from, name))) ?? new Uint8Array();
    await using file = await disk.open(join(to, name), 'create');
    await file.write(content, 0);
    await file.sync();
    files += 1;
    bytes += content.length;
  }
  return { files, bytes };
}
