import { join } from 'node:path';
import { isJsonArray, parseJson } from '../base/index.ts';
import { createFile, type Disk, replaceFile, tempPathFor } from '../disk/index.ts';
import type { PlainFile } from './manifest.ts';
import { objectNameOf } from './object-cache.ts';

const CONTENTS = 'contents';
const USED = 'used';

/** Notes which contents of the cache an installed bundle has. */
export async function noteContents(disk: Disk, home: string, files: readonly PlainFile[]): Promise<void> {
  const names = [...new Set(files.map(objectNameOf))];
  await createFile(disk, join(home, CONTENTS), Buffer.from(JSON.stringify(names)));
}

/** Undefined when nobody can tell. */
export async function contentsNoted(disk: Disk, home: string): Promise<readonly string[] | undefined> {
  const bytes = await disk.read(join(home, CONTENTS));
  try {
    const names = bytes && parseJson(Buffer.from(bytes).toString('utf8'));
    return isJsonArray(names) ? names.map(String) : undefined;
  } catch {
    return undefined; // Torn by a power loss: it only says what may go.
  }
}

/** Says that it is used now. */
export async function noteUse(disk: Disk, home: string): Promise<void> {
  await replaceFile(disk, join(home, USED), new Uint8Array());
}

/** When it was last said to be used, else when it was made. */
export async function lastUseMs(disk: Disk, home: string): Promise<number | undefined> {
  const stat = (await disk.stat(join(home, USED))) ?? (await disk.stat(home));
  return stat?.modifiedMs;
}

/** Its name goes first: a death in between leaves a temporary name. */
export async function removeHome(disk: Disk, home: string): Promise<void> {
  if (!(await disk.stat(home))) return;
  const temp = tempPathFor(home);
  await disk.rename(home, temp);
  await disk.removeTree(temp);
}
