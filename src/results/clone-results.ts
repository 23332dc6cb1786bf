import { cloneBare } from '../git/index.ts';
import { RESULTS_BRANCH } from './layout.ts';
import type { OpenResultsOptions } from './results-ports.ts';
import { ResultsStore } from './results-store.ts';

/** The results of a repository elsewhere, of which `repo` is our own bare clone: it is made, and begun, unless it has been. */
export async function cloneResults(
  options: OpenResultsOptions & { readonly url: string },
): Promise<ResultsStore> {
  const { repo: dir, url, remote = 'origin', branch = RESULTS_BRANCH } = options;
  const git = await cloneBare({ url, dir, remote, branch }, options);
  const results = new ResultsStore(git, options);
  try {
    await results.refresh();
    await results.init();
    return results;
  } catch (error) {
    await results[Symbol.asyncDispose]();
    throw error;
  }
}
