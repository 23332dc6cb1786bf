import { afterEach, beforeEach } from 'vitest';
import { makeTempDir, type TempDir } from './temp-dir.ts';

/** A real directory, empty and another one for each test of the file that asks for it. */
export function useTempDir(): { readonly path: string } {
  let dir: TempDir | undefined;
  beforeEach(async () => {
    dir = await makeTempDir();
  });
  afterEach(() => dir?.[Symbol.asyncDispose]());
  return {
    get path() {
      if (!dir) throw new Error('The directory is there only while a test runs.');
      return dir.path;
    },
  };
}
