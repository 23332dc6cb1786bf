import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTempDir, type TempDir } from '../sim/temp-dir.ts';

/** A folder with these files, gone with its scope. */
export async function makeProject(files: Readonly<Record<string, string>>): Promise<TempDir> {
  const dir = await makeTempDir();
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir.path, name), text);
  return dir;
}
