import { errnoOf } from '../base/index.ts';

const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'EISDIR', 'ENOTDIR']);

/** [BUCKET-3] Where a folder is, or below a file, there is no object. */
export async function orUndefined<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (ABSENT.has(errnoOf(error))) return undefined;
    throw error;
  }
}
