import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { moduleWatch } from './holdfast-import.ts';
import type { LoadedEval } from './load-eval-file.ts';

/** The files that evals were made of: their own, and the local modules that these have loaded so far. Packages are no one's own code. */
export function codeFilesOf(evals: readonly Pick<LoadedEval, 'file'>[], cwd: string): readonly string[] {
  const urls = new Set<string>();
  for (const file of new Set(evals.map((one) => one.file)))
    for (const url of moduleWatch.reachedFrom(pathToFileURL(resolve(cwd, file)).href)) urls.add(url);
  const local = [...urls].filter((url) => url.startsWith('file:') && !url.includes('/node_modules/'));
  return [...new Set(local.map((url) => fileURLToPath(url)))];
}
