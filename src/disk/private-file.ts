import * as fs from 'node:fs/promises';
import { errnoOf } from '../base/index.ts';
import { explainDiskError } from './explain.ts';

export interface PrivateFile {
  readonly text: string;
  /** Nobody but its owner may read or write it. Windows does not tell, and counts as yes. */
  readonly isPrivate: boolean;
}

const RIGHTS_OF_OTHERS = 0o077;

/** A small text file, and whether it is only ours, both of the same file; undefined when there is none. */
export async function readPrivateFile(path: string): Promise<PrivateFile | undefined> {
  try {
    await using handle = await fs.open(path, 'r');
    const { mode } = await handle.stat();
    const isPrivate = process.platform === 'win32' || (mode & RIGHTS_OF_OTHERS) === 0;
    return { text: await handle.readFile('utf8'), isPrivate };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw explainDiskError(error, path);
  }
}
