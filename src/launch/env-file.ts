import { parseEnv } from 'node:util';
import { readPrivateFile } from '../disk/index.ts';
import { launchErrors } from './launch-errors.ts';

/** The keys in a file of the worker's own (`--keys-file`); refused where others may read it. */
export async function readEnvFile(path: string): Promise<Readonly<Record<string, string>>> {
  const found = await readPrivateFile(path);
  if (!found) throw launchErrors.envFileMissing(path);
  if (!found.isPrivate) throw launchErrors.envFileOpen(path);
  const entries = Object.entries(parseEnv(found.text));
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
